// The customer beside the conversation: fetched when it is first wanted, opened and closed by button and key.
(() => {
  const panel = document.getElementById("customer");
  if (!panel) return;
  const narrow = matchMedia("(max-width: 1099px)");
  let asked = panel.querySelector(".customer-body") !== null;

  async function load() {
    if (asked) return;
    asked = true;
    try {
      const response = await fetch(panel.dataset.url, { headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" });
      if (!response.ok) {
        asked = false;
        document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: response.status } }));
        return;
      }
      await htmx.swap({ text: await response.text(), target: panel, swap: "innerHTML", sourceElement: panel });
    } catch {
      asked = false;
      document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { kind: "failed" } }));
    }
  }

  function show(open) {
    document.body.dataset.customer = open ? "open" : "closed";
    for (const button of document.querySelectorAll("[data-customer-toggle]")) {
      button.setAttribute("aria-expanded", String(open));
      button.value = open ? "closed" : "open";
    }
    if (open) load();
  }

  // The form's own script sends the choice to the server; this one shows it, and leads there and back.
  document.addEventListener("submit", (event) => {
    if (event.submitter?.name !== "customer") return;
    const open = event.submitter.value === "open";
    show(open);
    if (narrow.matches) document.dispatchEvent(new CustomEvent("lastro:show", { detail: { pane: open ? "customer" : "talk" } }));
    (open ? panel : document.querySelector("[data-customer-toggle]")).focus();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-show-pane=customer]")) load();
  });

  // A new name stands in the line above the conversation too.
  document.addEventListener("htmx:after:swap", () => {
    const words = panel.querySelector("[data-subtitle]")?.dataset.subtitle;
    const line = document.querySelector("#head .sub > span");
    if (words && line && line.textContent !== words) line.textContent = words;
  });

  if (document.body.dataset.customer === "open" && !narrow.matches) show(true);
  if (document.body.dataset.show === "customer") load();
})();
