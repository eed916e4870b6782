// @ts-check
/** Python source: tokens for colouring. */

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for " +
    "from global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
/** The colour of what a group of TOKEN matched; "" has none. @type {Record<string, string>} */
const KIND_OF_GROUP = {
  comment: "comment",
  text: "string",
  line: "string",
  number: "number",
  name: "",
  other: "",
};
const TOKEN = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<text>[rbuf]{0,2}(?:"""(?:\\[^]|(?!""")[^])*(?:"""|$)|'''(?:\\[^]|(?!''')[^])*(?:'''|$)))/,
    /(?<line>[rbuf]{0,2}(?:"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?))/,
    /(?<number>\.?\d[\w.]*)/,
    /(?<name>[\p{L}_][\p{L}\p{N}_]*)/u,
    /(?<newline>\n)/,
    /(?<other>[^])/,
  ]
    .map((part) => part.source)
    .join("|"),
  "giu",
);

/**
 * @typedef {{ kind: string, text: string }} Token  kind: keyword, string, comment, number or ""
 * @typedef {{ tokens: Token[], statement: number, code: boolean }} PythonLine
 */

/**
 * Cuts Python source into lines of coloured tokens. `statement` is the line (0-based) on which the line's
 * statement begins: an open bracket or a text in triple quotes carries one statement over several lines.
 * @param {string} text
 * @returns {PythonLine[]}
 */
export function pythonLines(text) {
  /** @type {PythonLine[]} */
  const lines = [];
  let depth = 0;
  let statement = 0;
  const newLine = (/** @type {boolean} */ continued) => {
    if (!continued) statement = lines.length;
    lines.push({ tokens: [], statement, code: false });
  };
  newLine(false);
  for (const { groups = {} } of text.matchAll(TOKEN)) {
    const [group, token] = /** @type {[string, string]} */ (
      Object.entries(groups).find(([, part]) => part !== undefined)
    );
    if (group === "newline") newLine(depth > 0);
    else {
      const kind = KEYWORDS.has(token) ? "keyword" : KIND_OF_GROUP[group];
      if ("([{".includes(token)) depth++;
      else if (")]}".includes(token)) depth = Math.max(0, depth - 1);
      token.split("\n").forEach((piece, i) => {
        if (i > 0) newLine(true);
        const line = lines[lines.length - 1];
        line.code ||= group !== "comment" && piece.trim() !== "";
        const before = line.tokens[line.tokens.length - 1];
        if (before?.kind === kind) before.text += piece;
        else line.tokens.push({ kind, text: piece });
      });
    }
  }
  return lines;
}
