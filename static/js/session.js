// A session that ends while a page is open: nothing typed is lost, and nothing stays readable for whoever comes next.
(() => {
  const { session, login, member } = document.body.dataset;
  const tabs = window.BroadcastChannel ? new BroadcastChannel("lastro") : null;
  let ended = false;
  let asking = false;

  const toLogin = () => location.replace(login);

  // After signing in again, in another tab or in none, this page goes on: with the new token in its old forms.
  async function back() {
    if (!ended || asking) return;
    asking = true;
    try {
      const response = await fetch(session, { headers: { "HX-Request": "true" }, credentials: "same-origin", cache: "no-store" });
      if (!response.ok) return;
      const answer = await response.json();
      if (String(answer.member) !== member) {
        document.documentElement.dataset.away = "";
        location.replace("/"); // somebody else: none of this is theirs
        return;
      }
      for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = answer.token;
      ended = false;
      document.dispatchEvent(new CustomEvent("lastro:signed-in"));
    } catch {
      // No connection: asked again when the page is looked at.
    } finally {
      asking = false;
    }
  }

  document.addEventListener("lastro:notice", (event) => { if (event.detail.status === 401) ended = true; });
  document.addEventListener("htmx:response:error", (event) => { if (event.detail.ctx.response.status === 401) document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: 401 } })); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) back(); });
  window.addEventListener("focus", back);

  // A card that stayed for what was typed in it goes when its member says so.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-close-card]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    link.closest("[data-card]").remove();
    document.getElementById("memory-scroll")?.focus({ preventScroll: true });
  });

  // That text is on this page alone: the browser asks before it goes, but not on behalf of somebody who may not read it.
  window.addEventListener("beforeunload", (event) => {
    if (document.documentElement.dataset.away === undefined && document.querySelector("#memory [data-kept]")) event.preventDefault();
  });

  // Erased with its customer while the page was open: name, title and what was being written go at once, and what a reload
  // shows takes their place. Going back leads nowhere, and nobody is asked about text that may not stay.
  const erased = () => document.getElementById("memory")?.dataset.erased;
  const begun = erased();
  document.addEventListener("lastro:refreshed", () => {
    if (!erased() || erased() === begun) return;
    document.documentElement.dataset.away = "";
    document.getElementById("composer")?.remove();
    document.title = "Lastro";
    const address = new URL(location.href);
    address.searchParams.set("did", "erased");
    location.replace(address);
  });

  // Whoever signs out means this browser: its other pages go too. A page that opens says that somebody is signed in.
  // Where the server may not have a browser forget (no https), what scripts keep is taken away here.
  // Once more as the page goes: other scripts write down then where they were.
  const forget = () => {
    const all = () => { sessionStorage.clear(); localStorage.clear(); };
    all();
    window.addEventListener("pagehide", all);
  };
  // At once nothing is shown any more; it goes to the sign-in page once the other page's form has come through.
  async function leave() {
    document.documentElement.dataset.away = "";
    for (let tries = 0; tries < 40; tries += 1) {
      const response = await fetch(session, { headers: { "HX-Request": "true" }, credentials: "same-origin", cache: "no-store" }).catch(() => null);
      if (response?.status === 401) {
        toLogin();
        return;
      }
      await new Promise((done) => { setTimeout(done, 250); });
    }
    delete document.documentElement.dataset.away; // nobody was signed out after all
  }
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-sign-out]")) return;
    tabs?.postMessage("out");
    forget();
  });
  tabs?.addEventListener("message", (event) => {
    if (event.data === "out") {
      forget();
      leave();
    }
    if (event.data === "in") back();
  });
  tabs?.postMessage("in");

  // A page that comes back from the browser's memory shows nothing until it is known whose it is, and then what holds now.
  window.addEventListener("pagehide", () => { document.documentElement.dataset.away = ""; });
  window.addEventListener("pageshow", async (event) => {
    if (!event.persisted) return;
    try {
      const response = await fetch(session, { headers: { "HX-Request": "true" }, credentials: "same-origin", cache: "no-store" });
      if (!response.ok || String((await response.json()).member) !== member) {
        toLogin();
        return;
      }
    } catch {
      location.reload();
      return;
    }
    delete document.documentElement.dataset.away;
    document.dispatchEvent(new CustomEvent("lastro:signed-in", { detail: { quiet: true } }));
  });
})();
