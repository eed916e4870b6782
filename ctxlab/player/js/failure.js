// @ts-check
/** Failure: what stands in the place of a page that cannot be drawn. */
import { element } from "./elements.js";

/** @param {HTMLElement} el @param {unknown} error */
export function showFailure(el, error) {
  const said = error instanceof Error ? error.message : String(error);
  el.replaceChildren(element("div", { class: "ctx-player ctx-failed", role: "alert" }, said));
}
