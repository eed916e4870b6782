// One history on a page without layout: where it opens, where moves lead, what it shows and says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { diagnosis, openDiagnosis } from "./support/diagnosis.mjs";

test("opens at the first finding, and says why and what to do", () => {
  const page = openDiagnosis("one");
  const [finding] = diagnosis("one").findings;
  assert.equal(page.text(".ctx-report-head"), "1 finding, in message 3.");
  const shown = page.text(".ctx-finding");
  assert.ok(shown.startsWith("Message 3, block 1: result not in next message result_not_in_next_message"));
  assert.match(finding.text, /^message 3, .*[^.]$/);
  assert.ok(shown.includes(`WhyM${finding.text.slice(1)}.`), "why is a sentence");
  assert.ok(shown.includes(`What to do${finding.fix}`));
  assert.ok(page.card(3).classList.contains("ctx-asked"));
  assert.equal(page.find(".ctx-findings").hidden, true, "of one finding there is no list");
  page.cleanup();
});

test("the blamed block is marked in the message, and the other half of the pair is one click away", () => {
  const page = openDiagnosis("one");
  const marked = page.all(".ctx-blamed-text dt").map((node) => node.textContent);
  assert.deepEqual(marked, ["content[1].type", "content[1].tool_use_id", "content[1].content"]);
  assert.equal(page.text(".ctx-pair-line"), "toolu_1 is called in message 1");
  page.find(".ctx-pair-line button").click();
  assert.deepEqual(page.place(), [1, -1]);
  assert.equal(page.text(".ctx-pair-line"), "toolu_1 is answered in message 3");
  page.cleanup();
});

test("n and p go from finding to finding, also from a message without one", () => {
  const page = openDiagnosis("twenty");
  const at = diagnosis("twenty").findings.map(({ message }, number) => [message, number]);
  assert.deepEqual(page.place(), at[0]);
  for (const place of at.slice(1)) {
    page.press("n");
    assert.deepEqual(page.place(), place);
  }
  assert.equal(page.button("nextFinding").getAttribute("aria-disabled"), "true");
  page.press("n");
  assert.deepEqual(page.place(), at[19], "nowhere beyond the last one");
  page.model.set("place", [3, -1]);
  assert.match(page.text(".ctx-finding"), /^No finding in message 3\./);
  page.press("n");
  assert.deepEqual(page.place(), at[2]);
  page.press("ArrowLeft");
  page.press("p");
  assert.deepEqual(page.place(), at[1]);
  page.cleanup();
});

test("arrows, Home and End go from message to message, with its first finding", () => {
  const page = openDiagnosis("one");
  page.press("Home");
  assert.deepEqual(page.place(), [0, -1]);
  assert.equal(page.button("previousMessage").getAttribute("aria-disabled"), "true");
  page.press("ArrowLeft");
  assert.deepEqual(page.place(), [0, -1]);
  page.press("ArrowRight");
  assert.deepEqual(page.place(), [1, -1]);
  page.press("End");
  assert.deepEqual(page.place(), [3, 0]);
  for (const options of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }, { shiftKey: true }])
    assert.equal(page.press("Home", options).defaultPrevented, false);
  assert.deepEqual(page.place(), [3, 0]);
  page.cleanup();
});

test("of several findings of a message each is one click away, and stays chosen", () => {
  const page = openDiagnosis("twenty");
  const switches = page.all(".ctx-finding-switch");
  assert.deepEqual(
    switches.map((node) => node.textContent),
    ["block 1: tool result not leading", "block 2: orphan tool result"],
  );
  switches[1].click();
  assert.deepEqual(page.place(), [2, 1]);
  assert.match(page.text(".ctx-finding"), /^Message 2, block 2: orphan tool result/);
  page.card(2).click();
  assert.deepEqual(page.place(), [2, 1]);
  assert.match(page.card(2).textContent, /tool result not leading \+1/);
  page.cleanup();
});

