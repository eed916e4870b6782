// A player that asks first: what it holds back, how it takes an answer, and what it keeps of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { indexOf, openPlayer, payload, player } from "./support/player.mjs";

const { buildIndex, describe, historyAt, knownPart, stepSentence, variablesAt } = player;

const FORWARD_KEYS = [
  ["ArrowRight", {}],
  ["End", {}],
  ["n", {}],
  ["]", {}],
  ["o", {}],
  ["u", {}],
  ["F10", {}],
  ["ArrowRight", { shiftKey: true }],
];

/** Chooses options by their places, gives a reason, and answers. */
function answer({ all, find }, places, reason) {
  const inputs = all(".ctx-option input");
  inputs.forEach((input, i) => (input.checked = places.includes(i)));
  if (reason !== undefined) find(".ctx-reason").value = reason;
  find(".ctx-submit").focus();
  find(".ctx-submit").click();
}

/** Lets a player that was answered be drawn anew. */
const redrawn = () => wait(0);

test("a known part tells every step as the whole does, and nothing later", () => {
  for (const name of ["prepare-summary", "trim-trim", "window", "values", "prepare-bad_summary"]) {
    const { trace, clipped } = payload(name);
    const whole = buildIndex(trace, clipped);
    for (const last of [0, 1, Math.floor(whole.length / 3), whole.length - 2]) {
      const known = buildIndex(knownPart(trace, last), clipped);
      assert.equal(known.length, last + 1);
      assert.equal(known.trace.provenance.length, 0);
      for (const columns of [known.heap, { step: known.variableStep }, known.tracks[0], known.tracks[1]])
        assert.ok([...columns.step].every((step) => step <= last));
      for (let step = 0; step <= last; step += 7) {
        assert.equal(stepSentence(known, step), stepSentence(whole, step));
        const values = (index) =>
          variablesAt(index, index.frame[step], step).map(({ name, value }) => [
            name,
            describe(index, value, step),
          ]);
        assert.deepEqual(values(known), values(whole));
        for (const which of [0, 1])
          assert.deepEqual(historyAt(known, which, step), historyAt(whole, which, step));
      }
    }
  }
});

test("a call is known once the stop before its line is passed", () => {
  const { trace } = payload("prepare-summary");
  const [step] = trace.calls[0];
  assert.equal(knownPart(trace, step).calls.length, 0);
  assert.equal(knownPart(trace, step + 1).calls.length, 1);
});

test("every way forward stops before the first decision and asks; back is free", () => {
  const [{ step: stop }] = payload("ask-decisions").questions;
  for (const [key, options] of FORWARD_KEYS) {
    const open = openPlayer("ask-decisions", { step: stop - 1 });
    assert.equal(open.find(".ctx-form").hidden, true);
    open.press(key, options);
    if (open.model.get("step") === stop - 1) open.press(key, options);
    assert.equal(open.model.get("step"), stop, key);
    assert.equal(open.find(".ctx-form").hidden, false, key);
    assert.equal(document.activeElement, open.find(".ctx-fields"), key);
    open.press(key, options, open.find(".ctx-fields"));
    assert.equal(open.model.get("step"), stop, `${key} again`);
    open.press("ArrowLeft", {}, open.find(".ctx-fields"));
    assert.equal(open.model.get("step"), stop - 1);
    assert.equal(open.find(".ctx-form").hidden, true);
    open.cleanup();
  }
});

test("the slider ends where the question waits, and the host cannot go past it either", () => {
  const [{ step: stop }] = payload("ask-decisions").questions;
  const { dom, find, model, text, cleanup } = openPlayer("ask-decisions", { step: 200 });
  assert.equal(text(".ctx-position"), `step ${stop}`);
  model.set("step", 3);
  assert.equal(text(".ctx-position"), "step 3");
  assert.equal(find(".ctx-slider").max, String(stop));
  find(".ctx-slider").value = 10_000;
  find(".ctx-slider").dispatchEvent(new dom.window.Event("input"));
  assert.equal(model.get("step"), stop);
  assert.equal(document.activeElement, find(".ctx-fields"));
  model.set("step", 240);
  assert.equal(text(".ctx-position"), `step ${stop}`);
  cleanup();
});

