// @ts-check
/** What the trace says about itself. */
/** @import { Player } from "../player.js" */
import { element } from "../elements.js";

/** What the reader must be told before anything else. */
export class NotesView {
  /** @param {Player} player */
  constructor(player) {
    const { notes } = player.index.trace;
    this.node = element(
      "div",
      { class: "ctx-notes", role: "note", "aria-label": "About this recording" },
      ...notes.map((note) => element("p", {}, note)),
    );
    this.node.hidden = notes.length === 0;
  }

  update() {}
}
