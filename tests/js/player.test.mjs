// The player in a page without layout: what it shows, which keys it takes, what it tells the host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  freshModule,
  indexOf,
  openPage,
  openPlayer,
  payload,
  player,
  stepsWhere,
} from "./support/player.mjs";

const { sentence, stepSentence, variablesAt } = player;

test("it opens where the host says, and says where that is", () => {
  const { text, find, cleanup } = openPlayer("prepare-summary", { step: 11 });
  const index = indexOf("prepare-summary");
  assert.equal(text(".ctx-position"), `step 11 of ${index.length - 1}`);
  assert.equal(find(".ctx-slider").getAttribute("aria-valuetext"), player.stepValueText(index, 11));
  assert.equal(text(".ctx-function"), "prepare_context");
  assert.match(text(".ctx-head"), /scenario summary.*budget 1,600/);
  assert.match(text(".ctx-outcome"), /returned/);
  cleanup();
});

test("keys step, and only those that are the player's", () => {
  const { press, model, root, cleanup } = openPlayer("prepare-summary");
  const index = indexOf("prepare-summary");
  const at = (key, options) => {
    const event = press(key, options);
    return [model.get("step"), event.defaultPrevented];
  };
  assert.deepEqual(at("ArrowRight"), [1, true]);
  assert.deepEqual(at("ArrowRight"), [2, true]);
  assert.deepEqual(at("ArrowLeft"), [1, true]);
  assert.deepEqual(at("n"), [index.decisionSteps[0], true]);
  assert.deepEqual(at("n"), [index.decisionSteps[1], true]);
  assert.deepEqual(at("p"), [index.decisionSteps[0], true]);
  assert.deepEqual(at("End"), [index.length - 1, true]);
  assert.deepEqual(at("["), [index.changeSteps.at(-1), true]);
  assert.deepEqual(at("Home"), [0, true]);
  assert.deepEqual(at("]"), [index.changeSteps[0], true]);
  model.set("step", 1);
  assert.deepEqual(at("F10"), [player.MOVES.over(index, 1, new Int32Array(0)), true]);
  assert.deepEqual(at("F10", { shiftKey: true }), [1, true]);
  const inCall = stepsWhere(index, (step) => index.trace.frames[index.frame[step]][1] === 1)[0];
  model.set("step", inCall);
  assert.deepEqual(at("u"), [player.MOVES.out(index, inCall, new Int32Array(0)), true]);
  model.set("step", inCall - 1);
  assert.deepEqual(at("o"), [player.MOVES.over(index, inCall - 1, new Int32Array(0)), true]);
  const step = model.get("step");
  assert.deepEqual(at("x"), [step, false]);
  assert.deepEqual(at("n", { ctrlKey: true }), [step, false]);
  assert.deepEqual(at("ArrowRight", { metaKey: true }), [step, false]);
  const field = root.ownerDocument.createElement("input");
  root.append(field);
  press("n", {}, field);
  press("ArrowRight", {}, field);
  assert.equal(model.get("step"), step, "typing is not stepping");
  cleanup();
});

test("a burst of keys sends few messages, and the last position always", async () => {
  const { press, model, cleanup } = openPlayer("prepare-summary");
  const sent = [];
  model.save_changes = () => sent.push(model.get("step"));
  for (let i = 0; i < 40; i++) press("ArrowRight");
  assert.deepEqual(sent, [1]);
  await wait(400);
  assert.equal(sent.at(-1), 40);
  assert.ok(sent.length <= 3, `sent ${sent}`);
  press("ArrowRight");
  press("ArrowRight");
  cleanup();
  assert.equal(sent.at(-1), 42, "taking the player away sends what was not sent");
});

test("a step of a trace that was replaced is not sent for the new one", async () => {
  const { press, model, cleanup } = openPlayer("prepare-summary");
  const sent = [];
  model.save_changes = () => sent.push(model.get("step"));
  press("ArrowRight");
  press("ArrowRight");
  model.set("step", 0);
  model.set("trace", payload("prepare-trim").trace);
  await wait(400);
  assert.deepEqual(sent, [1]);
  cleanup();
});

