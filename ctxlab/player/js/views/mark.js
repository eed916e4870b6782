// @ts-check
/** The mark of a card whose message has findings. */
import { element, icon } from "../elements.js";

/** A code as words, such as "orphan tool result". @param {string} code */
export const codeWords = (code) => code.replaceAll("_", " ");

/**
 * The first code in words, and how many more there are.
 * @param {string[]} codes @returns {HTMLElement | null}
 */
export function findingMark(codes) {
  if (!codes.length) return null;
  const more = codes.length > 1 ? ` +${codes.length - 1}` : "";
  const words = element("span", {}, codeWords(codes[0]));
  return element("span", { class: "ctx-chip ctx-is-error ctx-mark" }, icon("refused"), words, more);
}