test("a row of the list leads to its message", () => {
  const page = openDiagnosis("chat");
  page.find('.ctx-finding-list [data-row="1"] button').click();
  assert.deepEqual(page.place(), [5, 1]);
  assert.equal(page.text(".ctx-finding-list [aria-current]").startsWith("result not in next message"), true);
  page.cleanup();
});

test("what is read, and what looks like a secret, stands in the head", () => {
  const page = openDiagnosis("chat");
  assert.match(page.text(".ctx-report-facts"), /openai-chat.*6 messages/);
  assert.match(page.text(".ctx-warning"), /^Before you share this: 1 text looks like a secret/);
  page.cleanup();
});

test("a sound history says so, and has no empty place for a finding", () => {
  const page = openDiagnosis("sound");
  assert.equal(page.text(".ctx-report-head"), "No findings in 5 messages.");
  assert.match(page.text(".ctx-report"), /Every call has its result/);
  assert.equal(page.find(".ctx-finding").hidden, true);
  assert.deepEqual(page.place(), [0, -1]);
  page.cleanup();
});

test("a cut in a turn of the model is not legal, and the ruler says what it would split", () => {
  const page = openDiagnosis("responses");
  const words = page.all(".ctx-ruler").map((node) => node.textContent);
  assert.deepEqual(words, [
    "legal cut",
    "a cut would split the model's turn",
    "a cut would split call_1",
    "legal cut",
  ]);
  const items = page.all(".ctx-column > .ctx-item");
  const brackets = items.map((node) => node.className.match(/bracket-(\w+)/)[1]);
  assert.deepEqual(brackets, ["none", "start", "middle", "end", "none"]);
  page.cleanup();
});

test("a history without messages has its finding, and no card", () => {
  const page = openDiagnosis("empty");
  assert.match(page.text(".ctx-finding"), /^The history as a whole: empty history/);
  assert.equal(page.all(".ctx-card").length, 0);
  assert.match(page.text(".ctx-chosen"), /No message is chosen/);
  for (const key of ["n", "p", "ArrowLeft", "ArrowRight", "Home", "End"]) page.press(key);
  assert.deepEqual(page.place(), [-1, 0]);
  page.cleanup();
});

test("each finding is said once the reader has come to rest", async () => {
  const page = openDiagnosis("chat");
  page.press("n");
  await wait(300);
  const { text } = diagnosis("chat").findings[1];
  assert.equal(page.text(".ctx-live"), `Finding 2 of 2. ${text}`);
  page.press("n");
  await wait(300);
  assert.equal(page.text(".ctx-live"), "No finding after this place.");
  page.press("ArrowLeft");
  await wait(300);
  assert.equal(page.text(".ctx-live"), "Message 4, user. No finding.");
  page.cleanup();
});

test("follows the host, and takes what is no place for none", () => {
  const page = openDiagnosis("one");
  page.model.set("place", [1, -1]);
  assert.match(page.text(".ctx-chosen-head"), /^Message 1 /);
  page.model.set("place", [99, 99]);
  assert.match(page.text(".ctx-chosen"), /No message is chosen/);
  page.cleanup();
  assert.equal(page.model.listening(), 0);
  assert.equal(page.el.children.length, 0);
});

test("hostile texts are texts", () => {
  const page = openDiagnosis("hostile");
  page.press("End");
  page.press("Home");
  for (let i = 0; i < 6; i++) page.press("ArrowRight");
  assert.equal(page.el.querySelector("img, script"), null);
  page.model.set("place", [2, -1]);
  assert.match(page.text(".ctx-chosen"), /A… \(1,998,000 more characters\)/);
  page.cleanup();
});

test("a state that cannot be drawn says so", () => {
  const page = openDiagnosis("one", { findings: null });
  assert.equal(page.find(".ctx-failed").getAttribute("role"), "alert");
  page.cleanup();
});