test("the host moves the step, and nothing is sent back", async () => {
  const { model, text, cleanup } = openPlayer("prepare-summary");
  model.set("step", 20);
  assert.match(text(".ctx-position"), /^step 20 of/);
  model.set("step", 10_000);
  assert.match(text(".ctx-position"), /^step 243 of/);
  await wait(250);
  assert.equal(model.saves, 0);
  cleanup();
});

test("the live region tells each step once the reader has come to rest", async () => {
  const { press, text, cleanup } = openPlayer("prepare-summary");
  const index = indexOf("prepare-summary");
  press("n");
  press("n");
  assert.equal(text(".ctx-live"), "");
  await wait(300);
  const step = index.decisionSteps[1];
  assert.equal(
    text(".ctx-live"),
    `Step ${step} of ${index.length - 1}, line ${player.placeAt(index, step)[2]}. ${sentence(index, 1)}`,
  );
  cleanup();
});

test("a decision is told as question, values, answer and consequence", () => {
  const index = indexOf("prepare-summary");
  const { text, model, cleanup } = openPlayer("prepare-summary");
  index.decisionSteps.forEach((step, number) => {
    model.set("step", step);
    assert.equal(text(".ctx-says").replace(/\s+/g, " ").trim(), sentence(index, number).replace(/\s+/g, " "));
  });
  cleanup();
});

test("a line without a comment is told by its code, and what the last one changed", async () => {
  const index = indexOf("prepare-summary");
  const { text, find, model, press, cleanup } = openPlayer("prepare-summary");
  const isSilent = (at) => player.placeAt(index, at)[0] === "line" && stepSentence(index, at) === "";
  const step = stepsWhere(index, (at) => isSilent(at) && index.changeSteps.includes(at))[0];
  model.set("step", step - 1);
  press("ArrowRight");
  const code = text(".ctx-source .ctx-now .ctx-text").trim();
  assert.equal(text(".ctx-says"), `Next: ${code}`);
  assert.equal(find(".ctx-next").hidden, true);
  await wait(300);
  assert.ok(text(".ctx-live").includes(`Next: ${code} Just changed: `), text(".ctx-live"));
  const told = stepsWhere(index, (at) => player.placeAt(index, at)[0] === "line" && !isSilent(at))[0];
  model.set("step", told);
  assert.equal(text(".ctx-says"), stepSentence(index, told));
  assert.match(text(".ctx-next"), /^Next: /);
  cleanup();
});

test("the sentence says which calls led here, and where a return leads", () => {
  const index = indexOf("prepare-summary");
  const { text, find, model, cleanup } = openPlayer("prepare-summary");
  const deep = (event) => (at) =>
    player.placeAt(index, at)[0] === event && player.stackAt(index, at).length === 3;
  model.set("step", stepsWhere(index, deep("call"))[0]);
  assert.match(text(".ctx-where"), /^prepare_context › split_history › checked_exchange, line \d+/);
  assert.match(text(".ctx-says"), /^checked_exchange begins with request = a dict of 2, /);
  model.set("step", stepsWhere(index, deep("return"))[0]);
  assert.equal(text(".ctx-next"), "Back to split_history.");
  model.set("step", index.length - 1);
  assert.equal(find(".ctx-next").hidden, true);
  cleanup();
});

test("the first step says how to begin, the last how it ended", () => {
  const { text, find, press, cleanup } = openPlayer("prepare-summary");
  assert.match(text(".ctx-begin"), /^A recorded run, steps 0 to 243\. “Step” stops at the next line, /);
  assert.equal(text('[data-move="nextDecision"]'), "decision", "the word of the hint stands on its button");
  assert.match(find('[data-move="nextDecision"]').title, /^Next decision \(n\): /);
  assert.match(text(".ctx-empty"), /^No candidate yet\. /);
  press("ArrowRight");
  assert.equal(find(".ctx-begin"), null);
  press("End");
  const ended = "Active history: 11 messages, 3,351 bytes; candidate: 3 messages, 626 bytes.";
  assert.ok(text(".ctx-sentence").endsWith(`The run ends here. ${ended}`), text(".ctx-sentence"));
  cleanup();
});

