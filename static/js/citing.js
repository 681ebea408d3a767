// Words selected in the conversation become evidence of the form at hand, or the start of a value of their own.
(() => {
  const bar = document.getElementById("cite-bar");
  if (!bar) return;
  const use = bar.querySelector("[data-cite-use]");
  const pin = bar.querySelector("[data-cite-pin]");
  const target = document.getElementById("cite-target");
  let picked = null; // {message, quote, start}
  let bound = null; // where a value is to be recorded once its pane is there

  const element = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);

  function read() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const words = element(range.startContainer).closest("#stream .words");
    if (!words) return null;
    // A triple click reaches into what follows: only this message's words count.
    const inside = range.cloneRange();
    if (!words.contains(range.endContainer)) inside.setEnd(words, words.childNodes.length);
    const before = document.createRange();
    before.setStart(words, 0);
    before.setEnd(inside.startContainer, inside.startOffset);
    const text = inside.toString();
    const quote = text.trim();
    if (!quote) return null;
    const whole = words.textContent;
    const twice = whole.indexOf(quote) !== whole.lastIndexOf(quote);
    // The server counts in code points, a string of this language in UTF-16 units.
    const start = [...before.toString()].length + [...text].length - [...text.trimStart()].length;
    return { message: words.closest(".msg").id, quote, start: twice ? String(start) : "", box: inside.getBoundingClientRect() };
  }

  const form = () => {
    const open = document.querySelector("#memory details[open] > form:has([data-cite]), #memory details[open] > form [data-cite]");
    return open?.closest("form") || document.querySelector("#memory .card.on form:has([data-cite])");
  };

  function show() {
    picked = read();
    bar.hidden = !picked;
    if (!picked) return;
    use.hidden = !form();
    pin.search = new URLSearchParams({ message: picked.message, words: picked.quote });
    const { width, height } = bar.getBoundingClientRect();
    const { left, top, bottom } = picked.box;
    const above = top - height - 6;
    bar.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    bar.style.top = `${above > 56 ? above : Math.min(bottom + 6, innerHeight - height - 8)}px`;
  }

  function hide() {
    bar.hidden = true;
    picked = null;
  }

  // `anew`: the words are the value to be, whatever stands there now.
  function fill(into, words, anew = false) {
    const rows = [...into.querySelectorAll("[data-cite-row]")];
    let row = rows.find((one) => !one.querySelector("[name=message]").value);
    if (!row) {
      row = rows[0].cloneNode(true);
      for (const part of row.querySelectorAll("[id], [for]")) {
        for (const name of ["id", "for"]) if (part.hasAttribute(name)) part.setAttribute(name, `${part.getAttribute(name)}-${rows.length + 1}`);
      }
      rows.at(-1).after(row);
    }
    row.querySelector("[name=message]").value = words.message;
    row.querySelector("[name=quote]").value = words.quote;
    row.querySelector("[name=start]").value = words.start;
    for (let outer = row.closest("details"); outer; outer = outer.parentElement.closest("details")) {
      delete outer.dataset.waits; // a form that waits for words shows once it has some
      outer.open = true;
    }
    const first = into.querySelector(":is(input[type=text], textarea)[name^=value]");
    if (first && (anew || !first.value)) first.value = words.quote;
    document.dispatchEvent(new CustomEvent("lastro:show", { detail: { pane: "memory" } }));
    const field = first || into.querySelector(":is(input:not([type=hidden]), select, textarea)");
    field?.focus();
    into.scrollIntoView({ block: "nearest" });
  }

  function record() {
    const place = bound && document.getElementById(bound.key);
    if (!place) return false;
    const into = (document.getElementById(`${bound.key}-set`) || place).querySelector("form:has([data-cite])");
    if (!into) return false;
    place.open = true;
    fill(into, bound.words, true);
    bound = null;
    return true;
  }

  let timer = null;
  let pressed = Boolean(document.querySelector("#stream:active")); // it comes when the first words are selected
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (!pressed && !bar.contains(document.activeElement)) show(); }, 120);
  };
  document.addEventListener("selectionchange", later);
  document.addEventListener("pointerdown", (event) => { pressed = !bar.contains(event.target); });
  document.addEventListener("pointerup", () => { pressed = false; later(); });
  document.getElementById("transcript").addEventListener("scroll", hide, { passive: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !bar.hidden) hide(); });

  // The selection must survive a press on the bar.
  for (const part of [use, pin]) part.addEventListener("pointerdown", (event) => event.preventDefault());
  use.addEventListener("click", () => {
    const into = form();
    if (into && picked) fill(into, picked);
    hide();
  });
  target.addEventListener("change", () => {
    if (target.value && picked) {
      bound = { key: target.value, words: picked };
      if (!record()) document.querySelector('#memory [data-pane="state"]')?.click();
    }
    target.value = "";
    hide();
  });
  document.addEventListener("htmx:after:swap", () => { if (bound) record(); });

  // Other words than those that were selected stand somewhere else.
  document.addEventListener("input", (event) => {
    const row = event.target.closest?.("[data-cite-row]");
    if (row) row.querySelector("[name=start]").value = "";
  });
  later();
})();
