// @ts-check
/** The entry that anywidget calls: render({ model, el }) draws a player. */
/** @import { Model } from "./player.js" */
import { showFailure } from "./failure.js";
import { Player } from "./player.js";

/** The parts of the state that make up a trace. */
const REDRAWN_FOR = [
  "trace",
  "clipped",
  "cards",
  "encoding",
  "heading",
  "maps",
  "questions",
  "findings",
  "diagnosed",
];

/**
 * Draws a player into `el`, and again whenever the host puts another trace into the model.
 * @param {{ model: Model, el: HTMLElement }} host
 * @returns {() => void} takes everything back
 */
function render({ model, el }) {
  /** @type {Player | null} */
  let player = null;
  let stale = false;

  const open = () => {
    stale = false;
    const kept = { panel: player?.panels.chosen ?? 0, map: player?.source.isMap ?? false };
    const focused = el.contains(document.activeElement);
    player?.close(true);
    player = null;
    try {
      player = new Player(model, el, kept);
      if (focused) player.takeFocus();
    } catch (error) {
      showFailure(el, error);
    }
  };
  // A host that replaces the trace sets several traits at once: draw when all of them have arrived.
  const reopen = () => {
    if (stale) return;
    stale = true;
    queueMicrotask(() => stale && open());
  };
  /** @type {Record<string, () => void>} */
  const handlers = {
    "change:step": () => !stale && player?.followHost(),
    "change:breakpoints": () => !stale && player?.showBreakpoints(),
    "change:predictions": () => player?.isOutdated() && reopen(),
  };
  for (const name of REDRAWN_FOR) handlers[`change:${name}`] = reopen;

  open();
  for (const [event, handler] of Object.entries(handlers)) model.on(event, handler);
  return () => {
    stale = false;
    for (const [event, handler] of Object.entries(handlers)) model.off(event, handler);
    player?.close(false);
    el.replaceChildren();
  };
}

export default { render };