test("a candidate that is not used gives its place in the gauge back", () => {
  const { text, find, press, cleanup } = openPlayer("prepare-recent_large");
  press("End");
  press("ArrowLeft");
  assert.equal(text(".ctx-gauge-label"), "candidate now");
  assert.equal(find(".ctx-column-head .ctx-aside").hidden, true);
  press("End");
  assert.equal(text(".ctx-gauge-label"), "active history");
  assert.match(text(".ctx-verdict"), /^over budget by 1,097$/);
  assert.equal(text(".ctx-column-head.ctx-column-1 > span"), "Candidate not used");
  assert.match(text(".ctx-sentence"), /The run ends here; its candidate is not used\.$/);
  cleanup();
});

test("a breakpoint on a comment stops at the statement below, one on a def at the call", () => {
  const index = indexOf("prepare-summary");
  const { press, model, all, cleanup } = openPlayer("prepare-summary");
  const lines = index.trace.sources[0].text.split("\n");
  const comment = lines.findIndex((line) => line.trim() === "# Was trimming enough?");
  const { first_line: first } = index.trace.sources[0];
  all(".ctx-gutter")[comment].click();
  assert.deepEqual(model.get("breakpoints"), [[0, first + comment + 1]]);
  all(".ctx-gutter")[comment].click();
  assert.deepEqual(model.get("breakpoints"), []);
  const call = stepsWhere(index, (at) => at > 0 && player.placeAt(index, at)[0] === "call")[0];
  model.set("step", call);
  press("b");
  press("Home");
  press("ArrowRight", { shiftKey: true });
  assert.equal(model.get("step"), call);
  cleanup();
});

test("breakpoints: set by key and by click, run to and back, cleared by the host", () => {
  const { press, model, all, find, text, cleanup } = openPlayer("prepare-summary");
  const index = indexOf("prepare-summary");
  const step = stepsWhere(index, (at) => player.placeAt(index, at)[0] === "line")[3];
  model.set("step", step);
  press("b");
  const [, source, line] = player.placeAt(index, step);
  assert.deepEqual(model.get("breakpoints"), [[source, line]]);
  assert.equal(find(".ctx-now .ctx-gutter").getAttribute("aria-pressed"), "true");
  press("Home");
  press("ArrowRight", { shiftKey: true });
  assert.equal(model.get("step"), step);
  press("End");
  press("ArrowLeft", { shiftKey: true });
  assert.equal(model.get("step"), player.breakpointSteps(index, [[source, line]]).at(-1));
  assert.notEqual(find(".ctx-mark-breakpoint").getAttribute("d"), "");
  const other = all(".ctx-gutter")[2];
  other.click();
  assert.equal(model.get("breakpoints").length, 2);
  other.click();
  assert.deepEqual(model.get("breakpoints"), [[source, line]]);
  model.set("breakpoints", []);
  assert.equal(all('.ctx-gutter[aria-pressed="true"]').length, 0);
  assert.equal(find('[data-move="nextBreakpoint"]').getAttribute("aria-disabled"), "true");
  assert.match(text(".ctx-source .ctx-now"), new RegExp(`^${player.placeAt(index, model.get("step"))[2]}`));
  cleanup();
});

