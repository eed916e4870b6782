// A run that works on the history itself: its commits, what became of each message, and how it ended.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { indexOf, openPlayer, payload, player } from "./support/player.mjs";

const { describeResult, fateAt, historyAt, knownPart, resultWord } = player;
const [ACTIVE, CANDIDATE] = [0, 1];

const cards = ({ all }, which) => all(`.ctx-card[data-which="${which}"]`);
const chipOf = ({ find }, which, position) =>
  find(`.ctx-card[data-which="${which}"][data-position="${position}"] .ctx-chips`).textContent;

test("a commit is seen as the candidate taking the place of the active history", async () => {
  const { commits } = payload("loop-trim").trace;
  const index = indexOf("loop-trim");
  const open = openPlayer("loop-trim", { step: commits[0] });
  const before = historyAt(index, CANDIDATE, commits[0]).messages;
  assert.equal(cards(open, ACTIVE).length, 7);
  assert.equal(cards(open, CANDIDATE).length, 7);
  assert.notDeepEqual(historyAt(index, ACTIVE, commits[0]).messages, before);
  assert.equal(open.text(".ctx-gauge-label"), "candidate now");

  open.press("ArrowRight");
  assert.deepEqual(historyAt(index, ACTIVE, commits[0] + 1).messages, before);
  assert.equal(cards(open, CANDIDATE).length, 0);
  assert.equal(
    open.text(".ctx-empty"),
    `Committed at step ${commits[0]}: the candidate has become the active history. The next one will stand here.`,
  );
  assert.deepEqual(
    cards(open, ACTIVE)
      .filter((card) => card.classList.contains("ctx-fresh"))
      .map((card) => card.dataset.position),
    ["2", "4"],
  );
  const committed = "Committed: the candidate is now the active history, 7 messages, 985 bytes.";
  assert.ok(open.text(".ctx-sentence").includes(committed));
  assert.equal(open.text(".ctx-gauge-label"), "active history");
  open.panel(3);
  assert.match(open.text(".ctx-table"), /messages7–bytes985–/);
  await wait(300);
  assert.ok(open.text(".ctx-live").includes(committed));
  open.press("ArrowRight");
  assert.ok(!open.text(".ctx-sentence").includes("Committed"), "it is said once");
  open.cleanup();
});

test("each candidate shows until its own commit, and none after the last", () => {
  const index = indexOf("loop-trim");
  const [first, second] = index.trace.commits;
  assert.equal(index.trace.commits.length, 2);
  const present = (step) => historyAt(index, CANDIDATE, step).present;
  assert.deepEqual([first, first + 1, second, second + 1].map(present), [true, false, true, false]);
  const open = openPlayer("loop-trim");
  open.press("End");
  assert.equal(
    open.text(".ctx-empty"),
    `Committed at step ${second}: the candidate has become the active history.`,
  );
  assert.match(open.text(".ctx-sentence .ctx-aside"), /The run ends here\. It worked in place: the active history has 9 messages, 1,230 bytes\./);
  open.cleanup();
});

for (const name of ["loop-trim", "loop-summary"]) {
  test(`${name}: at the end the active history says what became of each message`, () => {
    const index = indexOf(name);
    const { provenance } = index.trace;
    const open = openPlayer(name, { step: 0 });
    const chips = () => open.all(".ctx-chips").filter((node) => node.textContent).length;
    assert.equal(chips(), 0, "nothing is decided yet");
    open.press("End");
    const stays = provenance.filter(({ fate, to }) => to !== null && fate !== "summarised");
    assert.equal(stays.length, cards(open, ACTIVE).length);
    for (const { fate, to } of stays) assert.equal(chipOf(open, ACTIVE, to), fate);
    open.cleanup();
  });
}

