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

  // What a form of the dialog is refused is told in it, beside what was typed; what is done leads to the page.
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest?.("#over .hand form");
    const button = event.submitter;
    if (!form || button?.formMethod === "dialog" || form.dataset.plain !== undefined) return;
    event.preventDefault();
    if (form.dataset.sent !== undefined) return;
    form.dataset.sent = "";
    const body = new URLSearchParams(new FormData(form));
    if (button?.name) body.append(button.name, button.value);
    let response;
    try {
      response = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin" });
    } catch {
      document.dispatchEvent(new CustomEvent("lastro:notice", { detail: { status: 0 } }));
      delete form.dataset.sent;
      return;
    }
    if (response.redirected) {
      location.assign(response.url);
    } else if ([400, 409].includes(response.status)) {
      const dialog = form.closest("dialog");
      await htmx.swap({ text: await response.text(), target: dialog, swap: "innerHTML", sourceElement: dialog });
      dialog.querySelector(".row :is(input, select, textarea)")?.focus();
    } else {
      // A session that ended, or anything else: the browser goes where the answer leads.
      form.dataset.plain = "";
      form.requestSubmit(button);
    }
  });
})();
