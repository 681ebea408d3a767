// What others do arrives by itself: one stream of events, and asking now and then where there is none.
// Other scripts speak through events: lastro:here {people} goes out, lastro:signed-in {} comes in.
(() => {
  const state = document.getElementById("live");
  const words = document.getElementById("announce").dataset;
  const { live, news, ticket, whose, member } = document.body.dataset;
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const pollEvery = 5_000;
  const silence = 35_000; // three signs of life that did not come
  let last = document.body.dataset.known || ""; // the last event that this page knows of
  let tag = "";
  let source = null;
  let tries = 0;
  let again = null;
  let poll = null;
  let asking = false;
  let alive = 0;
  let ended = false; // the session has
  document.body.dataset.tab = tab;

  const address = (path) => `${path}?${new URLSearchParams({ ...(ticket && { ticket }), tab, after: last })}`;
  // Pages that were cut off together do not come back together.
  const about = (wait) => wait * (0.7 + 0.6 * Math.random());

  function tell(kind) {
    state.hidden = false;
    state.dataset.state = kind === "on" ? "on" : kind === "off" ? "off" : "wait";
    const text = state.dataset[kind];
    if (state.firstElementChild.textContent !== text) state.firstElementChild.textContent = text;
  }

  const announce = (text) => document.dispatchEvent(new CustomEvent("lastro:announce", { detail: { text } }));

  // --- what is asked again ----------------------------------------------------------------------------------------

  const due = new Set();
  let waiting = null;
  let queueAfter = 0; // the queue is one request for every ticket's news: it is asked for at intervals
  let queueWaits = null;

  function flush() {
    waiting = null;
    if (document.hidden || !due.size) return; // a page that nobody looks at asks once it is looked at
    document.dispatchEvent(new CustomEvent("lastro:refresh", { detail: { parts: [...due] } }));
    if (due.has("queue")) queueAfter = performance.now() + about(5_000);
    due.clear();
  }

  // Several events in a row are one refresh.
  function want(...parts) {
    for (const part of parts) due.add(part);
    waiting ||= setTimeout(flush, 120);
  }

  function wantQueue() {
    if (queueWaits) return;
    queueWaits = setTimeout(() => { queueWaits = null; want("queue"); }, Math.max(queueAfter - performance.now(), 0));
  }

  function everything() {
    want("queue", "bell", ...(ticket ? ["memory", "transcript", "customer"] : []));
  }

  // A server that answers slowly is asked less often.
  document.addEventListener("lastro:refreshed", (event) => {
    if (event.detail.name === "queue") queueAfter = performance.now() + about(Math.min(Math.max(40 * event.detail.took, 5_000), 60_000));
  });

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    mark("");
    flush();
    if (!ended && (!source || Date.now() - alive > silence)) connect();
  });

  // --- what is said about it --------------------------------------------------------------------------------------

  const title = document.title;
  let spoken = false; // somebody else wrote a message that is still to be shown

  function mark(sign) {
    document.title = sign + title;
  }

  function heard(item) {
    if (item.kind === "reminder") {
      want("bell");
      return;
    }
    wantQueue();
    if (whose && item.customer === whose) want("customer");
    if (item.ticket !== ticket) return;
    const mine = String(item.member) === member;
    if (mine && item.kind === "decision") {
      // Its own answer brings what it changed; only where that was not for this page is anything asked for.
      setTimeout(() => {
        if (item.version > Number(document.getElementById("memory")?.dataset.version)) want("memory", "transcript");
      }, 1500);
      return;
    }
    want("memory", "transcript");
    if (mine) return;
    spoken ||= item.kind === "message";
    // A reading that begins, or ends without a result, is no news for people.
    if (document.hidden && item.kind !== "run") mark("• ");
  }

  document.addEventListener("lastro:refreshed", (event) => {
    const { name, fresh, told } = event.detail;
    if (name === "transcript" && fresh && spoken) announce(words.message);
    if (name === "transcript") spoken = false;
    if (name === "memory" && fresh && !told) announce(words.proposal);
  });

  // --- the stream -------------------------------------------------------------------------------------------------

  function close() {
    source?.close();
    source = null;
    clearTimeout(again);
  }

  function later(wait) {
    clearTimeout(again);
    again = setTimeout(connect, about(wait));
  }

  function failed() {
    close();
    if (ended) return;
    tries += 1;
    tell(tries > 3 ? "poll" : "off");
    ask(); // it says whether the session has ended, and brings what was missed
    if (tries > 3) poll ||= setInterval(ask, about(pollEvery));
    later(Math.min(1_000 * 2 ** (tries - 1), 30_000));
  }

  function connect() {
    close();
    if (!window.EventSource) {
      tell("poll");
      poll ||= setInterval(ask, about(pollEvery));
      return;
    }
    const opened = new EventSource(address(live));
    source = opened;
    alive = Date.now();
    const on = (kind, act) => opened.addEventListener(kind, (event) => {
      if (source !== opened) return;
      alive = Date.now();
      if (event.lastEventId) last = event.lastEventId;
      act?.(JSON.parse(event.data));
    });
    on("ready", ({ whole, here: people }) => {
      if (tries > 0) announce(words.back);
      tries = 0;
      clearInterval(poll);
      poll = null;
      tell("on");
      if (!whole) everything();
      meet(people);
      document.dispatchEvent(new CustomEvent("lastro:connected"));
    });
    on("news", heard);
    on("here", (said) => meet(said.here));
    on("beat");
    on("again", connect);
    opened.addEventListener("error", () => { if (source === opened) failed(); });
  }

  // Whoever is alone here needs nothing that shows the others.
  let present = [];
  const here = () => document.dispatchEvent(new CustomEvent("lastro:here", { detail: { people: present } }));
  document.addEventListener("lastro:who", here);
  function meet(people) {
    present = people;
    if (people.some((person) => String(person.id) !== member)) document.getElementById("here")?.dispatchEvent(new CustomEvent("lastro:need", { bubbles: true }));
    here();
  }

  // --- asking now and then ----------------------------------------------------------------------------------------

  async function ask() {
    if (asking || ended || (document.hidden && poll)) return;
    asking = true;
    try {
      const headers = { "HX-Request": "true", ...(tag && { "If-None-Match": tag }) };
      const response = await fetch(address(news), { headers, credentials: "same-origin", cache: "no-store" });
      if (response.status === 401) document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: 401 } }));
      if (response.status !== 200) return;
      tag = response.headers.get("ETag") || "";
      const answer = await response.json();
      last = answer.after || last;
      if (answer.whole) answer.news.forEach(heard);
      else everything();
      meet(answer.here);
    } catch {
      // No connection at all: the state says so already.
    } finally {
      asking = false;
    }
  }

  setInterval(() => { if (source && Date.now() - alive > silence) failed(); }, 5_000);
  window.addEventListener("pagehide", close);
  window.addEventListener("offline", () => { tries = Math.max(tries, 1); close(); tell("off"); });
  window.addEventListener("online", () => { if (!ended) connect(); });
  document.addEventListener("lastro:notice", (event) => {
    if (event.detail.status !== 401) return;
    ended = true;
    close();
    clearInterval(poll);
    poll = null;
    tell("ended");
  });
  document.addEventListener("lastro:signed-in", () => {
    ended = false;
    connect();
    everything();
  });
  tell("wait");
  connect();
})();
