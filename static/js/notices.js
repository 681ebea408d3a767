// What went wrong, said where it is seen, what was just done, and what one is reminded of. Other scripts speak through
// events: lastro:notice {kind} and lastro:announce {text}.
(() => {
  const notices = document.getElementById("notices");
  const announcer = document.getElementById("announce");
  const toastTime = 10_000;

  function say(text) {
    announcer.textContent = "";
    // A screen reader hears a change, not a text that was there already.
    requestAnimationFrame(() => { announcer.textContent = text; });
  }

  // One at a time in each place. It closes itself, and offers to be closed or leads where `act` does.
  function put(place, words, act, { bad = false, time = toastTime } = {}) {
    const toast = document.createElement("div");
    toast.className = bad ? "toast bad" : "toast";
    const text = document.createElement("span");
    text.textContent = words;
    const way = document.createElement(act.href ? "a" : "button");
    way.className = "btn";
    Object.assign(way, act.href ? act : { type: "button", ...act });
    if (!act.href) way.addEventListener("click", () => toast.remove());
    toast.append(text, way);
    place.replaceChildren(toast);
    if (time) setTimeout(() => toast.remove(), time);
  }

  function notice(kind) {
    const words = notices.dataset[kind] || notices.dataset.failed;
    if (kind === "expired") {
      // In another tab: this page, with all that is typed in it, goes on once somebody is signed in there.
      const href = `${document.body.dataset.login}?next=${encodeURIComponent(location.pathname + location.search)}`;
      put(notices, words, { href, target: "_blank", rel: "noopener", textContent: notices.dataset.signIn }, { bad: true, time: 0 });
    } else put(notices, words, { textContent: notices.dataset.close }, { bad: true });
  }

  // A reminder that comes while a page is open is said once, with the way to it.
  let reminded = document.getElementById("bell")?.dataset.newsId || "";
  document.addEventListener("lastro:refreshed", (event) => {
    const bell = document.getElementById("bell");
    if (event.detail.name !== "bell" || !bell.dataset.newsId || bell.dataset.newsId === reminded) return;
    reminded = bell.dataset.newsId;
    put(notices, bell.dataset.news, { href: bell.href, textContent: bell.dataset.open }, { time: 2 * toastTime });
  });

  function kindOf(status) {
    if (status === 401) return "expired";
    if (status === 403) return "denied";
    if (status === 404) return "missing";
    if (status === 429) return "often";
    return "failed";
  }

  // What a colleague decided is said once, where own decisions are said, until somebody closes it or time is up.
  const news = document.getElementById("news");
  let last = "";
  function tellOthers() {
    const memory = document.getElementById("memory");
    const told = memory?.dataset.told || "";
    const said = told && `${memory.dataset.version} ${told}`;
    if (!told || said === last) return;
    last = said;
    put(news, told, { textContent: news.dataset.close, className: "btn quiet" }, { time: 2 * toastTime });
    say(told);
  }

  // A toast says what was done and offers the way back; after ten seconds it goes.
  const seen = new WeakSet();
  function watchToasts() {
    for (const toast of document.querySelectorAll("[data-toast]")) {
      if (seen.has(toast)) continue;
      seen.add(toast);
      say(toast.dataset.announce);
      setTimeout(() => toast.remove(), toastTime);
    }
  }

  document.addEventListener("htmx:response:error", (event) => {
    const { status } = event.detail.ctx.response;
    // 400, 409 and 422 answer with the card and its problem: they are swapped in like any answer.
    if (![400, 409, 422].includes(status)) notice(kindOf(status));
  });
  // A refusal without words takes nothing off the page: what is shown, and typed, stays.
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (ctx.response?.status !== 409 || ctx.text?.trim()) return;
    event.preventDefault();
    notice("erased");
  });
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx && !event.detail.ctx.response) notice("failed");
  });
  document.addEventListener("htmx:after:swap", () => { tellOthers(); watchToasts(); });
  document.addEventListener("lastro:signed-in", (event) => {
    notices.replaceChildren();
    if (!event.detail?.quiet) say(announcer.dataset.signedIn);
  });
  document.addEventListener("lastro:notice", (event) => notice(event.detail.kind || kindOf(event.detail.status)));
  document.addEventListener("lastro:announce", (event) => say(event.detail.text));
  // The field that a refused form opens at has the focus already; the styles that came after it have moved it out of sight.
  addEventListener("load", () => document.querySelector("main form [autofocus]")?.scrollIntoView({ block: "center" }));
  watchToasts();
})();
