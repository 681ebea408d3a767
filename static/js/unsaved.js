// Forms that are saved each by itself: what was typed in one and not saved is marked there, and leaving the page, another
// form's button included, asks first.
(() => {
  const unsaved = new Set();
  let sent = null;

  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-keep]");
    if (!form) return;
    unsaved.add(form);
    form.querySelector("[data-unsaved]").hidden = false;
    form.querySelector("[data-saved]")?.remove();
  });
  document.addEventListener("submit", (event) => { sent = event.target; });
  addEventListener("beforeunload", (event) => {
    const lost = [...unsaved].some((form) => form !== sent);
    sent = null; // whoever stays may leave by another way
    if (lost) event.preventDefault();
  });
})();
