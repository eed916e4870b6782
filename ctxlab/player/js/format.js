// @ts-check
/**
 * What a trace is made of, as Python wrote it (see the trace's schema).
 *
 * Positions and steps are 0-based, as in the other faces of a trace; source lines 1-based; sizes in UTF-8 bytes.
 */

/**
 * @typedef {null | boolean | number | string | any[]} Cell  a recorded value, see "Cells" in the trace's
 *   schema
 * @typedef {[event: string, source: number, line: number, site: number]} Place
 * @typedef {{ source: string, pieces: (string | number)[], compare: boolean }} Part
 * @typedef {{ function: number, line: number, source: string, question: string, yes: string, no: string,
 *   parts: Part[] }} Site
 * @typedef {{ name: string, file: string, first_line: number, text: string, labels: [number, string][],
 *             lines: Record<string, string> }} Source
 * @typedef {{ message: number, fate: string, step: number, from: number | null, to: number | null }} Fate
 * @typedef {[step: number, which: number, at: number, removed: number, added: number[], bytes: number,
 *   open: number,
 *            orphans: number]} Splice
 * @typedef {{ kind: string, text: string }} Fact  what must survive
 * @typedef {{ name: string, promise: string, must_survive: Fact[] }} Scenario
 * @typedef {{ format: string, function: string, scenario: Scenario | null, sources: Source[],
 *   strings: string[], messages: Cell[], sites: Site[], places: Place[],
 *   steps: { place: number[], turns: [number, number][] }, frames: [source: number, depth: number, name:
 *   string][],
 *   variables: { step: number[], frame: number[], name: number[], value: Cell[] },
 *   heap: { step: number[], object: number[], cells: (number | any[])[] },
 *   decisions: { outcome: number[], values: Cell[][] }, calls: [number, number, string, Cell[], Cell][],
 *   histories: Splice[], commits: number[], provenance: Fate[],
 *   checks: { input_unchanged: boolean | null, in_place: number | null, pairs_complete: boolean | null,
 *             within_budget: boolean | null, budget: number | null, first_broken_step: number | null,
 *             facts: (Fact & { kept: boolean })[] | null },
 *   outcome: { kind: string, code: string | null, type: string | null, message: string | null, value: Cell },
 *   notes: string[] }} Trace
 * @typedef {{ role: string, kind: string, ids: string[], calls: string[], results: string[], served: string[],
 *             in_turn: boolean, error: boolean, chars: number, bytes: number, tokens: number | null,
 *             preview: string }} Card  served: ids among the calls and results for which the client owes no
 *   result; in_turn: one of several items that may make up a turn of the model
 * @typedef {{ which: number, version: number, message: number | null, block: number | null, code: string,
 *   id: string | null, text: string, fix: string }} Finding  in a history after its first `version` changes
 * @typedef {{ kind: string, line: number, label: string, code: string, site: number | null, places: number[],
 *   column: number, row: number }} DiagramNode
 * @typedef {{ nodes: DiagramNode[], edges: [from: number, to: number, answer: string][] }} Diagram  one
 *   source as a flow diagram
 * @typedef {{ function: string, scenario: string | null, promise: string | null, settings: [string,
 *   string, boolean?][],
 *             stand_ins: [string, string][] }} Heading  a setting: name, value, and, beside another run,
 *   whether it differs
 */

export const FORMAT = "ctxlab.trace/1";
/** What the first cell of a container says it is. @type {Record<string, string>} */
export const KINDS = { d: "dict", l: "list", t: "tuple", s: "set" };
/** That of an object shown with its fields begins so; the name of its class follows. */
const OBJECT = "o:";
/** The class of an object, or "" for another kind of container. @param {string} kind */
export const classOf = (kind) => (kind.startsWith(OBJECT) ? kind.slice(OBJECT.length) : "");
/** Whether the cells of a container are names and values in turn. @param {string} kind */
export const hasNames = (kind) => kind === "d" || kind.startsWith(OBJECT);
/** Whether a cell is what a container begins with. @param {unknown} cell */
export const isKind = (cell) =>
  typeof cell === "string" && (Object.hasOwn(KINDS, cell) || cell.startsWith(OBJECT));
export const UNBOUND = "<unbound>";
/** Names under which a trace keeps what a call gave back. They are no variables of the function. */
export const RESULTS = { return: "returned", raise: "raised" };
export const ACTIVE = 0;
export const CANDIDATE = 1;
