// What was typed in a pane of the memory that gives way to another is put back when it returns.
(() => {
  const left = new Map(); // by pane: of each open form its card, its details and what its fields hold
  const ticks = (field) => ["radio", "checkbox"].includes(field.type);
  const held = (form) => [...form.elements].filter((field) => field.name && !["hidden", "submit"].includes(field.type));
  // A choice without a default begins with its first option: that one was not typed.
  const begun = (select) => Math.max(0, [...select.options].map((option) => option.defaultSelected).lastIndexOf(true));
  const typed = (field) => (field.tagName === "SELECT" ? field.selectedIndex !== begun(field)
    : ticks(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue);

  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    const memory = document.getElementById("memory");
    if (ctx.request?.method !== "GET" || !ctx.sourceElement?.closest?.("#memory :is(.tabs, .reports)")) return;
    const forms = [...memory.querySelectorAll("details[open][id] > form")].filter((form) => held(form).some(typed));
    left.set(memory.dataset.pane, forms.map((form) => ({
      card: form.closest("[data-card]")?.id,
      details: form.parentElement.id,
      values: held(form).map((field) => [field.name, ticks(field) ? field.checked : field.value]),
    })));
  });

  document.addEventListener("htmx:after:swap", (event) => {
    const reports = event.detail.ctx.request?.action?.includes("report=");
    const pane = document.getElementById("memory").dataset.pane;
    for (const { details, values } of left.get(pane) || []) {
      const form = document.getElementById(details)?.querySelector(":scope > form");
      if (!form) continue;
      held(form).forEach((field, at) => {
        // What was asked for last holds: another source chosen for the whole pane is not taken back.
        if (reports && field.name === "reported") return;
        if (values[at]?.[0] === field.name) field[ticks(field) ? "checked" : "value"] = values[at][1];
      });
      for (let outer = form.parentElement; outer; outer = outer.parentElement.closest("details")) outer.open = true;
    }
    left.delete(pane);
  });

  // What was recorded is done with: its form closes and is as it was drawn, so that a second press records nothing again.
  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail;
    const form = ctx.sourceElement?.closest?.("#memory details[id] > form");
    if (ctx.request?.method !== "POST" || !(ctx.response?.status < 400) || !form) return;
    form.reset();
    // What began a group closes whole; the field that names one is asked for first when it is opened again.
    for (let outer = form.parentElement; outer?.matches("details:not(.slot)"); outer = outer.parentElement) {
      outer.open = outer.matches(".add > summary + .add");
    }
  });

  // A card that a colleague decides meanwhile stays, as it would if it were shown.
  document.addEventListener("htmx:config:request", (event) => {
    const { ctx } = event.detail;
    if (ctx.target?.id !== "memory" && ctx.target !== "#memory") return;
    const cards = (left.get("decide") || []).filter(({ card }) => card).map(({ card, details }) => `${card}:${details.slice(card.length + 1)}`);
    const { headers } = ctx.request;
    if (cards.length) headers["Lastro-Keep"] = [headers["Lastro-Keep"], ...cards].filter(Boolean).join(" ");
  });
})();