test("the source follows the run: current line, lines that ran, what each condition last saw", () => {
  const { model, find, all, text, cleanup } = openPlayer("prepare-summary");
  const index = indexOf("prepare-summary");
  for (const step of stepsWhere(index, (at) => at % 11 === 0)) {
    model.set("step", step);
    const [, source, line] = player.placeAt(index, step);
    assert.equal(text('.ctx-source [aria-selected="true"]'), index.trace.sources[source].name);
    assert.equal(find('[aria-current="step"] .ctx-gutter').textContent, String(line));
    const ran = all(".ctx-ran .ctx-gutter").map((gutter) => Number(gutter.textContent));
    for (const number of ran) {
      const entries = [...index.firstRun[source]].filter(([at, first]) => at <= number && first < step);
      assert.ok(entries.length > 0, `line ${number} is shown as run at step ${step}`);
    }
  }
  const number = [...index.decisionSteps.keys()].find(
    (at) => player.decisionParts(index, at).site.source === "size <= budget",
  );
  const before = index.decisionSteps[number] - 1;
  const seen = () =>
    all(".ctx-saw")
      .map((node) => node.textContent)
      .join();
  model.set("step", before);
  assert.doesNotMatch(seen(), /1600/);
  model.set("step", before + 1);
  assert.match(seen(), /\d+ <= 1600 → no/);
  cleanup();
});

test("cards: every message in its column, chips only once they are true", () => {
  const index = indexOf("trim-trim");
  const { model, find, all, cleanup } = openPlayer("trim-trim");
  const trimmed = index.trace.provenance.find(({ fate }) => fate === "trimmed");
  const chipOf = (which, position) =>
    find(`[data-which="${which}"][data-position="${position}"] .ctx-chips`).textContent;
  const chips = () => all(".ctx-chips").map((node) => node.textContent);
  model.set("step", 0);
  assert.deepEqual([...new Set(chips())], [""], "nothing is decided yet");
  model.set("step", trimmed.step);
  assert.equal(chipOf(0, trimmed.from), "this line");
  model.set("step", trimmed.step + 1);
  assert.equal(chipOf(0, trimmed.from), "trimmed");
  assert.equal(chipOf(1, trimmed.to), "trimmed");
  model.set("step", index.length - 1);
  for (const { from, to, fate } of index.trace.provenance) {
    if (from !== null) assert.equal(chipOf(0, from), fate);
    if (to !== null && fate !== "summarised") assert.equal(chipOf(1, to), fate);
  }
  assert.equal(all('[aria-label="Active history"] .ctx-card').length, index.fates.input.length);
  cleanup();
});

test("an illegal cut names the id that it would split", () => {
  const { all, cleanup } = openPlayer("prepare-multi", { step: 0 });
  const cuts = all('[aria-label="Active history"] .ctx-ruler').map((node) => node.textContent);
  assert.deepEqual(cuts, [
    "legal cut",
    "a cut would split call_1, second",
    "legal cut",
    "a cut would split call_2",
  ]);
  const brackets = all('[aria-label="Active history"] > .ctx-item').map(
    (node) => /ctx-bracket-(\w+)/.exec(node.className)[1],
  );
  assert.deepEqual(brackets, ["none", "start", "end", "start", "end"]);
  cleanup();
});

test("a click on a card goes to the step that decided it, and says why", () => {
  const index = indexOf("trim-trim");
  const { find, model, text, press, cleanup } = openPlayer("trim-trim");
  const trimmed = index.trace.provenance.find(({ fate }) => fate === "trimmed");
  find(`[data-which="0"][data-position="${trimmed.from}"]`).click();
  assert.equal(model.get("step"), trimmed.step);
  assert.match(
    text(".ctx-answer"),
    new RegExp(`^Message ${trimmed.from}, result .*: trimmed at step ${trimmed.step}\\. Is the marker`),
  );
  assert.ok(text(".ctx-answer").includes("Not a result"), "the marker can be read");
  press("ArrowRight");
  assert.equal(find(".ctx-answer").hidden, true);
  cleanup();
});

