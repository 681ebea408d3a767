// What others do arrives by itself: one stream of events, a poll where there is none.
(() => {
  const state = document.getElementById("live");
  const { live, ticket, member } = document.body.dataset;
  const pollEvery = 5_000;
  let source = null;
  let tries = 0;
  let poll = null;
  let waiting = null;
  const due = new Set();

  function tell(kind) {
    state.hidden = false;
    state.dataset.state = kind === "on" ? "on" : kind === "off" ? "off" : "wait";
    const words = state.dataset[kind];
    if (state.firstElementChild.textContent !== words) state.firstElementChild.textContent = words;
  }

  // Several events in a row are one refresh.
  function want(...parts) {
    for (const part of parts) due.add(part);
    waiting ||= setTimeout(() => {
      waiting = null;
      document.dispatchEvent(new CustomEvent("lastro:refresh", { detail: { parts: [...due] } }));
      due.clear();
    }, 120);
  }

  function everything() {
    want("queue", ...(ticket ? ["memory", "transcript"] : []));
  }

  function heard(event) {
    const news = JSON.parse(event.data);
    if (news.ticket !== ticket) {
      want("queue");
      return;
    }
    const shown = Number(document.getElementById("memory")?.dataset.version);
    const mine = String(news.member) === member;
    if (mine && news.kind === "decision" && news.version <= shown) {
      want("queue");
      return;
    }
    everything();
    if (!mine && news.text) document.dispatchEvent(new CustomEvent("lastro:announce", { detail: { text: news.text } }));
  }

  function startPolling() {
    poll ||= setInterval(everything, pollEvery);
  }

  function connect() {
    if (!window.EventSource) {
      tell("poll");
      startPolling();
      return;
    }
    source = new EventSource(ticket ? `${live}?ticket=${encodeURIComponent(ticket)}` : live);
    source.addEventListener("ready", () => {
      // Whatever happened while there was no connection is asked for once.
      if (tries > 0) everything();
      tries = 0;
      clearInterval(poll);
      poll = null;
      tell("on");
    });
    source.addEventListener("news", heard);
    source.addEventListener("error", () => {
      tries += 1;
      tell(tries > 3 ? "poll" : "off");
      if (tries > 3) startPolling();
      if (source.readyState === EventSource.CLOSED) {
        source.close();
        setTimeout(connect, Math.min(1000 * 2 ** tries, 30_000));
      }
    });
  }

  window.addEventListener("pagehide", () => source?.close());
  window.addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
  window.addEventListener("offline", () => tell("off"));
  tell("wait");
  connect();
})();
