// The search from any page: what is found stands below the field while one types, and is chosen by arrow keys.
// Without this script the same form leads to the search's own page.
(() => {
  const field = document.getElementById("search");
  const panel = document.getElementById("search-panel");
  if (!field || !panel) return;
  const pause = 200;
  let timer = null;
  let asked = 0;
  let shown = null; // the words whose results the panel holds

  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", "search-panel"]]) {
    field.setAttribute(name, value);
  }

  const options = () => [...panel.querySelectorAll("[role=option]")];
  const chosen = () => panel.querySelector("[aria-selected=true]");

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    if (!option) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function open() {
    panel.hidden = false;
    field.setAttribute("aria-expanded", "true");
  }

  function close() {
    clearTimeout(timer);
    asked += 1;
    panel.hidden = true;
    field.setAttribute("aria-expanded", "false");
    choose(null);
  }

  async function ask() {
    const words = field.value;
    if (words.trim().length < 2) {
      close();
      return;
    }
    if (words === shown) {
      open();
      return;
    }
    asked += 1;
    const mine = asked;
    const address = new URL(field.form.action, location.href);
    address.searchParams.set("q", words);
    try {
      const response = await fetch(address, { headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" });
      if (!response.ok) {
        document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: response.status } }));
        return;
      }
      const text = await response.text();
      if (mine !== asked || document.activeElement !== field) return; // overtaken, or nobody waits for it any more
      await htmx.swap({ text, target: panel, swap: "innerHTML", sourceElement: panel });
      shown = words;
      choose(null);
      open();
      const count = options().filter((option) => !option.matches(".all")).length;
      document.dispatchEvent(new CustomEvent("lastro:announce", { detail: { text: panel.dataset.found.replace("{count}", String(count)) } }));
    } catch {
      // Without a connection nothing is found; the form's own page says so.
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  });
  field.addEventListener("focus", () => { if (field.value === shown) open(); });

  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && !panel.hidden) {
      // The first one closes what was found, the next leaves the field.
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "Enter" && !panel.hidden && chosen()) {
      event.preventDefault();
      chosen().click();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (panel.hidden) {
        ask();
        return;
      }
      const list = options();
      const at = list.indexOf(chosen()) + (event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
      choose(list[at] ?? (at < 0 && !chosen() ? list.at(-1) : null));
    }
  });
  field.form.addEventListener("submit", close);
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) close(); });
  field.addEventListener("blur", () => {
    // A press on the panel takes the focus before it is a click.
    setTimeout(() => { if (!panel.contains(document.activeElement) && document.activeElement !== field) close(); }, 150);
  });
  panel.addEventListener("pointerdown", (event) => event.preventDefault());
  // It comes when the field is entered: something may have been typed by then.
  if (document.activeElement === field && field.value !== field.defaultValue) timer = setTimeout(ask, pause);
})();