test("what is gone is marked as long as it stands in the active history", () => {
  const index = indexOf("loop-summary");
  const [commit] = index.trace.commits;
  const open = openPlayer("loop-summary", { step: commit });
  const gone = index.trace.provenance.filter(({ fate }) => fate === "summarised");
  assert.equal(gone.length, 8);
  for (const { from } of gone.slice(0, 4)) assert.equal(chipOf(open, ACTIVE, from), "summarised");
  assert.equal(chipOf(open, CANDIDATE, 0), "kept");
  assert.match(cards(open, CANDIDATE)[0].textContent, /holds 8/);
  open.press("ArrowRight");
  assert.match(cards(open, ACTIVE)[0].textContent, /kept[^]*holds 8/);
  cards(open, ACTIVE)[0].click();
  assert.match(open.text(".ctx-answer"), /It holds the summary of 8 messages\./);
  open.cleanup();
});

test("what is kept shows from the first candidate on, whichever commit put it there last", () => {
  const index = indexOf("loop-trim");
  const [first, last] = index.trace.commits;
  const message = index.fates.input[0];
  assert.equal(index.fates.byFrom.get(0).step, last);
  const made = index.tracks[CANDIDATE].step[0];
  assert.ok(made <= first);
  const state = (which, step) => fateAt(index, which, 0, message, step).state;
  assert.deepEqual(
    [state(ACTIVE, made - 1), state(ACTIVE, made), state(CANDIDATE, made)],
    ["undecided", "done", "done"],
  );
});

test("a click on a trimmed message leads into the function that trimmed it, also after the commit", () => {
  const index = indexOf("loop-trim");
  const open = openPlayer("loop-trim");
  open.press("End");
  const trimmed = index.trace.provenance.find(({ fate }) => fate === "trimmed");
  open.find(`.ctx-card[data-which="0"][data-position="${trimmed.to}"]`).click();
  assert.equal(open.model.get("step"), trimmed.step);
  assert.match(open.text(".ctx-where"), /^run_loop › prepare › prepare_context › trim_results, line/);
  assert.match(open.text(".ctx-answer"), /: trimmed at step \d+\. Is the marker no longer than the text\?/);
  const texts = open.all(".ctx-answer summary").map((node) => node.textContent.trim());
  assert.deepEqual(texts, ["What it became", "What it was"]);
  open.cleanup();
});

test("working in place is said in the place of a verdict on the input", () => {
  for (const [name, said] of [
    ["loop-trim", /^worked in place: the history itself changed, first at step (\d+)pairs complete$/],
    ["popped", /^worked in place: the history itself changed, first at step (\d+)pairs broken$/],
  ]) {
    const open = openPlayer(name);
    const { checks } = payload(name).trace;
    const marks = open.all(".ctx-check-row .ctx-check").map((node) => node.textContent).join("");
    assert.equal(said.exec(marks)?.[1], String(checks.in_place));
    open.panel(3);
    assert.equal(said.exec(open.text(".ctx-check-list"))?.[1], String(checks.in_place));
    open.cleanup();
  }
});

test("a run that changes the history itself and makes no candidate says so", () => {
  const { checks } = payload("popped").trace;
  const open = openPlayer("popped", { step: checks.in_place });
  assert.match(open.text(".ctx-empty"), /^No candidate yet/);
  open.press("End");
  assert.equal(
    open.text(".ctx-empty"),
    `No candidate: the history itself changed, first at step ${checks.in_place}.`,
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((position) => chipOf(open, ACTIVE, position)),
    ["kept", "kept", "kept", "kept"],
  );
  open.cleanup();
});

test("a run that changes the history itself and then refuses is not said to have left it alone", () => {
  const open = openPlayer("emptied");
  open.press("End");
  assert.match(open.text(".ctx-check-row"), /input changed/);
  assert.equal(
    open.text(".ctx-empty"),
    "No candidate: the run ended before it had one, but the active history has changed.",
  );
  open.cleanup();
});

test("what is said to a linter is not said to the reader, but for the reason", () => {
  const index = indexOf("loop-exhausted");
  const { sources } = index.trace;
  const at = Array.from({ length: index.length }, (_, step) => step).find((step) => {
    const [event, source, line] = player.placeAt(index, step);
    return event === "line" && player.lineText(sources[source], line).startsWith("except");
  });
  const open = openPlayer("loop-exhausted", { step: at });
  const said = "Next: except Exception as error:  # any failure means that there is no candidate";
  assert.ok(open.text(".ctx-sentence").includes(said), open.text(".ctx-sentence"));
  open.cleanup();
  const line = (text) => player.lineText({ text, first_line: 7 }, 7);
  assert.equal(line("    total = 1  # noqa: E501"), "total = 1");
  assert.equal(line("    total = 1  # noqa"), "total = 1");
  assert.equal(line("    total = 1  # the noqa - of it"), "total = 1  # the noqa - of it");
});

