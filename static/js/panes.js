// What was typed in a pane of the memory that gives way to another is put back when it returns.
(() => {
  const left = new Map(); // by pane: of each open form its card, its details and what its fields hold
  const ticks = (field) => ["radio", "checkbox"].includes(field.type);
  const held = (form) => [...form.elements].filter((field) => field.name && !["hidden", "submit"].includes(field.type));
  const typed = (field) => (field.tagName === "SELECT"
    ? [...field.options].some((option) => option.selected !== option.defaultSelected)
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

  document.addEventListener("htmx:after:swap", () => {
    const pane = document.getElementById("memory").dataset.pane;
    for (const { details, values } of left.get(pane) || []) {
      const form = document.getElementById(details)?.querySelector(":scope > form");
      if (!form) continue;
      held(form).forEach((field, at) => {
        if (values[at]?.[0] === field.name) field[ticks(field) ? "checked" : "value"] = values[at][1];
      });
      for (let outer = form.parentElement; outer; outer = outer.parentElement.closest("details")) outer.open = true;
    }
    left.delete(pane);
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
