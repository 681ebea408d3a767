// What went wrong, said where it is seen, and what was just done. Other scripts speak through events:
// lastro:notice {kind} and lastro:announce {text}.
(() => {
  const notices = document.getElementById("notices");
  const announcer = document.getElementById("announce");
  const toastTime = 10_000;

  function say(text) {
    announcer.textContent = "";
    // A screen reader hears a change, not a text that was there already.
    requestAnimationFrame(() => { announcer.textContent = text; });
  }

  function notice(kind) {
    const words = notices.dataset[kind] || notices.dataset.failed;
    const toast = document.createElement("div");
    toast.className = "toast bad";
    const text = document.createElement("span");
    text.textContent = words;
    toast.append(text);
    if (kind === "expired") {
      const link = document.createElement("a");
      link.className = "btn";
      // In another tab: this page, with all that is typed in it, goes on once somebody is signed in there.
      link.target = "_blank";
      link.rel = "noopener";
      link.href = `${document.body.dataset.login}?next=${encodeURIComponent(location.pathname + location.search)}`;
      link.textContent = notices.dataset.signIn;
      toast.append(link);
    } else {
      const button = document.createElement("button");
      button.className = "btn";
      button.type = "button";
      button.textContent = notices.dataset.close;
      button.addEventListener("click", () => toast.remove());
      toast.append(button);
      setTimeout(() => toast.remove(), toastTime);
    }
    notices.replaceChildren(toast);
  }

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
    const toast = document.createElement("div");
    toast.className = "toast";
    const text = document.createElement("span");
    text.textContent = told;
    const button = document.createElement("button");
    button.className = "btn quiet";
    button.type = "button";
    button.textContent = news.dataset.close;
    button.addEventListener("click", () => toast.remove());
    toast.append(text, button);
    news.replaceChildren(toast);
    setTimeout(() => toast.remove(), 2 * toastTime);
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
  watchToasts();
})();