test("a right answer shows the decision, keeps the answer, and goes on to the next question", async () => {
  const [first, second] = payload("ask-decisions").questions;
  const open = openPlayer("ask-decisions", { step: first.step });
  answer(open, [first.options.indexOf(first.answer)]);
  await redrawn();
  const { ask, step, answer: said } = first;
  assert.deepEqual(open.model.get("predictions"), [
    { ask, step, answer: said, reason: "", tries: 1, right: true },
  ]);
  assert.equal(open.model.get("step"), first.opens);
  assert.ok(open.model.saves > 0);
  assert.equal(open.text(".ctx-said"), `Right. You said ${first.answer}.`);
  assert.match(open.text(".ctx-says"), /3351 <= 1600 is no/);
  assert.equal(document.activeElement, open.find(".ctx-player"));
  open.press("End", {}, open.find(".ctx-player"));
  assert.equal(open.model.get("step"), second.step);
  assert.match(open.text("legend"), new RegExp(second.line));
  open.cleanup();
});

test("a wrong answer to yes or no is told at once, with the values", async () => {
  const [first] = payload("ask-decisions").questions;
  const open = openPlayer("ask-decisions", { step: first.step });
  answer(open, [1 - first.options.indexOf(first.answer)]);
  await redrawn();
  assert.equal(open.model.get("predictions")[0].right, false);
  assert.equal(open.text(".ctx-said"), "Not so. You said yes.");
  assert.match(open.text(".ctx-says"), /3351 <= 1600 is no/);
  await wait(300);
  assert.match(open.text(".ctx-live"), /Not so\. You said yes\. Does the history fit.*3351 <= 1600 is no/);
  open.cleanup();
});

test("all decisions answered, the whole run is there, and says how many were right", async () => {
  const { questions } = payload("ask-decisions");
  const open = openPlayer("ask-decisions");
  for (const question of questions) {
    open.press("End", {}, open.find(".ctx-player"));
    assert.equal(open.model.get("step"), question.step);
    assert.equal(open.find(".ctx-outcome"), null);
    answer(open, [0]);
    await redrawn();
  }
  assert.match(open.text(".ctx-outcome"), /returned/);
  const right = questions.filter((question) => question.answer === "yes").length;
  assert.equal(open.text(".ctx-question"), `You predicted ${questions.length} decisions, ${right} right.`);
  open.press("End", {}, open.find(".ctx-player"));
  assert.equal(open.text(".ctx-position"), "step 243 of 243");
  assert.ok(open.all(".ctx-chip.ctx-is-summarised").length > 0);
  open.cleanup();
});

test("while a question waits, nothing on the page tells the answer", () => {
  const told = {
    "ask-outcome": [
      "refused: pending",
      "refused (pending)",
      "no result",
      "pending</b>",
      "The newest call has no",
    ],
    "ask-messages": [
      "trimmed</span>",
      "become markers",
      "that is enough",
      "[Not a result",
      "of 1,600 bytes",
    ],
    "ask-decisions": [
      "3351 &lt;= 1600",
      "over budget by",
      "returned</span>",
      "only a summary",
      "summarised</span>",
    ],
  };
  for (const [name, words] of Object.entries(told)) {
    const { questions } = payload(name);
    const open = openPlayer(name, { step: questions[0].step });
    for (let panel = 0; panel < open.all(".ctx-panels .ctx-tab").length; panel++) {
      open.panel(panel);
      const html = open.el.innerHTML;
      // The help explains the signs of all fates, whatever the run.
      const shown = html.replace(open.find(".ctx-help").outerHTML, "");
      for (const word of words) assert.ok(!shown.includes(word), `${name}, panel ${panel}: ${word}`);
    }
    open.cleanup();
  }
  // The same words stand there as soon as nothing is asked, so that this test can fail.
  for (const [name, words] of Object.entries(told)) {
    const open = openPlayer(name, { questions: [], step: 10_000 });
    let html = "";
    for (let panel = 0; panel < open.all(".ctx-panels .ctx-tab").length; panel++) {
      open.panel(panel);
      html += open.el.innerHTML;
    }
    assert.ok(words.filter((word) => html.includes(word)).length >= 3, name);
    open.cleanup();
  }
});

