// The conversation: where it opens, jumps to quotes and back, windows, and the tabs of the narrow page.
(() => {
  const scroll = document.getElementById("transcript");

  function show(pane) {
    if (!document.body.dataset.show) return;
    document.body.dataset.show = pane;
    for (const tab of document.querySelectorAll("[data-show-pane]")) {
      if (tab.dataset.showPane === pane) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
  }

  // The slider through the versions says where it stands; the form's button goes there.
  document.addEventListener("input", (event) => {
    const form = event.target.closest?.("[data-versions]");
    if (form) form.querySelector("output").value = `v${event.target.value}`;
  });

  document.addEventListener("lastro:show", (event) => show(event.detail.pane));
  document.addEventListener("click", (event) => {
    const tab = event.target.closest?.("[data-show-pane]");
    if (!tab || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(tab.dataset.showPane);
    if (tab.dataset.showPane === "talk") toEnd();
  });

  if (!scroll) return;
  const stream = document.getElementById("stream");
  const newest = document.getElementById("newest");
  const toEnd = () => { scroll.scrollTop = scroll.scrollHeight; };

  function find(id) {
    const row = document.getElementById(id);
    if (!row) return false;
    for (const old of document.querySelectorAll(".msg.found")) old.classList.remove("found");
    row.classList.add("found");
    row.scrollIntoView({ block: "center" });
    return true;
  }

  // Words of a message outside the window: the window moves there.
  async function jump(id) {
    show("talk");
    if (find(id)) return;
    const url = new URL(scroll.dataset.window, location.href);
    url.searchParams.set("around", id.replace("m-", ""));
    const response = await fetch(url, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    if (!response.ok) {
      document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: response.status } }));
      return;
    }
    await htmx.swap({ text: await response.text(), target: stream, swap: "innerHTML", sourceElement: stream });
    find(id);
  }

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const quote = event.target.closest?.("[data-quote]");
    if (quote) {
      event.preventDefault();
      jump(quote.dataset.quote);
    }
    const link = event.target.closest?.("#newest");
    if (link) {
      event.preventDefault();
      if (document.getElementById("newer")) location.assign(location.pathname);
      else toEnd();
      link.hidden = true;
    }
  });
  window.addEventListener("hashchange", () => { if (/^#m-\d+$/.test(location.hash)) jump(location.hash.slice(1)); });
  scroll.addEventListener("scroll", () => {
    if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40) newest.hidden = true;
  }, { passive: true });

  // Older messages come in above: what is read stays where it is.
  let anchor = null;
  document.addEventListener("htmx:before:swap", (event) => {
    if (event.detail.ctx.sourceElement?.closest?.("#older")) anchor = scroll.scrollHeight - scroll.scrollTop;
  });
  document.addEventListener("htmx:after:swap", () => {
    if (anchor !== null) scroll.scrollTop = scroll.scrollHeight - anchor;
    anchor = null;
  });

  document.addEventListener("lastro:refreshed", (event) => {
    const { name, stick, last } = event.detail;
    if (name !== "transcript") return;
    if (stick) toEnd();
    else if (last !== stream.querySelector("[data-number]:last-of-type")?.id) newest.hidden = false;
  });

  const asked = location.hash.slice(1) || (scroll.dataset.focus ? `m-${scroll.dataset.focus}` : "");
  if (/^m-\d+$/.test(asked)) jump(asked);
  else toEnd();
})();
