// @ts-check
/** The findings of the histories that Python looked at, by history and message. */
/** @import { Finding } from "./format.js" */

/**
 * @typedef {{ count: number, of: Map<number, Finding[]> }} Faults  of one version of a history; of: by message
 */

/** @param {number} which @param {number} version */
export const versionKey = (which, version) => `${which} ${version}`;

/**
 * @param {Finding[]} findings @param {[which: number, version: number][]} diagnosed the histories looked at
 * @returns {Map<string, Faults>} by versionKey; a history without findings is there too
 */
export function faultsByVersion(findings, diagnosed) {
  /** @type {Map<string, Faults>} */
  const found = new Map();
  for (const [which, version] of diagnosed)
    found.set(versionKey(which, version), { count: 0, of: new Map() });
  for (const finding of findings) {
    const faults = found.get(versionKey(finding.which, finding.version));
    if (!faults) continue;
    faults.count += 1;
    if (finding.message === null) continue;
    const own = faults.of.get(finding.message);
    if (own) own.push(finding);
    else faults.of.set(finding.message, [finding]);
  }
  return found;
}

/** What a card says already where half of a pair is missing. @type {Record<string, RegExp>} */
const SAID_BY = { "no result": /^(open|unanswered)_/, "no call": /^orphan_/ };

/** The codes that a card has to show, each once. @param {Finding[]} findings @param {string} missing */
export function codesToMark(findings, missing) {
  const codes = new Set(findings.map(({ code }) => code));
  return [...codes].filter((code) => !SAID_BY[missing]?.test(code));
}
