// @ts-check
/** Text: what a reader may see of any string, however hostile. */

const GROUPED = new Intl.NumberFormat("en-US");

/** @param {number} n */
export const grouped = (n) => GROUPED.format(n);

/** "1 message", "1,001 messages". @param {number} n @param {string} noun */
export const counted = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

/**
 * Characters that change how a line reads without being seen: controls, bidi overrides, zero-width spaces,
 * tags, lone surrogates. Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji are written with them.
 */
const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffb\\ud800-\\udfff" +
    "\\u{e0000}-\\u{e007f}]",
  "gu",
);

/** @param {string} character */
const codePoint = (character) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/**
 * Splits a text into what can be shown as it is and what must be shown by its code point.
 * @param {string} text
 * @returns {{ text: string, unseen: boolean }[]}
 */
export function visibleParts(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), unseen: false });
    parts.push({ text: codePoint(match[0]), unseen: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), unseen: false });
  return parts;
}

/** A text as it may be shown, where it cannot be made of parts: in an attribute. @param {string} text */
export const visibleText = (text) =>
  visibleParts(text)
    .map((part) => part.text)
    .join("");

/** The length in characters as Python counts them. @param {string} text */
export function characters(text) {
  let n = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) n--;
  }
  return n;
}

/** The first characters of a text, never half of one. @param {string} text @param {number} limit */
export function head(text, limit) {
  return text.length <= limit
    ? text
    : Array.from(text.slice(0, 2 * limit))
        .slice(0, limit)
        .join("");
}

/**
 * What Python's str.isprintable calls unprintable: all but letters, marks, numbers, signs and the plain
 * space.
 */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/gu;

/** @param {string} character */
const escaped = (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/**
 * A string as a value in a sentence: in double quotes, on one line, cut with its length.
 * @param {string} text the string, or its first characters
 * @param {number} length characters of the whole string
 * @param {number} limit
 */
export function quoted(text, length, limit) {
  const shown = JSON.stringify(head(text, limit)).replace(UNPRINTABLE, escaped);
  return length > limit ? `${shown.slice(0, -1)}…" (${length} characters)` : shown;
}
