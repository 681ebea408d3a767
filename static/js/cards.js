// Choosing a card, deciding by key, and lighting the words that a card rests on.
// Letters act on the chosen card alone, and never while a field has the focus.
(() => {
  let chosen = null; // id of the chosen card
  let order = []; // ids as they stood before a swap, to find the neighbour of one that went
  let pointing = false;
  let going = 0; // when G was pressed
  const cards = () => [...document.querySelectorAll("#memory [data-card]")];
  const card = () => (chosen ? document.getElementById(chosen) : null);

  function light(id, bring) {
    for (const mark of document.querySelectorAll("mark.lit")) mark.classList.remove("lit");
    if (!id) return;
    const marks = [...document.querySelectorAll("#stream mark[data-refs]")].filter((mark) => mark.dataset.refs.split(" ").includes(id));
    for (const mark of marks) mark.classList.add("lit");
    if (bring && marks.length) {
      const scroll = document.getElementById("transcript");
      const box = marks[0].getBoundingClientRect();
      const frame = scroll.getBoundingClientRect();
      if (box.top < frame.top + 40 || box.bottom > frame.bottom - 40) {
        scroll.scrollTop += box.top - frame.top - frame.height / 3;
      }
    }
  }

  function choose(id, { focus = true } = {}) {
    chosen = id;
    for (const one of cards()) one.classList.toggle("on", one.id === id);
    const one = card();
    light(id, true);
    if (one && focus) {
      one.focus({ preventScroll: true });
      one.scrollIntoView({ block: "nearest" });
    }
  }

  function step(by) {
    const list = cards();
    if (!list.length) return;
    const at = list.findIndex((one) => one.id === chosen);
    const next = at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1);
    choose(list[next].id);
  }

  function firstField(details) {
    return details.querySelector("form :is(input:not([type=hidden]), select, textarea)");
  }

  // Closing one form of a card when another opens is the browser's, by the details' common name.
  function open(key) {
    const summary = card()?.querySelector(`summary[data-key="${key}"]`);
    if (!summary) return;
    const details = summary.parentElement;
    details.open = true;
    details.scrollIntoView({ block: "nearest" });
    if (key === "r") summary.focus();
    else firstField(details)?.focus();
  }

  function typing(target) {
    return target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]") !== null;
  }

  function press(key) {
    const one = card();
    switch (key) {
      case "j": return step(1);
      case "k": return step(-1);
      case "a": return one?.querySelector('button[data-key="a"]')?.click();
      case "q": return (one || document.activeElement.closest("details.slot"))?.querySelector('[data-key="q"]')?.click();
      case "e": case "r": case "c": return open(key);
      case "u": return [...document.querySelectorAll("[data-undo] button")].at(-1)?.click();
      case "t": return document.querySelector('[data-report="customer"]')?.click();
      case "s": return document.querySelector('[data-report="registry"]')?.click();
      case "n": return document.querySelector("[data-next]")?.click();
      case "g": going = Date.now(); return undefined;
      case "/": return document.getElementById("search")?.select();
      case "?": return document.getElementById("keys")?.showModal();
      default: return one?.querySelector(`details[open] button[data-digit="${key}"]`)?.click();
    }
  }

  function go(key) {
    if (key === "f") {
      document.dispatchEvent(new CustomEvent("lastro:show", { detail: { pane: "queue" } }));
      (document.querySelector("#tickets a[aria-current]") || document.querySelector("#tickets a"))?.focus();
      return true;
    }
    const act = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    if (act) {
      act.click();
      return true;
    }
    const pane = { d: "decide", e: "state", h: "history" }[key];
    if (!pane) return false;
    document.querySelector(`#memory [data-pane="${pane}"]`)?.click();
    return true;
  }

  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (key === "Escape") {
      if (document.querySelector("dialog[open]")) return;
      const details = target.closest?.("details[open]:not(.slot)");
      if (details) details.open = false;
      if (typing(target)) target.blur();
      if (card()) card().focus();
      return;
    }
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = target.closest?.("form");
      if (form && typing(target)) {
        event.preventDefault();
        form.requestSubmit(form.querySelector("button.main"));
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(target) || document.querySelector("dialog[open]")) return;
    const letter = key.toLowerCase();
    if (event.repeat && letter !== "j" && letter !== "k") return; // a key held down decides one card, not those after it
    if (going && Date.now() - going < 1500 && go(letter)) {
      going = 0;
      event.preventDefault();
      return;
    }
    going = 0;
    if ("jkaerqcungts/?123456789".includes(letter) && letter.length === 1) {
      press(letter);
      event.preventDefault();
    }
  });

  // A mouse chooses once it is released: buttons must not move between press and release.
  document.addEventListener("pointerdown", () => { pointing = true; });
  document.addEventListener("click", (event) => {
    pointing = false;
    const one = event.target.closest?.("[data-card]");
    if (one) choose(one.id, { focus: false });
    const mark = event.target.closest?.("#stream mark[data-refs]");
    const id = mark?.dataset.refs.split(" ").find((ref) => document.getElementById(ref));
    if (id) {
      document.dispatchEvent(new CustomEvent("lastro:show", { detail: { pane: "memory" } }));
      choose(id);
    }
    if (event.target.closest?.("[data-open-keys]")) document.getElementById("keys").showModal();
  });
  document.addEventListener("focusin", (event) => {
    const one = event.target.closest?.("[data-card]");
    if (one && !pointing && one.id !== chosen) choose(one.id, { focus: false });
  });
  document.addEventListener("pointerover", (event) => {
    const one = event.target.closest?.("[data-card]");
    if (one) light(one.id, false);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.target.closest?.("[data-card]")) light(chosen, false);
  });

  // A place chosen for what was said elsewhere: its form opens, with that source chosen.
  document.addEventListener("change", (event) => {
    const place = event.target.matches?.("[data-report-place]") && document.getElementById(event.target.value);
    if (!place) return;
    const form = (document.getElementById(`${place.id}-set`) || place).querySelector("form");
    if (!form) return;
    for (let outer = form.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
    form.querySelector(":is(input:not([type=hidden]), select, textarea)")?.focus();
    form.scrollIntoView({ block: "nearest" });
  });

  document.addEventListener("htmx:before:swap", () => { order = cards().map((one) => one.id); });
  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail;
    if (ctx.target?.id !== "memory" && ctx.target !== "#memory") return light(chosen, false);
    if (ctx.request?.action?.includes("report=")) return document.querySelector("#memory [data-report-place]")?.focus();
    const decided = ctx.request?.method === "POST";
    // What an undo brings back is what comes next.
    const back = ctx.request?.action?.endsWith("/undo") ? cards().find((one) => !order.includes(one.id)) : null;
    if (back) return choose(back.id);
    if (chosen && !card()) {
      // The one that went is followed by the next that is still there, else by the last one.
      const at = order.indexOf(chosen);
      const next = order.slice(at + 1).find((id) => document.getElementById(id)) || cards().at(-1)?.id || null;
      const typed = document.activeElement !== document.body && typing(document.activeElement);
      if (next) choose(next, { focus: decided && !typed });
      else {
        chosen = null;
        light(null);
        if (decided) document.getElementById("memory-scroll")?.focus({ preventScroll: true });
      }
    } else if (chosen) choose(chosen, { focus: decided && document.activeElement === document.body });
    return undefined;
  });

  for (const button of document.querySelectorAll("[data-open-keys]")) button.hidden = false;
})();
