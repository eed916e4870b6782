// @ts-check
/** Elements: making DOM nodes, icons. */
import { counted, head, visibleParts } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";

/** Outlines on a 16 x 16 grid. @type {Record<string, string>} */
const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  step: "M5 3v10l7-5z",
  end: "M11 3h2v10h-2zM3 3v10l7-5z",
  over: "M2 11c0-3.6 2.4-6 5.5-6 2.2 0 4 1.2 5 3.1L14 7v5H9l2-1.9C10.3 8 9.1 7 7.5 7 5.3 7 3.8 8.6 3.8 11z",
  out: "M7.1 13V6.5H4L8 2l4 4.5H8.9V13z",
  previous: "M10.5 3.5 6 8l4.5 4.5-1.2 1.2L3.6 8l5.7-5.7z",
  next: "M5.5 3.5 10 8l-4.5 4.5 1.2 1.2L12.4 8 6.7 2.3z",
  runBack: "M8 3v10L2 8zM14 3v10L8 8z",
  run: "M8 3v10l6-5zM2 3v10l6-5z",
  kept: "M6.4 12.6 2.2 8.4l1.3-1.3 2.9 2.9 6.1-6.1 1.3 1.3z",
  trimmed: "M2 3.5h12v1.8H2zM2 7.1h7v1.8H2zM2 10.7h3.5v1.8H2z",
  summarised: "M2 2.5h1.8L8 7l4.2-4.5H14L8.9 8.4V14H7.1V8.4z",
  dropped: "M4 2.8 8 6.8l4-4L13.2 4l-4 4 4 4-1.2 1.2-4-4-4 4L2.8 12l4-4-4-4z",
  added: "M7.1 2.5h1.8v4.6h4.6v1.8H8.9v4.6H7.1V8.9H2.5V7.1h4.6z",
  now: "M2 7.1h7.2L6.4 4.3l1.3-1.2L12.5 8l-4.8 4.9-1.3-1.2 2.8-2.8H2z",
  text: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z",
  call: "M8 1.8 14.2 8 8 14.2 1.8 8z",
  result: "M3 3h10v10H3z",
  reasoning: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3zM8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z",
  other: "M8 2.5 14 13H2z",
  returned: "M6.4 12.6 2.2 8.4l1.3-1.3 2.9 2.9 6.1-6.1 1.3 1.3z",
  refused: "M5.3 2h5.4L14 5.3v5.4L10.7 14H5.3L2 10.7V5.3zm-.8 5.1v1.8h7V7.1z",
  error: "M4 2.8 8 6.8l4-4L13.2 4l-4 4 4 4-1.2 1.2-4-4-4 4L2.8 12l4-4-4-4z",
  step_limit: "M3 3h3.5v10H3zM9.5 3H13v10H9.5z",
  same: "M2.5 5h11v1.8h-11zM2.5 9.2h11V11h-11z",
  differs: "M2.5 5h6l1.2-2.6 1.5.7L10.3 5h3.2v1.8H9.5L8.4 9.2h5.1V11H7.6l-1.3 2.9-1.5-.7L5.8 11H2.5V9.2h4.1l1.1-2.4H2.5z",
  left: "M2 3h12v10H2zm6 1.6v6.8h4.4V4.6z",
  right: "M2 3h12v10H2zm1.6 1.6v6.8H8V4.6z",
  first: "M3 2h1.6v12H3zM5.6 3H13l-2 3 2 3H5.6z",
  open: "M5.5 3.5 10 8l-4.5 4.5 1.2 1.2L12.4 8 6.7 2.3z",
};

/**
 * Adds a text as it may be shown: what cannot be seen is marked by its code point.
 * @param {Element} node
 * @param {string} text
 */
function appendText(node, text) {
  for (const part of visibleParts(text)) {
    node.append(
      part.unseen ? element("span", { class: "ctx-unseen" }, document.createTextNode(part.text)) : part.text,
    );
  }
}

const FOCUSABLE = new Set(["button", "input", "summary", "textarea"]);

/**
 * A new element. Strings among the children may come from a trace: they are set as text, never as markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] true is "", false and
 *   null are left out
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value === true ? "" : String(value));
  }
  // JupyterLab and Notebook take keys in the capture phase, unless the focused element says otherwise.
  if (FOCUSABLE.has(tag) || "tabindex" in attributes)
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  if (tag === "button") node.setAttribute("type", "button");
  for (const child of children) {
    if (typeof child === "string") appendText(node, child);
    else if (child) node.append(child);
  }
  return node;
}

/** @param {string} name @param {Record<string, string>} attributes */
export function svgElement(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

/** @param {string} name a key of ICONS */
export function icon(name) {
  const svg = svgElement("svg", {
    class: "ctx-icon",
    viewBox: "0 0 16 16",
    "aria-hidden": "true",
    focusable: "false",
  });
  svg.append(svgElement("path", { d: ICONS[name] ?? ICONS.other, "fill-rule": "evenodd" }));
  return svg;
}

/** @type {WeakMap<Element, string>} */
const SHOWN = new WeakMap();

/** Replaces a text, if it is another one. @param {Element} node @param {string} text */
export function setText(node, text) {
  if (SHOWN.get(node) === text) return;
  SHOWN.set(node, text);
  node.replaceChildren();
  appendText(node, text);
}

/**
 * Sets an attribute, if it has another value; null removes it.
 * @param {Element} node
 * @param {string} name
 * @param {string | null} value
 */
export function setAttribute(node, name, value) {
  if (node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/** @param {EventTarget | null} target @param {string} selector @returns {HTMLElement | null} */
export const closest = (target, selector) => (target instanceof Element ? target.closest(selector) : null);

/** A number that no other player on the page has, whichever copy of this module drew it. */
export const uniqueId = () => `ctx-${Math.random().toString(36).slice(2, 10)}`;

/**
 * Scrolls as little as possible to something near by; what is further away comes into the upper part of the
 * view, where what follows it shows too. Sideways its beginning shows. Only the scroller itself moves.
 * @param {HTMLElement} scroller @param {HTMLElement} node @param {number} margin pixels above and below
 */
export function reveal(scroller, node, margin) {
  const outer = scroller.getBoundingClientRect();
  const inner = node.getBoundingClientRect();
  const top = inner.top - outer.top - scroller.clientTop;
  const left = inner.left - outer.left - scroller.clientLeft;
  const { clientHeight, clientWidth } = scroller;
  const above = margin - top;
  const below = top + inner.height + margin - clientHeight;
  if (Math.max(above, below) > clientHeight / 3) scroller.scrollTop += top - clientHeight / 3;
  else if (above > 0) scroller.scrollTop -= above;
  else if (below > 0) scroller.scrollTop += below;
  const right = left + inner.width - clientWidth;
  if (left < 0) scroller.scrollLeft += left - margin;
  else if (right > 0) scroller.scrollLeft += Math.max(0, Math.min(left - margin, right + margin / 2));
}

const CHARACTERS_OF_A_TEXT = 2000;

/** A long text cut for showing, with its length. @param {string} text @param {number} length */
export function cutText(text, length) {
  return length > CHARACTERS_OF_A_TEXT
    ? `${head(text, CHARACTERS_OF_A_TEXT)}… (${counted(length, "character")} in all)`
    : text;
}

/** @param {string} fate @param {string} word */
export const chip = (fate, word) => element("span", { class: `ctx-chip ctx-is-${fate}` }, icon(fate), word);
