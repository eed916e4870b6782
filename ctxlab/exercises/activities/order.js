// @ts-check
/** Order: steps that are put in order by keyboard, by buttons or by dragging (a Parsons problem). */
/** @import { Model } from "./activity.js" */
import { element, icon, setAttribute, setText, uniqueId } from "../../player/js/elements.js";
import { activity, showVerdict } from "./activity.js";

/**
 * Steps stand in the right order, so a step's index is its right place.
 * @typedef {{ text: string, needs: { step: number, why: string }[] }} Step
 */

const TRIES = 2;
const DRAG_STARTS = 4; // pixels; less is a click
const HELP =
  "Move a step: drag it, use its arrows, or press Alt+Up and Alt+Down. Up and Down go through the steps.";

/**
 * The first step that stands wrong, or null when all stand right.
 * @param {Step[]} steps
 * @param {number[]} places indices of steps, as they are arranged
 */
export function firstWrong(steps, places) {
  const place = places.findIndex((step, at) => step !== at);
  if (place < 0) return null;
  // Every earlier place is right. So this step comes too early: one that it needs does not stand before it.
  const { text, needs } = steps[places[place]];
  const need = needs.find(({ step }) => step >= place);
  const before = need ? ` “${steps[need.step].text}” comes before it. ${need.why}` : "";
  return { place, text: `At place ${place + 1}, “${text}” comes too early.${before}`.trim() };
}

/** @param {number[]} places @param {number} from @param {number} to */
export function moved(places, from, to) {
  const rest = places.filter((_, at) => at !== from);
  return [...rest.slice(0, to), places[from], ...rest.slice(to)];
}

class Order {
  /** @param {Model} model @param {(text: string) => void} say */
  constructor(model, say) {
    this.model = model;
    this.say = say;
    /** @type {Step[]} */
    this.steps = model.get("steps");
    /** The step that Tab reaches. */
    this.current = model.get("places")[0];
    /** @type {{ pointer: number, step: number, y: number, from: number[], moving: boolean } | null} */
    this.drag = null;

    const id = uniqueId();
    this.items = this.steps.map((step, index) => this.item(step, index, id));
    this.list = element("ol", { class: "act-steps", "aria-labelledby": id });
    this.verdict = element("p");
    this.check = element("button", { class: "act-action" }, "Check");
    this.show = element("button", { class: "act-plain" }, "Show the order");
    this.again = element("button", { class: "act-plain" }, "Start again");
    this.help = element("p", { class: "act-aside", id: `${id}-help` }, HELP);
    this.node = element(
      "div",
      {},
      element("p", { class: "act-asks", id }, model.get("task")),
      this.help,
      this.list,
      element("div", { class: "act-actions" }, this.check, this.show, this.again),
      this.verdict,
    );
    this.check.addEventListener("click", () => this.onCheck());
    this.show.addEventListener("click", () => this.onShow());
    this.again.addEventListener("click", () => this.onAgain());
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("focusin", (event) => this.onFocus(event));
    this.list.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    this.list.addEventListener("pointermove", (event) => this.onPointerMove(event));
    this.list.addEventListener("pointerup", () => this.onPointerUp());
    this.list.addEventListener("pointercancel", () => this.onPointerCancel());
  }

  /** @param {Step} step @param {number} index @param {string} id */
  item({ text }, index, id) {
    const place = element("span", { class: "act-place", "aria-hidden": "true" });
    const up = element("button", { class: "act-up", "aria-label": `Move up: ${text}` }, icon("previous"));
    const down = element("button", { class: "act-down", "aria-label": `Move down: ${text}` }, icon("next"));
    up.addEventListener("click", () => this.move(index, -1));
    down.addEventListener("click", () => this.move(index, 1));
    const box = element(
      "div",
      { class: "act-step", role: "group", tabindex: -1, "aria-describedby": `${id}-help` },
      element("span", { class: "act-grip", "aria-hidden": "true" }),
      place,
      element("span", { class: "act-step-text" }, text),
      element("span", { class: "act-movers" }, up, down),
    );
    return { node: element("li", { "data-step": index }, box), box, place, up, down };
  }

  /** @returns {number[]} */
  get places() {
    return this.model.get("places");
  }

  get isRight() {
    return this.model.get("checked") && firstWrong(this.steps, this.places) === null;
  }

  get isOver() {
    return this.isRight || this.model.get("given_up");
  }

