// @ts-check
/** The path to a text in a message, such as "content[0].input.path". */
import { element } from "../elements.js";

/** A term that breaks before a step of the path, where it has to break. @param {string} path */
export const pathTerm = (path) =>
  element("dt", {}, ...path.split(/(?=[.[])/).flatMap((step) => [element("wbr"), step]));
