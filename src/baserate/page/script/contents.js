// The list of contents, which stays in sight and shows where the reader is.

import { $ } from "./content.js";

export function beginContents() {
  const list = $("contents");
  /** @type {Map<Element, HTMLAnchorElement>} */
  const links = new Map();
  for (const section of document.querySelectorAll("main > section")) {
    const head = section.querySelector("h2");
    if (!head) continue;
    if (!head.id) head.id = `${section.id}-head`;
    const link = Object.assign(document.createElement("a"), { href: `#${head.id}`, textContent: head.dataset.short ?? head.textContent });
    // The fragment of the address is taken: it keeps what the reader has chosen.
    link.addEventListener("click", (event) => {
      event.preventDefault();
      head.scrollIntoView();
      head.tabIndex = -1;
      head.focus({ preventScroll: true });
    });
    links.set(section, link);
    list.append(link);
  }
  for (const link of document.querySelectorAll("main a[href^='#']")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      document.querySelector(link.getAttribute("href") ?? "")?.scrollIntoView();
    });
  }
  /** @type {Set<Element>} */
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) { if (isIntersecting) seen.add(target); else seen.delete(target); }
    const first = [...links.keys()].find((section) => seen.has(section));
    for (const [section, link] of links) {
      if (section === first) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
    const current = first && links.get(first);
    if (current) list.scrollLeft = current.offsetLeft - list.clientWidth / 2 + current.offsetWidth / 2;
  }, { rootMargin: "-25% 0px -60% 0px" });
  for (const section of links.keys()) watcher.observe(section);
}
