/** The module under test, and a comparison of strategies in a jsdom page. */
import { readFileSync } from "node:fs";
import { openPage } from "./player.mjs";
import { stubModel } from "./stub_model.mjs";

const PAYLOADS = process.env.CTXLAB_PAYLOADS;

// As anywidget loads it: from a text.
export const module = await import(
  `data:text/javascript,${encodeURIComponent(readFileSync(`${PAYLOADS}/strategies.js`, "utf8"))}`
);

export const strategies = (name) => JSON.parse(readFileSync(`${PAYLOADS}/strategies/${name}.json`, "utf8"));

/** Draws a comparison. `changes` replace parts of the state. */
export function openStrategies(name, changes = {}) {
  const dom = openPage();
  const el = document.createElement("div");
  document.body.append(el);
  const model = stubModel({ ...strategies(name), ...changes });
  const cleanup = module.default.render({ model, el });
  const find = (selector) => el.querySelector(selector);
  return {
    dom,
    el,
    model,
    cleanup,
    find,
    all: (selector) => [...el.querySelectorAll(selector)],
    text: (selector) => find(selector)?.textContent ?? "",
    texts: (selector) => [...el.querySelectorAll(selector)].map((node) => node.textContent),
    place: () => model.get("place"),
    press(key, options = {}, target = find(".ctx-strategies")) {
      const init = { key, bubbles: true, cancelable: true, ...options };
      const event = new dom.window.KeyboardEvent("keydown", init);
      target.dispatchEvent(event);
      return event;
    },
    row: (number) => find(`tr[data-strategy="${number}"]`),
    slide(turn) {
      const slider = find(".ctx-slider");
      slider.value = String(turn);
      slider.dispatchEvent(new dom.window.Event("input", { bubbles: true }));
    },
  };
}
