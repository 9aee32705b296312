"use strict";
(() => {
  const filter = document.getElementById("filter");
  const told = document.getElementById("filtered");
  const items = Array.from(document.getElementById("list").children);
  const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  let texts = null;
  let waiting = 0;

  const apply = () => {
    waiting = 0;
    const words = plain(filter.value).split(/\s+/).filter(Boolean);
    texts ??= items.map((item) => plain(item.textContent));
    let left = 0;
    items.forEach((item, at) => {
      const shown = words.every((word) => texts[at].includes(word));
      if (item.hidden === shown) item.hidden = !shown;
      left += shown;
    });
    told.textContent = words.length ? `${left} of ${items.length}` : `${items.length}`;
  };

  // A link to this page may say which words to filter by, "#q=two+words", or which memory to open, "#memory-m_1".
  const follow = () => {
    const name = location.hash.slice(1);
    if (name.startsWith("q=")) {
      filter.value = new URLSearchParams(name).get("q");
      apply();
      return;
    }
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(name));
    } catch {
      return;
    }
    if (!target) return;
    target.hidden = false;
    const details = target.querySelector("details");
    if (details && target.parentElement.id === "list") details.open = true;
    target.scrollIntoView();
  };

  filter.form.hidden = false;
  filter.form.addEventListener("submit", (event) => event.preventDefault());
  filter.addEventListener("input", () => {
    waiting ||= requestAnimationFrame(apply);
  });
  window.addEventListener("hashchange", follow);
  follow();
})();
