// @ts-check
/** Explain: a sentence of one's own; then the model answer opens beside it. */
/** @import { Model, Region } from "./activity.js" */
import { element, uniqueId } from "../../player/js/elements.js";
import { activity } from "./activity.js";

const LONGEST = 2000;

/** @param {Model} model @param {(text: string) => void} say @returns {Region} */
function drawExplain(model, say) {
  const id = uniqueId();
  const field = element("textarea", {
    id,
    class: "act-sentence-field",
    rows: 4,
    maxlength: LONGEST,
    "data-lm-suppress-shortcuts": "true",
  });
  const missing = element("p", { class: "act-missing", id: `${id}-missing`, hidden: true });
  missing.textContent = "Write a sentence of your own first.";
  const button = element("button", { class: "act-action" }, "Compare with a model answer");
  const answer = element(
    "div",
    { class: "act-model-answer", role: "group", "aria-labelledby": `${id}-model` },
    element("p", { class: "act-label", id: `${id}-model` }, "A model answer"),
    element("p", {}, model.get("model_answer")),
  );
  /** @param {boolean} isMissing */
  const showMissing = (isMissing) => {
    missing.hidden = !isMissing;
    field.setAttribute("aria-invalid", String(isMissing));
    if (isMissing) field.setAttribute("aria-describedby", missing.id);
    else field.removeAttribute("aria-describedby");
  };
  const keep = () => {
    // The model answer was opened by a sentence, so there is always one.
    if (!field.value.trim()) return;
    model.set("sentence", field.value);
    model.save_changes();
  };
  field.addEventListener("input", () => showMissing(false));
  field.addEventListener("change", keep);
  button.addEventListener("click", () => {
    if (!field.value.trim()) {
      showMissing(true);
      say("Write a sentence of your own first.");
      field.focus();
      return;
    }
    model.set("opened", true);
    keep();
    say(`A model answer: ${model.get("model_answer")}`);
    // The button is gone now.
    field.focus();
  });
  return {
    node: element(
      "div",
      {},
      element("p", { class: "act-asks", id: `${id}-question` }, model.get("question")),
      element(
        "div",
        { class: "act-beside" },
        element(
          "div",
          {},
          element("label", { class: "act-label", for: id }, "Your sentence"),
          field,
          missing,
        ),
        answer,
      ),
      button,
    ),
    update: () => {
      if (document.activeElement !== field) field.value = model.get("sentence");
      answer.hidden = !model.get("opened");
      button.hidden = model.get("opened");
    },
  };
}

export default { render: activity("explain", ["sentence", "opened"], drawExplain) };
