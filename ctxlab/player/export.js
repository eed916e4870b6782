// @ts-check
// Stands in for the notebook: a model that keeps the state in the page, and the player drawn from it.
export {};

/** @typedef {() => void} Listener */

/** Read the JSON in one of the page's own elements. @param {string} id */
const stored = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/** @type {Record<string, unknown>} */
const state = stored("state");
/** @type {Map<string, Listener[]>} */
const listeners = new Map();
const model = {
  /** @param {string} name */
  get: (name) => state[name],
  /** @param {string} name @param {unknown} value */
  set(name, value) {
    state[name] = value;
    for (const listener of listeners.get(`change:${name}`) ?? []) listener();
  },
  save_changes() {},
  /** @param {string} event @param {Listener} listener */
  on(event, listener) {
    listeners.set(event, [...(listeners.get(event) ?? []), listener]);
  },
  /** @param {string} event @param {Listener} listener */
  off(event, listener) {
    listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== listener));
  },
};
const address = URL.createObjectURL(new Blob([stored("module")], { type: "text/javascript" }));
const player = (await import(address)).default;
player.render({ model, el: document.getElementById("player") });
document.documentElement.dataset.ready = "yes";
