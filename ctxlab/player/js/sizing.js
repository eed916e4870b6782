// @ts-check
/** Sizing: hearing of a new width. */

/**
 * Watches a node's size, where the page has a layout.
 * @param {HTMLElement} node @param {() => void} measure
 */
export function watchSize(node, measure) {
  if (typeof ResizeObserver === "undefined") return null;
  const observer = new ResizeObserver(measure);
  observer.observe(node);
  return observer;
}