test("a card can be read while its fate is not told", () => {
  const open = openPlayer("ask-messages");
  open.find(".ctx-card[data-position='2']").click();
  assert.match(open.text(".ctx-answer"), /shows once you have made your predictions/);
  assert.equal(open.model.get("step"), 0);
  open.cleanup();
});

test("an outcome needs a choice and a reason", async () => {
  const open = openPlayer("ask-outcome");
  answer(open, [], "no reason to choose");
  assert.equal(open.text(".ctx-feedback"), "Choose an answer first.");
  assert.equal(document.activeElement, open.find(".ctx-option input"));
  answer(open, [0], "  ");
  assert.equal(open.text(".ctx-feedback"), "Say why, in any words.");
  assert.equal(document.activeElement, open.find(".ctx-reason"));
  await wait(300);
  assert.equal(open.text(".ctx-live"), "Say why, in any words.");
  assert.deepEqual(open.model.get("predictions"), []);
  open.cleanup();
});

test("a first wrong try about a refusal leads to the condition that makes it", async () => {
  const [{ options, looks }] = payload("ask-outcome").questions;
  const open = openPlayer("ask-outcome");
  answer(open, [options.indexOf("refuses: bad_argument")], "it looks odd");
  await redrawn();
  assert.match(looks["refuses: bad_argument"], /keep_recent anything but/);
  assert.equal(open.text(".ctx-feedback"), `Not so. One more try. ${looks["refuses: bad_argument"]}`);
  open.cleanup();
});

test("a first wrong try tells where to look, a second one shows the run and keeps what was said", async () => {
  const [{ options, answer: right, look }] = payload("ask-outcome").questions;
  const open = openPlayer("ask-outcome");
  answer(open, [options.indexOf("returns")], "it always does");
  await redrawn();
  assert.equal(open.text(".ctx-feedback"), `Not so. One more try. ${look}`);
  assert.equal(document.activeElement, open.find(".ctx-fields"));
  assert.equal(open.find(".ctx-reason").value, "it always does");
  assert.equal(open.find(".ctx-outcome"), null);
  answer(open, [options.indexOf("refuses: mismatch")], "<b>two</b> ids\u202e");
  await redrawn();
  const [made] = open.model.get("predictions");
  assert.deepEqual([made.answer, made.tries, made.right], ["refuses: mismatch", 2, false]);
  const said =
    "Not so. You said: refuses: mismatch, because “<b>two</b> idsU+202E”. The run: refuses: pending.";
  assert.equal(open.text(".ctx-question"), said);
  assert.equal(right, "refuses: pending");
  assert.match(open.text(".ctx-outcome"), /refused: pending/);
  open.press("End", {}, open.find(".ctx-player"));
  assert.equal(open.text(".ctx-question"), said, "it stays while stepping");
  open.cleanup();
});

test("messages are compared as sets, and a wrong try is counted, not corrected", async () => {
  const open = openPlayer("ask-messages");
  answer(open, [2, 5], "long texts go");
  assert.match(
    open.text(".ctx-feedback"),
    /^Not so: 1 wrongly ticked, 1 missing\. One more try\. Look at line \d+/,
  );
  answer(open, [4, 2], "long texts of older exchanges go");
  await redrawn();
  assert.equal(
    open.text(".ctx-question"),
    "Right. You said: messages 2, 4 change or go, because “long texts of older exchanges go”. " +
      "The run: messages 2, 4 change or go.",
  );
  assert.equal(open.model.get("predictions")[0].tries, 2);
  open.cleanup();
});

test("an answer of many messages is told in ranges", () => {
  assert.equal(player.answerText([1, 2, 3, 4, 7, 9, 10]), "messages 1 to 4, 7, 9 to 10 change or go");
  assert.equal(player.answerText([3]), "message 3 changes or goes");
});

test("no message ticked is an answer too", async () => {
  const { questions } = payload("ask-messages");
  const open = openPlayer("ask-messages", { questions: [{ ...questions[0], answer: [] }] });
  answer(open, [], "nothing is long");
  await redrawn();
  assert.match(open.text(".ctx-question"), /^Right\. You said: no message changes or goes/);
  open.cleanup();
});