test("a loop that ends early has left the history as it was", () => {
  const open = openPlayer("loop-pending");
  open.press("End");
  assert.equal(open.text(".ctx-outcome"), "returned: context_error");
  assert.match(open.text(".ctx-result"), /"text": "pending: message 3 has no partner: its exchange is open"/);
  assert.match(open.text(".ctx-check-row"), /input unchanged/);
  assert.equal(open.text(".ctx-empty"), "This run made no candidate.");
  open.cleanup();
});

test("a candidate of another type is not used", () => {
  const { trace } = payload("loop-tuple");
  assert.deepEqual([trace.commits, trace.checks.input_unchanged], [[], true]);
  const open = openPlayer("loop-tuple");
  const shown = trace.histories.find(([, which]) => which === CANDIDATE)[0];
  open.model.set("step", shown);
  assert.equal(cards(open, CANDIDATE).length, 7);
  open.press("End");
  assert.equal(cards(open, CANDIDATE).length, 0);
  assert.equal(open.text(".ctx-empty"), "The candidate is not used: what the run returned holds no history.");
  assert.equal(open.text(`.ctx-column-head.ctx-column-${CANDIDATE} .ctx-facts`), "");
  open.cleanup();
});

test("what was returned is told in the words of Python", () => {
  let dicts = 0;
  for (const file of readdirSync(process.env.CTXLAB_PAYLOADS)) {
    if (!file.endsWith(".json")) continue;
    const { expected, trace } = payload(file.replace(".json", ""));
    if (expected?.returned === undefined || trace.outcome.value === undefined) continue;
    const index = indexOf(file.replace(".json", ""));
    assert.equal(describeResult(index, trace.outcome.value, index.length), expected.returned, file);
    if (expected.returned.startsWith("{")) dicts++;
  }
  assert.equal(
    payload("pairs-mismatch").expected.returned,
    '{"status": "broken", "faults": [(3, 0, "unanswered_tool_use"), (4, 0, "orphan_tool_result")]}',
  );
  assert.ok(dicts >= 4);
});

test("the word of a run is the text that it returned, or its status", () => {
  const word = (change) => {
    const { trace, clipped } = payload("loop-trim");
    change(trace);
    return resultWord(player.buildIndex(trace, clipped));
  };
  const returned = (text) => (trace) => {
    trace.outcome.value = 2 * trace.strings.push(text) - 1;
  };
  assert.equal(word(() => {}), "answered");
  assert.equal(word(returned("committed")), "committed");
  assert.equal(word(returned("x".repeat(41))), "", "too long for a word");
  assert.equal(word(returned("a\u202eb")), "", "not what it looks like");
  const ended = (cell) => (trace) => {
    trace.outcome.value = cell;
  };
  assert.deepEqual([null, true, [3], "<function f>"].map((cell) => word(ended(cell))), ["", "", "", ""]);
  assert.equal(resultWord(indexOf("prepare-trim")), "", "a history is no word");
  assert.equal(resultWord(indexOf("prepare-pending")), "", "nothing was returned");
});

test("before a prediction nothing of a later commit is known", () => {
  const { trace } = payload("ask-loop-decisions");
  const [first, second] = trace.commits;
  const known = (last) => knownPart(trace, last);
  assert.deepEqual(known(first).commits, []);
  assert.deepEqual(known(first + 1).commits, [first]);
  assert.deepEqual(known(second).commits, [first]);
  assert.equal(known(second).checks.in_place, null);
  const open = openPlayer("ask-loop-outcome");
  assert.equal(open.find(".ctx-outcome"), null);
  assert.deepEqual(
    open.all(".ctx-question input[type=radio]").length,
    payload("ask-loop-outcome").questions[0].options.length,
  );
  open.cleanup();
});