test("a card that was asked about leads back to where the reader was", () => {
  const index = indexOf("trim-trim");
  const { find, model, text, press, cleanup } = openPlayer("trim-trim");
  press("End");
  const [first, second] = index.trace.provenance.filter(({ fate }) => fate === "trimmed");
  find(`[data-which="0"][data-position="${first.from}"]`).click();
  assert.equal(text(".ctx-answer .ctx-link"), `Back to step ${index.length - 1}`);
  find(`[data-which="0"][data-position="${second.from}"]`).click();
  assert.equal(model.get("step"), second.step);
  find(".ctx-answer .ctx-link").click();
  assert.equal(model.get("step"), index.length - 1);
  assert.equal(find(".ctx-answer").hidden, true);
  model.set("step", first.step);
  find(`[data-which="0"][data-position="${first.from}"]`).click();
  assert.equal(find(".ctx-answer .ctx-link"), null, "nowhere to go back to");
  cleanup();
});

test("half of a pair is marked on its card", () => {
  const { all, cleanup } = openPlayer("split-mismatch", { step: 0 });
  const marks = all('[aria-label="Active history"] .ctx-card').map(
    (card) => card.querySelector(".ctx-error")?.textContent ?? "",
  );
  assert.deepEqual(marks, ["", "", "", "no result", "no call"]);
  cleanup();
});

test("a run without a candidate says so, and its cards have no fate", () => {
  const { text, all, press, cleanup } = openPlayer("prepare-pending");
  press("End");
  assert.match(text(".ctx-empty"), /the active history stays/);
  assert.equal(all(".ctx-chip").filter((node) => node.closest(".ctx-card")).length, 0);
  assert.match(text(".ctx-outcome"), /refused: pending/);
  assert.match(text(".ctx-result"), /The run refused \(pending\): /);
  cleanup();
});

test("a summary is shown as what eight messages became", () => {
  const { text, all, find, press, cleanup } = openPlayer("prepare-summary");
  press("End");
  assert.match(text('[aria-label="Candidate"] .ctx-card'), /kept[^]*holds 8/);
  const into = all(".ctx-ribbon.ctx-is-summarised");
  assert.ok(into.length >= 4);
  find('[data-which="1"][data-position="0"]').click();
  assert.match(text(".ctx-answer"), /It holds the summary of 8 messages\./);
  cleanup();
});

test("decisions, calls: all of them, and a click goes there", () => {
  const index = indexOf("prepare-summary");
  const { all, model, panel, cleanup } = openPlayer("prepare-summary");
  const tabs = all(".ctx-panels .ctx-tab").map((tab) => tab.textContent);
  assert.deepEqual(tabs, [
    `Decisions ${index.decisionSteps.length}`,
    "Variables",
    `Calls ${index.trace.frames.length + index.trace.calls.length}`,
    "Checks",
    "Input and call",
  ]);
  all(".ctx-decision.ctx-row")
    .slice(0, 8)
    .forEach((row, number) => {
      const [, depth, name] = index.trace.frames[index.frame[index.decisionSteps[number]]];
      assert.equal(row.querySelector(".ctx-in").textContent, name);
      assert.equal(row.style.getPropertyValue("--ctx-depth"), String(depth));
    });
  all(".ctx-decision.ctx-row")[2].click();
  assert.equal(model.get("step"), index.decisionSteps[2]);
  panel(2);
  const call = all(".ctx-call").find((row) => row.textContent.includes("split_history"));
  call.click();
  assert.equal(player.placeAt(index, model.get("step"))[0], "call");
  cleanup();
});

