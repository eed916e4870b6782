// @ts-check
/** The entry that anywidget calls: render({ model, el }) draws two runs side by side. */
/** @import { Model } from "./player.js" */
import { Comparison } from "./comparison.js";
import { showFailure } from "./failure.js";

/**
 * @param {{ model: Model, el: HTMLElement }} host
 * @returns {() => void} takes everything back
 */
function render({ model, el }) {
  /** @type {Comparison | null} */
  let comparison = null;
  try {
    comparison = new Comparison(model, el);
  } catch (error) {
    showFailure(el, error);
  }
  const follow = () => comparison?.followHost();
  model.on("change:steps", follow);
  return () => {
    model.off("change:steps", follow);
    comparison?.close();
    el.replaceChildren();
  };
}

export default { render };
