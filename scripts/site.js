// Names for landmarks that the theme leaves without one, so that a screen reader can tell them apart.
function nameLandmarks() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelector(".md-search__options")?.setAttribute("aria-label", "Search options");
  document.querySelectorAll(".md-code__nav").forEach((nav, k) => nav.setAttribute("aria-label", `Code ${k + 1}`));
  document.querySelectorAll("nav.md-nav[aria-label]").forEach((nav, k) => {
    nav.dataset.name ||= nav.getAttribute("aria-label");
    nav.setAttribute("aria-label", k ? `${nav.dataset.name} ${k + 1}` : nav.dataset.name);
  });
}
nameLandmarks();
new MutationObserver(nameLandmarks).observe(document.body, { childList: true, subtree: true });