test("variables: changed ones are marked, values open, and each leads to its changes", () => {
  const index = indexOf("trim-trim");
  const { model, all, panel, cleanup } = openPlayer("trim-trim");
  const trimmed = index.trace.provenance.find(({ fate }) => fate === "trimmed");
  panel(1);
  model.set("step", trimmed.step);
  const row = (name) =>
    all(".ctx-variable").find((node) => node.querySelector(".ctx-name")?.textContent === name);
  assert.deepEqual(
    all(".ctx-kind-variable .ctx-name").map((node) => node.textContent),
    variablesAt(index, 0, trimmed.step).map(({ name }) => name),
  );
  assert.equal(row("candidate").querySelector(".ctx-changed").textContent, "");
  row("candidate").querySelector('[data-part="next"]').click();
  assert.equal(model.get("step"), trimmed.step + 1);
  assert.equal(row("candidate").querySelector(".ctx-changed").textContent, "changed");
  assert.equal(row("receipt").querySelector(".ctx-changed").textContent, "");
  row("candidate").querySelector('[data-part="open"]').click();
  assert.ok(row(`[${trimmed.to}]`).textContent.includes("a dict of 2"));
  assert.equal(row(`[${trimmed.to}]`).querySelector(".ctx-changed").textContent, "changed");
  assert.equal(row("candidate").querySelector('[data-part="open"]').getAttribute("aria-expanded"), "true");
  cleanup();
});

test("an object shows its class and its fields, and which of them a step has changed", () => {
  const index = indexOf("kept");
  const { model, all, panel, text, press, cleanup } = openPlayer("kept");
  panel(1);
  const row = (name) =>
    all(".ctx-variable").find((node) => node.querySelector(".ctx-name")?.textContent === name);
  const changed = () => all(".ctx-variable").filter((node) => node.querySelector(".ctx-changed")?.textContent);
  press("End");
  assert.equal(row("self").querySelector(".ctx-cell").textContent, "Desk with 3 fields");
  row("self").querySelector('[data-part="open"]').click();
  const fields = all(".ctx-kind-child").map((node) => node.textContent.trim());
  assert.deepEqual(fields, ['ruleRule(most=3, name="newest first")', "messagesa list of 3", "left1"]);
  row("rule").querySelector('[data-part="open"]').click();
  assert.ok(row("most").textContent.includes("3"));
  const dropped = index.trace.steps.place.findIndex((place) => {
    const [event, source] = index.trace.places[place];
    return event === "return" && index.trace.sources[source].name === "Desk.drop";
  });
  model.set("step", dropped);
  row("self").querySelector('[data-part="open"]').click();
  const names = changed().map((node) => node.querySelector(".ctx-name").textContent);
  assert.deepEqual(names, ["self", "left", "return", "self", "left"], "in the method, and in its caller");
  assert.match(text(".ctx-sentence"), /Just changed: self\.left = 1\./);
  cleanup();
});

test("checks: figures of this step, and the first step at which the pairing broke", () => {
  const index = indexOf("broken");
  const { text, find, press, panel, model, cleanup } = openPlayer("broken");
  panel(3);
  press("End");
  assert.match(text(".ctx-table"), /open calls01/);
  assert.match(text(".ctx-check-list"), /pairs broken/);
  find(".ctx-link").click();
  assert.equal(model.get("step"), index.trace.checks.first_broken_step);
  cleanup();
});

test("notes stand at the top", () => {
  const { root, text, cleanup } = openPlayer("endless");
  assert.equal(root.firstElementChild.className, "ctx-notes");
  assert.match(text(".ctx-notes"), /step/i);
  assert.match(text(".ctx-outcome"), /step limit/);
  cleanup();
});

test("hostile text stays text", () => {
  const { el, press, all, panel, find, cleanup } = openPlayer("hostile");
  press("End");
  for (const number of [0, 1, 2, 3, 4]) panel(number);
  all(".ctx-card").forEach((_, i) => all(".ctx-card")[i].click());
  find('[data-which="0"][data-position="2"]').click();
  assert.equal(el.querySelectorAll("img, script, iframe").length, 0);
  assert.equal(globalThis.hacked, undefined);
  assert.ok(find(".ctx-answer").textContent.includes("<img src=x onerror"));
  assert.ok(all(".ctx-answer .ctx-unseen").some((node) => node.textContent === "U+202E"));
  assert.doesNotMatch(el.textContent, /[\u202a-\u202e\u2066-\u2069\u200b\u0007]/);
  find('[data-which="0"][data-position="4"]').click();
  assert.match(find(".ctx-answer").textContent, /\(2,000,000 characters in all\)/);
  assert.ok(el.textContent.length < 60_000);
  cleanup();
});

