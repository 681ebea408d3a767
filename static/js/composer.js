// What is being written is kept on the server as it is typed; and the small forms that act at once.
(() => {
  const wait = 700;
  let timer = null;
  let kept = null;
  let unkept = false;

  document.body.classList.add("scripted");

  const form = () => document.getElementById("composer");

  async function keep() {
    const composer = form();
    if (!composer) return;
    const note = document.getElementById("draft-note");
    const body = new FormData(composer);
    const now = `${body.get("kind")}\n${body.get("text")}`;
    if (now === kept) return;
    try {
      const response = await fetch(composer.dataset.draft, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin", keepalive: true });
      if (response.status === 401) document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: 401 } }));
      if (!response.ok) throw new Error(String(response.status));
      kept = now;
      unkept = false;
      note.textContent = body.get("text") ? note.dataset.saved : "";
    } catch {
      unkept = true;
      note.textContent = note.dataset.failed;
    }
  }

  // What the rules find in a reply is asked for at each pause; an answer that was overtaken is dropped.
  let asking = 0;
  async function check() {
    const composer = form();
    if (!composer) return;
    asking += 1;
    const mine = asking;
    try {
      const response = await fetch(composer.dataset.check, { method: "POST", body: new FormData(composer), headers: { "HX-Request": "true" }, credentials: "same-origin" });
      if (!response.ok) return;
      const text = await response.text();
      const area = document.getElementById("reply-findings");
      if (mine !== asking || !area || form() !== composer) return;
      await atItsEnd(() => htmx.swap({ text, target: area, swap: "outerMorph", sourceElement: area }));
    } catch {
      // Without a connection nothing is found; sending asks again.
    }
  }

  // The composer grows upwards: whoever reads the newest message keeps it in view.
  async function atItsEnd(change) {
    const scroll = document.getElementById("transcript");
    const end = scroll && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
    await change();
    if (end) scroll.scrollTop = scroll.scrollHeight;
  }

  document.addEventListener("input", (event) => {
    if (!event.target.closest?.("#composer")) return;
    form().classList.remove("asks-again");
    clearTimeout(timer);
    timer = setTimeout(() => { keep(); check(); }, wait);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.altKey || event.ctrlKey || !event.target.closest?.("#composer")) return;
    const record = form().querySelector("[data-record]");
    if (!record) return;
    event.preventDefault();
    record.click();
  });
  // What a browser's helpers left in a field's style would be copied to the new form, and the policy refuses that.
  document.addEventListener("htmx:before:swap", () => {
    for (const field of form()?.querySelectorAll("[style]") ?? []) field.removeAttribute("style");
  });
  // After it was sent, or held, one goes on writing.
  document.addEventListener("htmx:after:swap", (event) => {
    const { target } = event.detail.ctx;
    if (target?.id !== "composer" && target !== "#composer") return;
    asking += 1;
    if (document.activeElement === document.body) form()?.querySelector("textarea").focus();
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id === "composer") clearTimeout(timer);
  });
  // A card may word a question or a note: it is written below what stands there, and sent by nobody but the person.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-compose]");
    const composer = form();
    if (!button || !composer) return;
    event.preventDefault(); // without this script it is a form
    const field = composer.querySelector("textarea");
    const begun = field.value.trimEnd();
    const { compose, composeMore: more } = button.dataset;
    // A second value to confirm joins the question that stands there: one question can be answered by one yes.
    const start = compose.slice(0, compose.indexOf(":") + 1);
    if (more && begun.split("\n").at(-1).startsWith(start) && begun.endsWith("?")) {
      if (!begun.includes(more.slice(2, -1))) field.value = begun.slice(0, -1) + more;
    } else field.value = begun ? `${begun}\n${compose}` : compose;
    composer.querySelector(`[name=kind][value=${button.dataset.composeKind}]`).checked = true;
    document.dispatchEvent(new CustomEvent("lastro:show", { detail: { pane: "talk" } }));
    button.closest("details.canned")?.removeAttribute("open");
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && timer) keep();
  });
  document.addEventListener("lastro:signed-in", keep);
  // What was decided meanwhile may bear on what is being written.
  let version = document.getElementById("memory")?.dataset.version;
  document.addEventListener("lastro:refreshed", () => {
    const now = document.getElementById("memory")?.dataset.version;
    if (now === version) return;
    version = now;
    if (form()?.querySelector("textarea").value.trim()) check();
  });
  // A draft that could not be kept is all that leaving would lose.
  window.addEventListener("beforeunload", (event) => { if (unkept && form()?.querySelector("textarea").value.trim()) event.preventDefault(); });

  // The look: applied at once, remembered by the server.
  document.addEventListener("submit", (event) => {
    const look = event.target.closest("[data-look]");
    if (!look || !event.submitter) return;
    event.preventDefault();
    const { name, value } = event.submitter;
    const body = new FormData(look, event.submitter);
    if (name === "theme") {
      document.documentElement.dataset.theme = value;
      for (const button of look.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.value === value));
    }
    if (name === "queue") {
      document.body.dataset.queue = value;
      event.submitter.value = value === "closed" ? "open" : "closed";
    }
    fetch(look.action, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin" });
  });
  document.addEventListener("change", (event) => {
    event.target.closest("[data-submit-on-change]")?.requestSubmit();
  });
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(".menu[open]")) menu.open = menu.contains(event.target);
    const canned = document.getElementById("canned");
    if (canned?.open && !event.target.closest("#canned")) canned.open = false;
  });

  // What this person has seen, for "since you opened".
  if (document.body.dataset.seen && form()) {
    // The form's token as it is then: another sign-in brings another.
    const token = () => document.querySelector("[name=csrfmiddlewaretoken]").value;
    const seen = () => fetch(document.body.dataset.seen, { method: "POST", headers: { "X-CSRFToken": token() }, credentials: "same-origin", keepalive: true }).catch(() => undefined);
    let looking = null;
    const look = () => {
      clearTimeout(looking);
      if (document.visibilityState === "visible") looking = setTimeout(seen, 1500);
    };
    look();
    // What arrives while one looks is seen as well; a page in the background sees nothing.
    document.addEventListener("lastro:refreshed", look);
    document.addEventListener("visibilitychange", look);
  }
})();
