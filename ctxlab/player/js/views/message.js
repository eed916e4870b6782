// @ts-check
/** A message in full. */
/** @import { Index } from "../index.js" */
import { textsOf } from "../histories.js";
import { cutText, element } from "../elements.js";
import { pathTerm } from "./path.js";

/** The texts of a message, folded. @param {string} title @param {Index} index @param {number} message */
export function details(title, index, message) {
  const texts = textsOf(index, message).map(({ path, text, length }) =>
    element("div", {}, pathTerm(path), element("dd", {}, cutText(text, length))),
  );
  return element(
    "details",
    { class: "ctx-details" },
    element("summary", {}, title),
    element("dl", { class: "ctx-texts" }, ...texts),
  );
}
