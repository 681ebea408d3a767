// Who else has this ticket open, and who edits which card. It comes with the live stream, once there is somebody else or
// something is written here; what this page's member does goes out as it begins and ends.
(() => {
  const { ticket, member, doing: address } = document.body.dataset;
  const list = document.getElementById("here");
  if (!ticket || !list) return;
  const words = list.dataset;
  const fields = "input:not([type=hidden]), textarea, select";
  let people = [];
  let told = "";
  let timer = null;

  const named = (pattern, names) => pattern.replace("{names}", new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(names));

  function faces() {
    const rows = people.map((person) => {
      const row = document.createElement("li");
      const face = document.createElement("span");
      const title = [person.name, person.doing.includes("reply") ? words.writing : ""].filter(Boolean).join(": ");
      row.className = person.doing.length ? "face busy" : "face";
      row.title = title;
      face.setAttribute("aria-hidden", "true");
      face.textContent = person.initials;
      const spoken = document.createElement("span");
      spoken.className = "sr";
      spoken.textContent = title;
      row.append(face, spoken);
      return row;
    });
    list.replaceChildren(...rows);
    list.hidden = !people.length;
    writes();
  }

  function writes() {
    const writing = people.filter((person) => person.doing.includes("reply")).map((person) => person.name);
    const note = document.getElementById("writing");
    const text = writing.length ? named(writing.length > 1 ? words.manyWrite : words.oneWrites, writing) : "";
    if (note && note.textContent !== text) note.textContent = text;
  }

  // A refresh of the pane takes the tags away: they are set again after each.
  function tags() {
    const busy = new Map();
    for (const person of people) {
      for (const id of person.doing) if (id !== "reply") busy.set(id, [...(busy.get(id) || []), person.name]);
    }
    for (const card of document.querySelectorAll("#memory [data-card]")) {
      const names = busy.get(card.id);
      let tag = card.querySelector(":scope > .busy-tag");
      if (!names) {
        tag?.remove();
        continue;
      }
      const text = named(names.length > 1 ? words.manyEdit : words.oneEdits, names);
      if (!tag) {
        tag = document.createElement("p");
        tag.className = "busy-tag";
        card.prepend(tag);
      }
      if (tag.textContent !== text) tag.textContent = text;
    }
  }

  document.addEventListener("lastro:here", (event) => {
    people = event.detail.people.filter((person) => String(person.id) !== member);
    faces();
    tags();
  });
  document.addEventListener("htmx:after:swap", () => { tags(); writes(); });

  // --- what I do ---------------------------------------------------------------------------------------------------

  function mine() {
    const field = document.activeElement?.closest?.(fields);
    const card = field?.closest("#memory [data-card] details[open]")?.closest("[data-card]");
    if (card) return card.id;
    if (field?.id === "reply" && field.value.trim()) return "reply";
    return "";
  }

  async function tell() {
    const now = mine();
    if (now === told) return;
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
    const body = new URLSearchParams({ doing: now, tab: document.body.dataset.tab, csrfmiddlewaretoken: token });
    told = now;
    try {
      const response = await fetch(address, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin" });
      if (!response.ok) told = "";
    } catch {
      told = ""; // said again once there is a connection
    }
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(tell, 400);
  }
  for (const kind of ["focusin", "focusout", "input", "toggle"]) document.addEventListener(kind, soon, true);
  document.addEventListener("htmx:after:swap", soon);
  document.addEventListener("lastro:connected", () => { told = ""; soon(); });
  document.dispatchEvent(new CustomEvent("lastro:who"));
  soon();
})();
