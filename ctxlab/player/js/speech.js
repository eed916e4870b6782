// @ts-check
/** Speech: the one live region of a page. */
import { element, setText } from "./elements.js";

const SAY_AFTER_MS = 200;

/** Speaks the last of what it is told, once the reader has come to rest. */
export class LiveRegion {
  constructor() {
    this.node = element("div", { class: "ctx-live", role: "status", "aria-live": "polite" });
    this.saying = 0;
  }

  /** @param {string} text */
  say(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => setText(this.node, text), SAY_AFTER_MS);
  }

  close() {
    clearTimeout(this.saying);
  }
}
