// @ts-check
/** Recall: each option is a button; choosing it says, below it, why it is right or wrong. */
/** @import { Model, Region } from "./activity.js" */
import { element, uniqueId } from "../../player/js/elements.js";
import { activity, showVerdict } from "./activity.js";

/** @typedef {{ text: string, right: boolean, says: string }} Option */

/**
 * @param {Option} option
 * @param {() => void} choose
 */
function optionRow(option, choose) {
  const id = uniqueId();
  const button = element(
    "button",
    { class: "act-option", "aria-describedby": id },
    element("span", { class: "act-ring" }),
    element("span", {}, option.text),
  );
  const says = element("p", { id });
  button.addEventListener("click", choose);
  /** @param {boolean} chosen */
  const update = (chosen) => {
    button.setAttribute("aria-pressed", String(chosen));
    says.hidden = !chosen;
    if (chosen) showVerdict(says, option.right, option.right ? "Right." : "Wrong.", option.says);
  };
  return { node: element("li", {}, button, says), update };
}

/** @param {Model} model @param {(text: string) => void} say @returns {Region} */
function drawRecall(model, say) {
  /** @type {{ question: string, options: Option[] }[]} */
  const questions = model.get("questions");
  /** @param {number} number @param {number} at */
  const choose = (number, at) => {
    const { right, says } = questions[number].options[at];
    /** @type {number[][]} */
    const chosen = model.get("chosen");
    if (!chosen[number].includes(at)) {
      model.set(
        "chosen",
        chosen.map((earlier, i) => (i === number ? [...earlier, at] : earlier)),
      );
      model.save_changes();
    }
    say(`${right ? "Right." : "Wrong."} ${says}`);
  };
  const rows = questions.map(({ options }, number) =>
    options.map((option, at) => optionRow(option, () => choose(number, at))),
  );
  const groups = questions.map(({ question }, number) => {
    const id = uniqueId();
    return element(
      "div",
      { class: "act-question", role: "group", "aria-labelledby": id },
      element("p", { class: "act-asks", id }, question),
      element("ul", {}, ...rows[number].map(({ node }) => node)),
    );
  });
  return {
    node: element("div", {}, ...groups),
    update: () => {
      /** @type {number[][]} */
      const chosen = model.get("chosen");
      rows.forEach((options, number) =>
        options.forEach((option, at) => option.update(chosen[number].includes(at))),
      );
    },
  };
}

export default { render: activity("recall", ["chosen"], drawRecall) };
