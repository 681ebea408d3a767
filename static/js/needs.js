// Styles and scripts that are seldom wanted come when they are: an element names in data-needs what it cannot do without.
// A press waits for it; a field that is entered, and words that are selected, ask for it. What is there is not asked twice.
(() => {
  const asked = new Map();

  function bring(address) {
    if (document.querySelector(`head :is([href="${address}"], [src="${address}"])`) && !asked.has(address)) return null;
    if (!asked.has(address)) {
      const part = document.createElement(address.includes(".css") ? "link" : "script");
      if (part.localName === "link") part.rel = "stylesheet";
      part[part.localName === "link" ? "href" : "src"] = address;
      asked.set(address, new Promise((done) => {
        part.addEventListener("load", () => { asked.set(address, null); done(); });
        // Without a connection it is asked for again next time.
        part.addEventListener("error", () => { asked.delete(address); part.remove(); done(); });
      }));
      document.head.append(part);
    }
    return asked.get(address);
  }

  // Styles first: a script may measure what they lay out. Null where all is there.
  function need(element) {
    const named = element.dataset.needs.split(" ");
    const styles = named.filter((address) => address.includes(".css")).map(bring).filter(Boolean);
    const scripts = named.filter((address) => !address.includes(".css"));
    if (styles.length) return Promise.all(styles).then(() => Promise.all(scripts.map(bring)));
    const missing = scripts.map(bring).filter(Boolean);
    return missing.length ? Promise.all(missing) : null;
  }

  document.addEventListener("click", async (event) => {
    const pressed = event.target.closest?.(":is(a, button, summary)[data-needs]");
    if (!pressed || event.ctrlKey || event.metaKey || pressed.dataset.waits !== undefined) return;
    const missing = need(pressed);
    if (!missing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    pressed.dataset.waits = "";
    await missing;
    pressed.click();
    delete pressed.dataset.waits;
  }, true);

  const enter = (element) => {
    const one = element?.closest?.("[data-needs]");
    if (one && !one.matches("a,button,summary")) need(one);
  };
  document.addEventListener("focusin", (event) => enter(event.target));
  document.addEventListener("lastro:need", (event) => enter(event.target));
  document.addEventListener("selectionchange", () => enter(getSelection().anchorNode?.parentElement));
})();
