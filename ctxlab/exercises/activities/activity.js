// @ts-check
/** What the widgets of a lesson share: the frame, the live region, and following the model. */
import { element, icon, setText } from "../../player/js/elements.js";

/**
 * @typedef {{ get(name: string): any, set(name: string, value: unknown): void, save_changes(): void,
 *   on(event: string, listener: () => void): void, off(event: string, listener: () => void): void }} Model
 * @typedef {{ node: HTMLElement, update(): void }} Region
 *   what a widget draws; `update` brings it up to the model
 */

/**
 * Makes the `render` that anywidget calls.
 * @param {string} name the widget's own class is `act-NAME`
 * @param {string[]} follows the traits that an update depends on
 * @param {(model: Model, say: (text: string) => void) => Region} draw `say` speaks in the live region
 */
export const activity =
  (name, follows, draw) =>
  /** @param {{ model: Model, el: HTMLElement }} host */
  ({ model, el }) => {
    const live = element("div", { class: "act-live", role: "status" });
    const notice = element("p", { class: "act-notice" });
    const region = draw(model, (text) => setText(live, text));
    const update = () => {
      region.update();
      setText(notice, model.get("notice"));
      notice.hidden = !model.get("notice");
    };
    el.append(
      element(
        "div",
        { class: `act-widget act-${name}`, role: "group", "aria-label": model.get("heading") },
        region.node,
        notice,
        live,
      ),
    );
    update();
    const events = ["notice", ...follows].map((trait) => `change:${trait}`);
    for (const event of events) model.on(event, update);
    return () => {
      for (const event of events) model.off(event, update);
      el.replaceChildren();
    };
  };

/**
 * Shows whether something is right: a sign, a word, and what there is to say about it.
 * @param {HTMLElement} node
 * @param {boolean} right
 * @param {string} word
 * @param {string} text
 */
export function showVerdict(node, right, word, text) {
  node.className = `act-verdict act-is-${right ? "right" : "wrong"}`;
  node.replaceChildren(
    icon(right ? "kept" : "dropped"),
    element("span", {}, element("b", {}, word), ` ${text}`),
  );
}
