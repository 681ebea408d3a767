// A page that opens as a dialog over this one.
(() => {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-dialog]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const response = await fetch(link.href, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    if (!response.ok) {
      document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: response.status } }));
      return;
    }
    document.getElementById("over")?.remove();
    const dialog = document.createElement("dialog");
    dialog.id = "over";
    document.body.append(dialog);
    await htmx.swap({ text: await response.text(), target: dialog, swap: "innerHTML", sourceElement: dialog });
    dialog.showModal();
    dialog.addEventListener("close", () => dialog.remove());
  });
})();
