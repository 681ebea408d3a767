// The queue keeps its place: which rows were asked for, how far it was scrolled, and the chosen row, while tickets are
// opened and on the way back. Only addresses and numbers are kept, and only in this tab; nothing of a ticket is.
(() => {
  const KEY = "lastro.queue";
  const scroll = () => document.getElementById("queue-scroll");
  // The address of the list with all the rows that are shown; later rows bring their own.
  const place = () => (document.querySelector("#more-tickets[data-place]") || scroll())?.dataset.place;

  function kept() {
    try {
      return JSON.parse(sessionStorage.getItem(KEY)) || {};
    } catch {
      return {};
    }
  }

  function keep() {
    const box = scroll();
    if (box && place()) sessionStorage.setItem(KEY, JSON.stringify({ place: place(), top: box.scrollTop }));
  }

  function restore() {
    const box = scroll();
    if (!box) return;
    const { place: then, top } = kept();
    if (then === place()) box.scrollTop = top;
    const row = box.querySelector("a[aria-current]");
    if (!row) return;
    const at = row.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    if (at.top < frame.top || at.bottom > frame.bottom) box.scrollTop += at.top - frame.top - frame.height / 3;
  }

  // Going back finds the list as it was left, with the rows that were asked for.
  document.addEventListener("click", (event) => {
    const row = event.target.closest?.("#tickets a:not(.btn)");
    if (!row) return;
    keep();
    sessionStorage.setItem(`${KEY}.row`, row.parentElement.id);
    if (document.body.classList.contains("list-only") && place()) history.replaceState(history.state, "", place());
  });

  // The list by itself knows no ticket; the row that was opened last is where the keyboard goes on.
  function point() {
    if (!document.body.classList.contains("list-only")) return;
    const row = document.getElementById(sessionStorage.getItem(`${KEY}.row`) || "")?.querySelector("a");
    if (!row || kept().place !== place()) return;
    row.classList.add("last");
    row.focus({ preventScroll: true });
  }

  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-submit-on-change]")) return;
    keep();
  });
  addEventListener("pagehide", keep);
  addEventListener("pageshow", () => { restore(); point(); });
})();
