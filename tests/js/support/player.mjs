/** The module under test, real payloads, and a player in a jsdom page. */
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
import { stubModel } from "./stub_model.mjs";

const PAYLOADS = process.env.CTXLAB_PAYLOADS;
if (!PAYLOADS) throw new Error("CTXLAB_PAYLOADS is not set: run these tests with `pytest tests/js`");

// As anywidget loads it: from a text, each time as a module of its own.
let copies = 0;
export const freshModule = () =>
  import(
    `data:text/javascript,${encodeURIComponent(`${readFileSync(`${PAYLOADS}/player.js`, "utf8")}\n// copy ${copies++}`)}`
  );

export const player = await freshModule();

export const payload = (name) => JSON.parse(readFileSync(`${PAYLOADS}/${name}.json`, "utf8"));

export const indexOf = (name) => {
  const { trace, clipped } = payload(name);
  return player.buildIndex(trace, clipped);
};

/** Makes a page the one that the module draws into. */
export function openPage() {
  const dom = new JSDOM("<!doctype html><html lang='en'><body></body></html>", { pretendToBeVisual: true });
  const { document, Element, Node } = dom.window;
  Object.assign(globalThis, { document, Element, Node });
  return dom;
}

/** Draws a player for a payload. `changes` replace parts of the state. */
export function openPlayer(name, changes = {}, { dom = openPage(), module = player } = {}) {
  const el = document.createElement("div");
  document.body.append(el);
  const model = stubModel({ ...payload(name), ...changes });
  const cleanup = module.default.render({ model, el });
  const root = el.querySelector(".ctx-player");
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
    press: (key, options = {}, target = root) => {
      const event = new dom.window.KeyboardEvent("keydown", {
        key,
        bubbles: true,
        cancelable: true,
        ...options,
      });
      target.dispatchEvent(event);
      return event;
    },
    panel: (number) => el.querySelectorAll(".ctx-panels .ctx-tab")[number].click(),
  };
}

/** The steps at which something holds. */
export const stepsWhere = (index, holds) =>
  Array.from({ length: index.length }, (_, step) => step).filter(holds);
