// @ts-check
/** The finding at the reader's place: why, and what to do. */
/** @import { Diagnosis, Finding } from "../diagnosis.js" */
import { grouped } from "../text.js";
import { element, icon } from "../elements.js";
import { codeWords } from "./mark.js";

/** "message 3, block 0", or what a finding blames instead. @param {Finding} finding */
export function blamed({ message, block }) {
  if (message === null) return "the history as a whole";
  return block === null ? `message ${message}` : `message ${message}, block ${block}`;
}

/** Why, as a sentence; elsewhere the text goes on after a place. @param {{ text: string }} finding */
export const whySentence = ({ text }) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Where the reader is, such as "finding 2 of 5, message 12". @param {Diagnosis} diagnosis */
export function placeWords({ finding, findings, message }) {
  const words = [];
  if (findings.length)
    words.push(
      finding < 0 ? "no finding here" : `finding ${grouped(finding + 1)} of ${grouped(findings.length)}`,
    );
  if (message >= 0) words.push(`message ${message}`);
  return words.join(", ");
}

/** The place that a reader looks at first. */
export class FindingView {
  /** @param {Diagnosis} diagnosis */
  constructor(diagnosis) {
    this.diagnosis = diagnosis;
    this.node = element("div", { class: "ctx-finding" });
    this.node.hidden = diagnosis.findings.length === 0;
    this.drawn = "";
  }

  update() {
    const { finding, message } = this.diagnosis;
    const key = finding < 0 ? `none ${message}` : String(finding);
    if (key === this.drawn) return;
    this.drawn = key;
    const nothing = `No finding in message ${message}. The keys n and p lead to the next and previous one.`;
    this.node.replaceChildren(
      ...(finding < 0
        ? [element("p", { class: "ctx-aside" }, nothing)]
        : findingInFull(this.diagnosis.findings[finding])),
    );
  }
}

/** @param {Finding} finding */
function findingInFull(finding) {
  const where = blamed(finding);
  return [
    element(
      "p",
      { class: "ctx-finding-head" },
      icon("refused"),
      element(
        "span",
        {},
        element("b", {}, `${where[0].toUpperCase()}${where.slice(1)}: ${codeWords(finding.code)}`),
        " ",
        element("code", {}, finding.code),
        " ",
        finding.place && element("span", { class: "ctx-aside" }, finding.place),
      ),
    ),
    element(
      "div",
      { class: "ctx-finding-body" },
      element("p", {}, element("b", {}, "Why"), whySentence(finding)),
      element("p", {}, element("b", {}, "What to do"), finding.fix),
    ),
  ];
}