test("lists draw only what is in view, however long the history", () => {
  const { all, press, panel, cleanup } = openPlayer("prepare-1001");
  press("End");
  assert.ok(all(".ctx-card").length < 60, `${all(".ctx-card").length} cards`);
  assert.ok(all(".ctx-row").length < 60);
  panel(2);
  assert.ok(all(".ctx-row").length < 60);
  cleanup();
});

test("the toolbar is one tab stop with arrow keys inside", () => {
  const { all, press, model, dom, cleanup } = openPlayer("prepare-summary");
  const buttons = all(".ctx-toolbar button");
  const stops = () => buttons.filter((button) => button.getAttribute("tabindex") === "0");
  assert.equal(stops().length, 1);
  buttons[2].focus();
  press("ArrowRight", {}, buttons[2]);
  assert.equal(dom.window.document.activeElement, buttons[3]);
  assert.deepEqual(stops(), [buttons[3]]);
  assert.equal(model.get("step"), 0, "an arrow inside the toolbar does not step");
  press("ArrowLeft", {}, buttons[0]);
  assert.equal(dom.window.document.activeElement, buttons.at(-1));
  cleanup();
});

test("lists are one tab stop each; the arrows go from row to row and keep the focus", () => {
  const { all, press, dom, model, cleanup } = openPlayer("prepare-summary");
  const rows = () => all(".ctx-decision.ctx-row");
  assert.equal(rows().filter((row) => row.tabIndex === 0).length, 1);
  rows()[0].focus();
  press("ArrowDown", {}, rows()[0]);
  assert.equal(dom.window.document.activeElement, rows()[1]);
  rows()[1].click();
  assert.equal(dom.window.document.activeElement, rows()[1], "the row is drawn again and keeps the focus");
  press("ArrowRight", {}, rows()[1]);
  assert.equal(model.get("step"), indexOf("prepare-summary").decisionSteps[1] + 1);
  cleanup();
});

test("variables are one tab stop, and the arrows pass over what takes no focus", () => {
  const index = indexOf("prepare-summary");
  const inCall = stepsWhere(index, (at) => index.trace.frames[index.frame[at]][1] === 1)[0] + 1;
  const { all, press, dom, panel, cleanup } = openPlayer("prepare-summary", { step: inCall });
  panel(1);
  const stops = all('.ctx-variable [tabindex="0"]');
  assert.ok(stops.length > 0, "the first row names the function and takes no focus");
  const row = () => Number(dom.window.document.activeElement.closest("[data-row]").dataset.row);
  stops[0].focus();
  const heads = all(".ctx-kind-frame").map((node) => Number(node.dataset.row));
  assert.equal(heads.length, 2);
  while (row() < heads[1]) {
    const before = row();
    press("ArrowDown", {}, dom.window.document.activeElement);
    assert.ok(row() > before);
  }
  press("ArrowUp", {}, dom.window.document.activeElement);
  assert.ok(row() < heads[1]);
  cleanup();
});

test("a press with the mouse leaves the arrow keys stepping", () => {
  const { all, root, dom, cleanup } = openPlayer("prepare-summary");
  const event = new dom.window.MouseEvent("mousedown", { bubbles: true, cancelable: true });
  all(".ctx-toolbar button")[2].dispatchEvent(event);
  assert.equal(event.defaultPrevented, true);
  assert.equal(dom.window.document.activeElement, root);
  cleanup();
});

test("everything that takes the focus keeps JupyterLab's shortcuts away", () => {
  const { all, root, panel, press, cleanup } = openPlayer("trim-trim");
  press("End");
  for (const number of [0, 1, 2, 3, 4]) {
    panel(number);
    for (const node of [root, ...all("button, input, summary, [tabindex]")]) {
      assert.equal(node.getAttribute("data-lm-suppress-shortcuts"), "true", node.outerHTML.slice(0, 80));
    }
  }
  cleanup();
});