  update() {
    const { places, isOver } = this;
    const focused = document.activeElement;
    places.forEach((step, at) => {
      const { node } = this.items[step];
      if (this.list.children[at] !== node) this.list.insertBefore(node, this.list.children[at] ?? null);
    });
    // A node that is moved in the page loses the focus.
    if (focused instanceof HTMLElement && focused !== document.activeElement && this.list.contains(focused))
      focused.focus();

    const wrong = this.model.get("checked") && !isOver ? firstWrong(this.steps, places) : null;
    places.forEach((step, at) => {
      const { node, box, place, up, down } = this.items[step];
      setText(place, String(at + 1));
      box.setAttribute("aria-label", `Place ${at + 1} of ${places.length}: ${this.steps[step].text}`);
      box.tabIndex = step === this.current ? 0 : -1;
      node.classList.toggle("act-stands-wrong", at === wrong?.place);
      node.classList.toggle("act-dragged", this.drag?.moving === true && this.drag.step === step);
      for (const [button, blocked] of /** @type {const} */ ([
        [up, at === 0],
        [down, at === places.length - 1],
      ])) {
        button.hidden = isOver;
        button.tabIndex = step === this.current ? 0 : -1;
        setAttribute(button, "aria-disabled", blocked ? "true" : null);
      }
    });
    this.list.classList.toggle("act-over", isOver);
    this.help.hidden = isOver;
    this.check.hidden = isOver;
    this.show.hidden = isOver || this.model.get("tries") < TRIES;
    this.again.hidden = !isOver;
    this.updateVerdict(wrong);
  }

  /** @param {{ text: string } | null} wrong */
  updateVerdict(wrong) {
    this.verdict.hidden = !wrong && !this.isOver;
    if (this.model.get("given_up")) showVerdict(this.verdict, true, "Shown.", "This is the order.");
    else if (this.isRight) showVerdict(this.verdict, true, "Right.", "Each step stands after what it needs.");
    else if (wrong) showVerdict(this.verdict, false, "Not yet.", wrong.text);
  }

  // Moves

  /** Changes several traits and tells the host once. @param {Record<string, unknown>} state */
  set(state) {
    for (const [name, value] of Object.entries(state)) this.model.set(name, value);
    this.model.save_changes();
    this.update();
  }

  /** @param {number} step @param {number} by */
  move(step, by) {
    const from = this.places.indexOf(step);
    const to = from + by;
    if (this.isOver || to < 0 || to >= this.places.length) return;
    this.current = step;
    this.set({ checked: false, places: moved(this.places, from, to) });
    this.sayPlace(step);
  }

  /** @param {number} step */
  sayPlace(step) {
    const place = this.places.indexOf(step) + 1;
    this.say(`${this.steps[step].text} moved to place ${place} of ${this.places.length}.`);
  }

  /** @param {number} at */
  focusPlace(at) {
    const step = this.places[Math.min(Math.max(at, 0), this.places.length - 1)];
    this.items[step].box.focus();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = this.places.indexOf(this.current);
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
    const end = { Home: 0, End: this.places.length - 1 }[event.key];
    if (by && event.altKey) this.move(this.current, by);
    else if (by) this.focusPlace(at + by);
    else if (end !== undefined && !event.altKey) this.focusPlace(end);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {EventTarget | null} target */
  stepAt(target) {
    const node = target instanceof Element ? target.closest("li") : null;
    return this.items.findIndex((item) => item.node === node);
  }

  /** @param {FocusEvent} event */
  onFocus(event) {
    const step = this.stepAt(event.target);
    if (step < 0 || step === this.current) return;
    this.current = step;
    this.update();
  }

  // Dragging. The list holds the pointer, because a step that is moved in the page would lose it.

  /** @param {PointerEvent} event */
  onPointerDown(event) {
    const step = this.stepAt(event.target);
    const onButton = event.target instanceof Element && event.target.closest("button");
    if (event.button !== 0 || step < 0 || onButton || this.isOver) return;
    this.drag = { pointer: event.pointerId, step, y: event.clientY, from: this.places, moving: false };
  }

  /** @param {PointerEvent} event */
  onPointerMove(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.moving) {
      if (Math.abs(event.clientY - drag.y) < DRAG_STARTS) return;
      drag.moving = true;
      this.model.set("checked", false);
      this.list.setPointerCapture(drag.pointer);
    }
    const others = this.places.filter((step) => step !== drag.step);
    const above = others.filter((step) => {
      const { top, height } = this.items[step].node.getBoundingClientRect();
      return top + height / 2 < event.clientY;
    });
    const from = this.places.indexOf(drag.step);
    this.model.set("places", moved(this.places, from, above.length));
    this.update();
  }

  onPointerUp() {
    const { drag } = this;
    this.drag = null;
    if (!drag?.moving) return;
    const isElsewhere = this.places.indexOf(drag.step) !== drag.from.indexOf(drag.step);
    this.set({});
    if (isElsewhere) this.sayPlace(drag.step);
  }

  onPointerCancel() {
    const { drag } = this;
    this.drag = null;
    if (drag) this.set({ places: drag.from });
  }

  // Buttons

  onCheck() {
    const wrong = firstWrong(this.steps, this.places);
    this.set({ checked: true, tries: this.model.get("tries") + (wrong ? 1 : 0) });
    this.say(this.verdict.textContent ?? "");
    if (!wrong) this.again.focus();
  }

  onShow() {
    this.set({ given_up: true, places: this.steps.map((_, index) => index) });
    this.say(this.verdict.textContent ?? "");
    this.again.focus();
  }

  onAgain() {
    this.current = this.model.get("start")[0];
    this.set({ given_up: false, checked: false, tries: 0, places: this.model.get("start") });
    this.focusPlace(0);
  }
}

export default {
  render: activity(
    "order",
    ["places", "checked", "tries", "given_up"],
    (model, say) => new Order(model, say),
  ),
};
