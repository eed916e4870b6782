// @ts-check
/** The entry that anywidget calls: render({ model, el }) draws every strategy on one history. */
/** @import { Model } from "./player.js" */
import { showFailure } from "./failure.js";
import { StrategiesPage } from "./outcomes.js";

/**
 * @param {{ model: Model, el: HTMLElement }} host
 * @returns {() => void} takes everything back
 */
function render({ model, el }) {
  /** @type {StrategiesPage | null} */
  let page = null;
  try {
    page = new StrategiesPage(model, el);
  } catch (error) {
    showFailure(el, error);
  }
  const follow = () => page?.followHost();
  model.on("change:place", follow);
  return () => {
    model.off("change:place", follow);
    page?.close();
    el.replaceChildren();
  };
}

export default { render };
