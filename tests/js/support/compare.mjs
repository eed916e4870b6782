/** The comparison's module under test, and a comparison in a jsdom page. */
import { readFileSync } from "node:fs";
import { openPage } from "./player.mjs";
import { stubModel } from "./stub_model.mjs";

const PAYLOADS = process.env.CTXLAB_PAYLOADS;

// As anywidget loads it: from a text.
export const compare = await import(
  `data:text/javascript,${encodeURIComponent(readFileSync(`${PAYLOADS}/compare.js`, "utf8"))}`
);

export const comparison = (name) => JSON.parse(readFileSync(`${PAYLOADS}/compare/${name}.json`, "utf8"));

/** Draws a comparison. `changes` replace parts of the state. */
export function openComparison(name, changes = {}) {
  const dom = openPage();
  const el = document.createElement("div");
  document.body.append(el);
  const model = stubModel({ ...comparison(name), ...changes });
  const cleanup = compare.default.render({ model, el });
  const root = el.querySelector(".ctx-compare");
  const find = (selector) => el.querySelector(selector);
  const all = (selector) => [...el.querySelectorAll(selector)];
  return {
    dom,
    el,
    model,
    cleanup,
    root,
    find,
    all,
    text: (selector) => find(selector)?.textContent ?? "",
    steps: () => model.get("steps"),
    sides: all(".ctx-side > .ctx-player"),
    press(key, target = root, options = {}) {
      const init = { key, bubbles: true, cancelable: true, ...options };
      const event = new dom.window.KeyboardEvent("keydown", init);
      target.dispatchEvent(event);
      return event;
    },
    button: (move) => find(`.ctx-compare > .ctx-transport [data-move="${move}"]`),
  };
}
