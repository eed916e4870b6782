/** The diagnosis's module under test, and a diagnosis in a jsdom page. */
import { readFileSync } from "node:fs";
import { openPage } from "./player.mjs";
import { stubModel } from "./stub_model.mjs";

const PAYLOADS = process.env.CTXLAB_PAYLOADS;

// As anywidget loads it: from a text.
export const diagnose = await import(
  `data:text/javascript,${encodeURIComponent(readFileSync(`${PAYLOADS}/diagnosis.js`, "utf8"))}`
);

export const diagnosis = (name) => JSON.parse(readFileSync(`${PAYLOADS}/diagnosis/${name}.json`, "utf8"));

/** Draws a diagnosis. `changes` replace parts of the state. */
export function openDiagnosis(name, changes = {}) {
  const dom = openPage();
  const el = document.createElement("div");
  document.body.append(el);
  const model = stubModel({ ...diagnosis(name), ...changes });
  const cleanup = diagnose.default.render({ model, el });
  const root = el.querySelector(".ctx-diagnosis");
  const find = (selector) => el.querySelector(selector);
  return {
    dom,
    el,
    model,
    cleanup,
    root,
    find,
    all: (selector) => [...el.querySelectorAll(selector)],
    text: (selector) => find(selector)?.textContent ?? "",
    place: () => model.get("place"),
    press(key, options = {}) {
      const init = { key, bubbles: true, cancelable: true, ...options };
      const event = new dom.window.KeyboardEvent("keydown", init);
      root.dispatchEvent(event);
      return event;
    },
    button: (move) => find(`[data-move="${move}"]`),
    card: (position) => find(`.ctx-card[data-position="${position}"]`),
  };
}
