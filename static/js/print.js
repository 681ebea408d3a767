// The one button of a page that is made to be printed.
(() => {
  const button = document.querySelector("[data-print]");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => window.print());
})();
