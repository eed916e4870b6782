/** What is wrong with a history: marks on its cards, words when one is chosen, and a count. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openPlayer, payload, player } from "./support/player.mjs";

const { codesToMark, faultsByVersion, versionKey } = player;
const ACTIVE = 0;
const CANDIDATE = 1;

const finding = (message, code, more = {}) => ({
  which: ACTIVE,
  version: 1,
  message,
  code,
  text: "",
  fix: "",
  ...more,
});
const onCards = (open, which, part) =>
  open.all(`.ctx-card[data-which="${which}"]`).map((card) => card.querySelector(part)?.textContent ?? "");
const marks = (open, which) => onCards(open, which, ".ctx-mark");
const halves = (open, which) => onCards(open, which, ".ctx-error");
const checks = (open, name) => {
  open.panel(3);
  const row = open.all(".ctx-checks tr").find((one) => one.querySelector("th")?.textContent === name);
  return row ? [...row.querySelectorAll("td")].map((cell) => cell.textContent) : null;
};

test("findings belong to the version of a history in which they were found", () => {
  const other = finding(2, "empty_text", { version: 4 });
  const findings = [finding(1, "a"), finding(1, "b"), finding(null, "c"), other];
  const diagnosed = [
    [ACTIVE, 1],
    [CANDIDATE, 2],
  ];
  const found = faultsByVersion(findings, diagnosed);
  assert.equal(found.get(versionKey(ACTIVE, 1)).count, 3);
  assert.deepEqual([...found.get(versionKey(ACTIVE, 1)).of.keys()], [1]);
  assert.equal(found.get(versionKey(CANDIDATE, 2)).count, 0, "looked at, and sound");
  assert.equal(found.get(versionKey(ACTIVE, 4)), undefined, "not looked at");
});

test("a card marks each code once, and not what its half of a pair says already", () => {
  const found = [finding(1, "open_exchange"), finding(1, "empty_text"), finding(1, "empty_text")];
  assert.deepEqual(codesToMark(found, ""), ["open_exchange", "empty_text"]);
  assert.deepEqual(codesToMark(found, "no result"), ["empty_text"]);
  assert.deepEqual(codesToMark([finding(1, "orphan_tool_message")], "no call"), []);
  assert.deepEqual(codesToMark([finding(1, "orphan_tool_message")], "no result"), ["orphan_tool_message"]);
});

test("the input shows its findings as long as it stands unchanged", () => {
  const open = openPlayer("faulty");
  assert.deepEqual(marks(open, ACTIVE), ["empty text", "", "", "", "", "duplicate tool use id", ""]);
  assert.deepEqual(halves(open, ACTIVE), ["", "", "", "", "", "no result", "no call"]);
  const { findings } = payload("faulty");
  const own = findings.filter(({ which, version }) => which === ACTIVE && version === 1);
  assert.equal(checks(open, "findings")[ACTIVE], String(own.length));
  assert.equal(own.length, 4);
  const red = open.all(".ctx-checks tr").filter((row) => row.querySelector(".ctx-no"));
  const names = red.map((row) => row.querySelector("th").textContent);
  assert.deepEqual(names, ["orphan results", "findings"], "what can only be counted is not judged");
  open.cleanup();
});

test("a version in between was not looked at, and the last one was", () => {
  const open = openPlayer("faulty");
  const { histories, steps } = payload("faulty").trace;
  const made = histories.filter(([, which]) => which === CANDIDATE);
  assert.ok(made.length > 1);
  open.model.set("step", made[0][0]);
  assert.ok(marks(open, CANDIDATE).length > 0);
  assert.ok(marks(open, CANDIDATE).every((mark) => mark === ""));
  assert.equal(checks(open, "findings")[CANDIDATE], "not looked for");
  open.model.set("step", steps.place.length - 1);
  assert.deepEqual(marks(open, CANDIDATE).filter(Boolean), ["empty text", "duplicate tool use id"]);
  assert.notEqual(checks(open, "findings")[CANDIDATE], "not looked for");
  open.cleanup();
});

test("a card that is chosen says what is wrong with its message and what to do", () => {
  const open = openPlayer("faulty");
  open.all(`.ctx-card[data-which="0"]`)[5].click();
  const said = open.all(".ctx-fault").map((fault) => fault.textContent);
  const own = payload("faulty").findings.filter(
    ({ which, version, message }) => which === ACTIVE && version === 1 && message === 5,
  );
  assert.equal(said.length, 2);
  own.forEach(({ text, fix }, i) => {
    assert.ok(said[i].includes(text), text);
    assert.ok(said[i].includes(fix), fix);
  });
  assert.ok(open.find("[aria-live]"), "a live region");
  open.cleanup();
});

test("what is found stays hidden until the reader has predicted", () => {
  const open = openPlayer("ask-faulty");
  assert.ok(open.model.get("findings").length > 0);
  assert.equal(open.all(".ctx-mark").length, 0);
  assert.equal(open.all(".ctx-error").length, 0);
  assert.equal(checks(open, "findings"), null);
  open.all(`.ctx-card[data-which="0"]`)[5].click();
  assert.equal(open.all(".ctx-fault").length, 0);
  open.cleanup();
});

test("a finding is text, whatever it quotes", () => {
  const evil = "<img src=x onerror='window.hacked = 1'>";
  const findings = [finding(0, "empty_text", { text: evil, fix: evil })];
  const open = openPlayer("split-normal", { findings, diagnosed: [[ACTIVE, 1]] });
  assert.deepEqual(marks(open, ACTIVE)[0], "empty text");
  open.all(`.ctx-card[data-which="0"]`)[0].click();
  assert.match(open.text(".ctx-fault"), /<img src=x/);
  assert.equal(open.all("img").length, 0);
  open.cleanup();
});

test("a state without findings opens as before", () => {
  const open = openPlayer("split-normal", { findings: undefined, diagnosed: undefined });
  assert.equal(open.all(".ctx-mark").length, 0);
  assert.ok(open.all(".ctx-card").length > 0);
  open.cleanup();
});
