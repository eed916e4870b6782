/** A model without a kernel: it keeps its state, tells its listeners, and counts what it would have sent. */
export function stubModel(state) {
  const listeners = new Map();
  return {
    state,
    saves: 0,
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      for (const listener of [...(listeners.get(`change:${name}`) ?? [])]) listener();
    },
    save_changes() {
      this.saves += 1;
    },
    on(event, listener) {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event).add(listener);
    },
    off: (event, listener) => listeners.get(event)?.delete(listener),
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
}
