// Stands in for the notebook: a model that keeps the state in the page, and the player drawn from it.
const state = JSON.parse(document.getElementById("state").textContent);
const listeners = new Map();
const model = {
  get: (name) => state[name],
  set(name, value) {
    state[name] = value;
    for (const listener of listeners.get(`change:${name}`) ?? []) listener();
  },
  save_changes() {},
  on(event, listener) {
    listeners.set(event, [...(listeners.get(event) ?? []), listener]);
  },
  off(event, listener) {
    listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== listener));
  },
};
const source = JSON.parse(document.getElementById("module").textContent);
const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
const player = (await import(address)).default;
player.render({ model, el: document.getElementById("player") });
document.documentElement.dataset.ready = "yes";
