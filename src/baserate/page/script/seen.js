// What is in sight is drawn at once; the rest a moment later, so that the slider moves smoothly on a long page.

/** @type {Set<Element>} */
const near = new Set();
/** @type {Map<Element, () => void>} */
const waiting = new Map();
/** Until it is known what is in sight, everything is. */
let known = false;
let timer = 0;

const watcher = new IntersectionObserver((entries) => {
  known = true;
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) { near.delete(target); continue; }
    near.add(target);
    catchUp(target);
  }
});

/** @param {Element} element */
function catchUp(element) {
  const draw = waiting.get(element);
  waiting.delete(element);
  draw?.();
  tell();
}

/** So that programs can wait, too. */
function tell() {
  if (waiting.size) document.body.dataset.waiting = String(waiting.size);
  else delete document.body.dataset.waiting;
}

/** One after another, with time for the reader in between. */
function goOn() {
  const [next] = waiting.keys();
  if (!next) return;
  catchUp(next);
  timer = window.setTimeout(goOn);
}

/** @param {Element} element @param {() => void} draw */
export function whenSeen(element, draw) {
  watcher.observe(element);
  if (!known || near.has(element) || matchMedia("print").matches) { waiting.delete(element); draw(); return; }
  waiting.set(element, draw);
  tell();
  clearTimeout(timer);
  timer = window.setTimeout(goOn, 200);
}
