// @ts-check
/** What the reader is asked to predict, and what became of a prediction. */
/** @import { Player } from "../player.js" */
/** @import { Question } from "../predict.js" */
import { answerText, predictionFor, tryAgain } from "../predict.js";
import { counted, grouped } from "../text.js";
import { element, icon, setText } from "../elements.js";

/** The question that waits, shown at its step; afterwards what was said, beside what happened. */
export class QuestionView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { question } = player;
    this.form = question ? this.drawForm(question) : null;
    this.waiting = question ? this.drawWaiting(question) : null;
    this.node = element("div", { class: "ctx-question" }, this.form, this.waiting, ...this.drawSettled());
    this.node.hidden = !this.node.hasChildNodes();
  }

  /** Whether the question stands before the reader now. */
  get isOpen() {
    return this.form !== null && this.player.step === this.player.horizon;
  }

  update() {
    if (!this.form || !this.waiting) return;
    this.form.hidden = !this.isOpen;
    this.waiting.hidden = this.isOpen;
  }

  focus() {
    this.fields?.focus();
  }

  /** What is said aloud when the question comes up. */
  get spoken() {
    return this.isOpen ? `Your prediction: ${this.player.question?.question}` : "";
  }

  /** @param {Question} question */
  drawForm(question) {
    const { player } = this;
    const made = predictionFor(question, player.predictions);
    const kind = Array.isArray(question.answer) ? "checkbox" : "radio";
    this.choices = question.options.map((_, i) =>
      element("input", { type: kind, name: player.id("choice"), value: i }),
    );
    this.choices.forEach((choice, i) => {
      const given = made?.answer;
      choice.checked = Array.isArray(given) ? given.includes(i) : given === question.options[i];
    });
    const options = this.choices.map((choice, i) =>
      element("label", { class: "ctx-option" }, choice, element("span", {}, question.options[i])),
    );
    const where = question.line ? `Before line ${question.line} decides` : "Predict";
    const feedback = player.id("feedback");
    this.feedback = element("p", { class: "ctx-feedback", id: feedback });
    // A stray arrow key on the fields themselves steps, as anywhere in the player; it chooses nothing.
    this.fields = element(
      "fieldset",
      { class: "ctx-fields", tabindex: -1, "aria-describedby": feedback },
      element(
        "legend",
        {},
        element("span", { class: "ctx-aside" }, `${where}: `),
        question.question,
      ),
      question.code && element("code", { class: "ctx-asked-code" }, question.code),
      element("div", { class: "ctx-options" }, ...options),
      kind === "checkbox" &&
        element("p", { class: "ctx-aside" }, "Tick none if all of them come out as they are."),
    );
    // The answer to a single decision comes too often to be argued for each time.
    this.reason =
      question.ask === "decisions"
        ? null
        : element("textarea", { rows: 2, class: "ctx-reason", "aria-describedby": feedback });
    if (this.reason) this.reason.value = made?.reason ?? "";
    const submit = element("button", { class: "ctx-button ctx-primary ctx-submit" }, "Answer");
    submit.type = "submit";
    const form = element(
      "form",
      { class: `ctx-form ctx-asks-${question.ask}`, novalidate: true },
      this.fields,
      this.reason && element("label", { class: "ctx-because" }, element("span", {}, "Because"), this.reason),
      submit,
      this.feedback,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(question);
    });
    if (made) this.tell(tryAgain(question, made.answer));
    return form;
  }

  /** @param {Question} question */
  submit(question) {
    const chosen = (this.choices ?? []).flatMap((choice, i) => (choice.checked ? [i] : []));
    const several = Array.isArray(question.answer);
    if (!several && !chosen.length) return this.complain("Choose an answer first.", this.choices?.[0]);
    const reason = this.reason?.value.trim() ?? "";
    if (this.reason && !reason) return this.complain("Say why, in any words.", this.reason);
    this.player.predict(several ? chosen : question.options[chosen[0]], reason);
  }

  /** @param {string} text @param {HTMLElement | undefined} field */
  complain(text, field) {
    this.tell(text);
    this.player.say(text);
    field?.focus();
  }

  /** The answer was not the last that one may give. @param {Question} question */
  showTry(question) {
    const made = predictionFor(question, this.player.predictions);
    if (!made) return;
    const text = tryAgain(question, made.answer);
    this.tell(text);
    this.player.say(text);
    this.focus();
  }

  /** @param {string} text */
  tell(text) {
    if (this.feedback) setText(this.feedback, text);
  }

  /** @param {Question} question */
  drawWaiting(question) {
    const go = element("button", { class: "ctx-link" }, `step ${grouped(question.step)}`);
    go.addEventListener("click", () => this.player.go(question.step));
    return element("p", { class: "ctx-aside" }, "Your next prediction is asked for at ", go, ".");
  }

  /** What was said of the whole run; for decisions, which are shown where they fall, how many were right. */
  drawSettled() {
    const { questions, predictions, question: waiting, model } = this.player;
    if (waiting) return [];
    if (!questions.length) {
      if (!model.get("predict")) return [];
      const decided = `In this run ${this.player.heading.function} itself decides nothing`;
      return [element("p", { class: "ctx-aside" }, `${decided}: there is nothing to predict.`)];
    }
    if (questions[0].ask === "decisions") {
      const right = predictions.filter((made) => made.right).length;
      const decisions = counted(questions.length, "decision");
      return [element("p", {}, `You predicted ${decisions}, ${grouped(right)} right.`)];
    }
    return questions.map((question) => {
      const made = predictionFor(question, predictions);
      return element(
        "p",
        { class: "ctx-kept-answer" },
        verdictMark(made?.right ?? false),
        "You said: ",
        element("b", {}, answerText(made?.answer ?? "")),
        `, because “${made?.reason}”. The run: `,
        element("b", {}, answerText(question.answer)),
        ".",
      );
    });
  }
}

/** "Right" or "Not so", as a shape, a word and a colour. @param {boolean} right */
export const verdictMark = (right) =>
  element(
    "span",
    { class: `ctx-verdict-mark ctx-is-${right ? "kept" : "dropped"}` },
    icon(right ? "kept" : "dropped"),
    right ? "Right. " : "Not so. ",
  );
