// Lets an ordered list of sources be put in order by pointer. Dropping saves its form, as the buttons beside do.
(() => {
  function source(row) {
    return row.querySelector("input[name=source]").value;
  }

  function save(list, row) {
    const button = document.createElement("button");
    Object.assign(button, { type: "submit", name: "do", value: `place:${source(row)}`, hidden: true });
    list.append(button);
    list.closest("form").requestSubmit(button);
  }

  function enable(list) {
    let dragged = null;
    let before = [];
    let dropped = false;

    list.dataset.drag = "";
    for (const row of list.children) row.draggable = true;

    list.addEventListener("dragstart", (event) => {
      dragged = event.target.closest("li");
      before = [...list.children];
      dropped = false;
      dragged.dataset.dragged = "";
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", source(dragged));
    });
    list.addEventListener("dragover", (event) => {
      if (!dragged) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      const over = event.target.closest("li");
      if (!over || over === dragged) return;
      const box = over.getBoundingClientRect();
      // Past its middle, so that rows of different height do not jump to and fro under a still pointer.
      if (event.clientY > box.top + box.height / 2) over.after(dragged);
      else over.before(dragged);
    });
    list.addEventListener("drop", (event) => {
      if (!dragged) return;
      event.preventDefault();
      dropped = true;
    });
    list.addEventListener("dragend", () => {
      if (!dragged) return;
      const row = dragged;
      dragged = null;
      delete row.dataset.dragged;
      if (!dropped) list.replaceChildren(...before);
      else if (before.some((one, place) => one !== list.children[place])) save(list, row);
    });
  }

  document.querySelectorAll("[data-order]").forEach(enable);
})();
