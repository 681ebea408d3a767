// Asks again for a part of the page and merges it in: what is typed, open, focused or scrolled to stays.
// lastro:refresh {parts: ["memory", "transcript", "queue"]} asks for it.
(() => {
  const underWay = new Map();
  const again = new Set();

  const parts = {
    memory: () => ({ element: document.getElementById("memory"), url: document.getElementById("memory")?.dataset.refresh, swap: "outerMorph" }),
    transcript: () => {
      const stream = document.getElementById("stream");
      const numbers = [...document.querySelectorAll("#stream [data-number]")].map((row) => Number(row.dataset.number));
      const url = new URL(document.getElementById("transcript").dataset.window, location.href);
      if (numbers.length) url.searchParams.set("from", String(Math.min(...numbers)));
      if (document.getElementById("newer")) url.searchParams.set("to", String(Math.max(...numbers)));
      return { element: stream, url: url.href, swap: "innerMorph" };
    },
    queue: () => {
      const element = document.getElementById("queue");
      // The filter panel stays as it is: open, or folded.
      const open = document.querySelector("#queue-filter[open] #queue-panel form") ? "&filters=open" : "";
      return { element, url: element && element.dataset.refresh + open, swap: "outerMorph" };
    },
    customer: () => ({ element: document.querySelector("#customer > .customer-body"), url: document.getElementById("customer")?.dataset.url, swap: "outerMorph" }),
    bell: () => ({ element: document.getElementById("bell"), url: document.getElementById("bell")?.dataset.refresh, swap: "outerMorph" }),
  };

  function versionIn(text) {
    const found = /id="memory(?:-now)?"[^>]*data-version="(\d+)"/.exec(text);
    return found ? Number(found[1]) : null;
  }

  // Answers can overtake each other: what is older than what is shown is dropped.
  function outdated(text) {
    const version = versionIn(text);
    const memory = document.getElementById("memory");
    return version !== null && memory !== null && version < Number(memory.dataset.version);
  }

  // What the server need not tell again, and what it must not take away: cards in which something was typed.
  const typed = (field) => !["hidden", "submit"].includes(field.type) && (field.checked !== field.defaultChecked
    || (field.tagName === "SELECT" ? [...field.options].some((option) => option.selected !== option.defaultSelected)
      : field.value !== field.defaultValue && !["radio", "checkbox"].includes(field.type)));
  const used = (form) => form.contains(document.activeElement) || [...form.elements].some(typed);

  function known() {
    const cards = [];
    for (const card of document.querySelectorAll("#memory [data-card]")) {
      const forms = [...card.querySelectorAll("details[open] > form")];
      const form = forms.find(used) || (card.dataset.kept !== undefined && forms[0]);
      // The card, and which of its forms it is: "sl-facts-bairro:resolve".
      if (form) cards.push(`${card.id}:${form.parentElement.id.slice(card.id.length + 1)}`);
      else if (card.dataset.kept !== undefined) cards.push(card.id);
    }
    const version = document.getElementById("memory")?.dataset.version;
    return { ...(version && { "Lastro-Seen": version }), ...(cards.length && { "Lastro-Keep": cards.join(" ") }) };
  }

  function atEnd(scroll) {
    return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  }

  const things = { memory: "#memory [data-card]", transcript: "#stream [data-number]" };
  const ids = (name) => new Set(things[name] ? [...document.querySelectorAll(things[name])].map((thing) => thing.id) : []);

  async function refresh(name) {
    if (underWay.has(name)) {
      again.add(name);
      return;
    }
    underWay.set(name, true);
    try {
      const { element, url, swap } = parts[name]();
      if (!element || !url) return;
      const pane = element.dataset.pane;
      const started = performance.now();
      const headers = { "HX-Request": "true", Accept: "text/html", ...(name === "memory" && known()) };
      const response = await fetch(url, { headers, credentials: "same-origin" });
      if (!response.ok) {
        document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: response.status } }));
        return;
      }
      const text = await response.text();
      const took = performance.now() - started;
      if (!element.isConnected || element.dataset.pane !== pane) {
        again.add(name); // another pane is shown meanwhile, and that one has not heard of this
        return;
      }
      if (outdated(text)) return;
      const scroll = element.closest(".scroll");
      const stick = name === "transcript" && atEnd(scroll);
      const last = element.querySelector("[data-number]:last-of-type")?.id;
      const before = ids(name);
      // A contact that is being changed goes by what its form began with: nobody overwrites what they have not read.
      const form = name === "customer" && [...element.querySelectorAll("details[open] > form")].find(used);
      const begun = form && form.elements.seen.value;
      await htmx.swap({ text, target: element, swap, sourceElement: element });
      if (form?.isConnected) form.elements.seen.value = begun;
      const fresh = [...ids(name)].some((id) => !before.has(id));
      const told = Boolean(document.getElementById("memory")?.dataset.told);
      document.dispatchEvent(new CustomEvent("lastro:refreshed", { detail: { name, stick, last, took, fresh, told } }));
    } catch {
      // The connection is gone: live.js shows that, and asks again once it is back.
    } finally {
      underWay.delete(name);
      if (again.delete(name)) refresh(name);
    }
  }

  document.addEventListener("lastro:refresh", (event) => {
    for (const name of event.detail.parts) {
      if (name === "transcript" && !document.getElementById("stream")) continue;
      refresh(name);
    }
  });

  // A decision's answer is the pane as well.
  document.addEventListener("htmx:config:request", (event) => {
    const { ctx } = event.detail;
    if (ctx.target?.id === "memory" || ctx.target === "#memory") Object.assign(ctx.request.headers, known());
  });

  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (ctx.text && outdated(ctx.text)) event.preventDefault();
  });

  // The answer to a decision may bring no more than what it changed. The forms that stayed go on from the new version; and
  // where the cards are not those that should be there, the pane is asked for whole.
  document.addEventListener("htmx:after:swap", () => {
    const memory = document.getElementById("memory");
    const now = document.getElementById("memory-now");
    if (!memory || !now || memory.dataset.version === now.dataset.version) return;
    memory.dataset.version = now.dataset.version;
    for (const field of memory.querySelectorAll("input[name=expected_version]")) field.value = now.dataset.version;
    const shown = [...memory.querySelectorAll("[data-card]")].map((one) => one.id);
    const meant = new Set(now.dataset.cards.split(" "));
    if (shown.length === meant.size && shown.every((id) => meant.has(id))) return;
    document.dispatchEvent(new CustomEvent("lastro:refresh", { detail: { parts: ["memory"] } }));
  });

  // How far the model has read stands above the conversation; the memory pane brings it.
  document.addEventListener("htmx:after:swap", () => {
    const note = document.getElementById("read-note");
    const words = document.getElementById("memory")?.dataset.readNote;
    if (note && words && note.textContent !== words) note.textContent = words;
  });

  // A decision moves marks in the conversation and counts in the queue as well.
  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail;
    if (ctx.request?.method === "POST" && ctx.response?.status < 400 && document.body.dataset.ticket) {
      document.dispatchEvent(new CustomEvent("lastro:refresh", { detail: { parts: ["transcript", "queue"] } }));
    }
  });
})();