test("a page that is opened again knows what was answered", () => {
  const [first, second] = payload("ask-decisions").questions;
  const made = { ask: "decisions", step: first.step, answer: "yes", reason: "", tries: 1, right: false };
  const open = openPlayer("ask-decisions", { predictions: [made], step: first.opens });
  assert.equal(open.text(".ctx-said"), "Not so. You said yes.");
  assert.equal(open.find(".ctx-slider").max, String(second.step));
  open.cleanup();

  const tried = { ask: "messages", step: 0, answer: [2], reason: "it is long", tries: 1, right: false };
  const again = openPlayer("ask-messages", { predictions: [tried] });
  assert.match(again.text(".ctx-feedback"), /0 wrongly ticked, 1 missing/);
  assert.equal(again.find(".ctx-reason").value, "it is long");
  assert.deepEqual(
    again.all(".ctx-option input").map((input) => input.checked),
    [false, false, true, false, false, false, false],
  );
  again.cleanup();
});

test("the host sees an answer, and a host that sets one moves the page", async () => {
  const [first] = payload("ask-decisions").questions;
  const open = openPlayer("ask-decisions", { step: 2 });
  const made = { ask: "decisions", step: first.step, answer: "no", reason: "", tries: 1, right: true };
  open.model.set("predictions", [made]);
  await redrawn();
  assert.equal(open.text(".ctx-position"), "step 2");
  assert.notEqual(open.find(".ctx-slider").max, String(first.step));
  open.cleanup();
});

test("keys in the reason and on the choices are not the player's", () => {
  const open = openPlayer("ask-outcome");
  for (const target of [open.find(".ctx-reason"), open.find(".ctx-option input")])
    for (const key of ["n", "ArrowRight", "ArrowLeft", "End", "?", "b"])
      assert.equal(open.press(key, {}, target).defaultPrevented, false, key);
  assert.deepEqual(open.model.get("breakpoints"), []);
  for (const node of open.all(".ctx-question :is(input, textarea, button, [tabindex])"))
    assert.equal(node.getAttribute("data-lm-suppress-shortcuts"), "true");
  open.cleanup();
});

test("opening does not take the focus, and the question is said when it comes up", async () => {
  const open = openPlayer("ask-outcome");
  assert.equal(document.activeElement, document.body);
  open.cleanup();
  const [{ question, step }] = payload("ask-decisions").questions;
  const stepping = openPlayer("ask-decisions", { step: step - 1 });
  stepping.press("ArrowRight");
  await wait(300);
  assert.match(stepping.text(".ctx-live"), new RegExp(`Your prediction: ${question.replace("?", "\\?")}$`));
  stepping.cleanup();
});

test("a run without a decision of its own says that there is nothing to predict", () => {
  const open = openPlayer("ask-no-decisions");
  assert.match(
    open.text(".ctx-question"),
    /prepare_context itself decides nothing: there is nothing to predict/,
  );
  assert.match(open.text(".ctx-outcome"), /refused: pending/);
  open.cleanup();
  const plain = openPlayer("prepare-pending");
  assert.equal(plain.find(".ctx-question").hidden, true);
  plain.cleanup();
});

test("two decisions on one line are asked one after the other", () => {
  const { trace } = payload("values");
  const whole = indexOf("values");
  const steps = [...whole.decisionSteps];
  const questions = steps.map((opens, i) => ({
    ask: "decisions",
    step: i ? Math.max(steps[i - 1], opens - 1) : opens - 1,
    opens,
    question: "?",
    line: 1,
    code: "",
    options: ["yes", "no"],
    answer: "yes",
    tries: 1,
    look: "",
    looks: {},
  }));
  assert.ok(questions.length > 1 && trace.decisions.outcome.length === questions.length);
  const predictions = [];
  for (const question of questions) {
    assert.equal(player.waitingQuestion(questions, predictions), question);
    predictions.push(...player.withAnswer(question, [], "no", ""));
    assert.ok(player.isSettled(question, predictions));
  }
  assert.equal(player.waitingQuestion(questions, predictions), null);
});
