// @ts-check
/** The entry that anywidget calls: render({ model, el }) draws what is wrong with one history. */
/** @import { Model } from "./player.js" */
import { Diagnosis } from "./diagnosis.js";
import { showFailure } from "./failure.js";

/**
 * @param {{ model: Model, el: HTMLElement }} host
 * @returns {() => void} takes everything back
 */
function render({ model, el }) {
  /** @type {Diagnosis | null} */
  let diagnosis = null;
  try {
    diagnosis = new Diagnosis(model, el);
  } catch (error) {
    showFailure(el, error);
  }
  const follow = () => diagnosis?.followHost();
  model.on("change:place", follow);
  return () => {
    model.off("change:place", follow);
    diagnosis?.close();
    el.replaceChildren();
  };
}

export default { render };
