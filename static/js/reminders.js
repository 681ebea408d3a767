// A reminder that comes while a page is open is said once, with the way to it.
(() => {
  const toastTime = 20_000;
  let told = document.getElementById("bell")?.dataset.newsId || "";

  document.addEventListener("lastro:refreshed", (event) => {
    if (event.detail.name !== "bell") return;
    const { news, newsId, open } = document.getElementById("bell").dataset;
    if (!newsId || newsId === told) return;
    told = newsId;
    const toast = document.createElement("div");
    toast.className = "toast";
    const words = document.createElement("span");
    words.textContent = news;
    const link = document.createElement("a");
    link.className = "btn";
    link.href = document.getElementById("bell").href;
    link.textContent = open;
    toast.append(words, link);
    document.getElementById("notices").replaceChildren(toast);
    setTimeout(() => toast.remove(), toastTime);
  });
})();
