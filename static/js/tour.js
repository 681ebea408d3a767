// Rings what the stop of the tour speaks of, and brings it into view once; anew when the memory is drawn again.
(() => {
  const tour = document.getElementById("tour");
  if (!tour) return;

  function ring() {
    document.querySelector(".toured")?.classList.remove("toured");
    const meant = document.querySelector(tour.dataset.mark);
    meant?.classList.add("toured");
    return meant;
  }

  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  ring()?.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
  document.addEventListener("htmx:after:swap", ring);
})();
