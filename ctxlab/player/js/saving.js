// @ts-check
/** Saving: what the page tells the host. */
/** @import { Model } from "./player.js" */

const SAVE_EVERY_MS = 150;

/** Sends at most one message per interval while a key repeats; the last position is always sent. */
export class Saver {
  /** @param {Pick<Model, "save_changes">} model */
  constructor(model) {
    this.model = model;
    this.saving = 0;
    this.saveAgain = false;
  }

  save() {
    if (this.saving) {
      this.saveAgain = true;
      return;
    }
    this.model.save_changes();
    this.saving = setTimeout(() => {
      this.saving = 0;
      if (!this.saveAgain) return;
      this.saveAgain = false;
      this.save();
    }, SAVE_EVERY_MS);
  }

  /** @param {boolean} finish whether to send what was not sent yet */
  close(finish) {
    clearTimeout(this.saving);
    if (this.saving && this.saveAgain && finish) this.model.save_changes();
  }
}