test("help opens and closes with the question mark", () => {
  const { press, find, cleanup } = openPlayer("split-fit");
  assert.equal(find(".ctx-help").hidden, true);
  press("?", { shiftKey: true });
  assert.equal(find(".ctx-help").hidden, false);
  assert.equal(find('[aria-controls$="help"]').getAttribute("aria-expanded"), "true");
  press("Escape");
  assert.equal(find(".ctx-help").hidden, true);
  cleanup();
});

test("another trace takes the place of the first, panel and all", async () => {
  const { model, press, panel, text, el, cleanup } = openPlayer("prepare-summary");
  panel(3);
  press("End");
  const other = payload("split-mismatch");
  for (const name of ["clipped", "cards", "encoding", "heading"]) model.set(name, other[name]);
  model.set("step", 0);
  model.set("breakpoints", []);
  model.set("trace", other.trace);
  await Promise.resolve();
  assert.equal(text(".ctx-function"), "split_history");
  assert.equal(text(".ctx-position"), `step 0 of ${other.trace.steps.place.length - 1}`);
  assert.equal(text('.ctx-panels [aria-selected="true"]'), "Checks");
  assert.equal(el.querySelectorAll(".ctx-player").length, 1);
  cleanup();
});

test("a trace that cannot be read is named, and a good one replaces it", async () => {
  const { el, model, cleanup } = openPlayer("split-fit", { trace: { format: "ctxlab.trace/2" } });
  assert.match(
    el.querySelector('[role="alert"]').textContent,
    /reads ctxlab\.trace\/1; the trace says "ctxlab\.trace\/2"/,
  );
  model.set("trace", payload("split-fit").trace);
  await Promise.resolve();
  assert.equal(el.querySelectorAll(".ctx-toolbar").length, 1);
  cleanup();
});

test("two players on a page share no id, even from two copies of the module", async () => {
  const dom = openPage();
  const first = openPlayer("prepare-summary", {}, { dom });
  const second = openPlayer("prepare-summary", {}, { dom });
  const third = openPlayer("prepare-summary", {}, { dom, module: await freshModule() });
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  assert.ok(ids.length > 10);
  assert.equal(new Set(ids).size, ids.length);
  for (const node of document.querySelectorAll("[aria-controls], [aria-labelledby]")) {
    for (const name of ["aria-controls", "aria-labelledby"]) {
      for (const id of node.getAttribute(name)?.split(" ") ?? [])
        assert.ok(node.closest(".ctx-player").querySelector(`#${id}`), `${name}=${id}`);
    }
  }
  first.press("ArrowRight");
  assert.equal(second.model.get("step"), 0);
  for (const { cleanup } of [first, second, third]) cleanup();
});

test("cleanup takes everything back", async () => {
  const { el, model, press, cleanup } = openPlayer("prepare-summary");
  assert.ok(model.listening() > 0);
  press("ArrowRight");
  cleanup();
  assert.equal(model.listening(), 0);
  assert.equal(el.childNodes.length, 0);
  model.set("step", 30);
  model.set("trace", payload("split-fit").trace);
  await wait(300);
  assert.equal(el.childNodes.length, 0);
});

test("the words of a step that is no decision", () => {
  const index = indexOf("prepare-summary");
  const said = (event) =>
    stepSentence(index, stepsWhere(index, (step) => player.placeAt(index, step)[0] === event).at(-1));
  assert.match(said("return"), /^prepare_context returns a list of 3\.$/);
  assert.match(stepSentence(index, 0), /^prepare_context begins with messages = a list of 11, question = /);
  const refused = indexOf("prepare-pending");
  assert.match(stepSentence(refused, refused.length - 1), /^prepare_context raises Refusal/);
});
