// @ts-check
/** A message as a card, and the cut between two of them. */
/** @import { Card } from "../format.js" */
import { grouped } from "../text.js";
import { element, icon } from "../elements.js";

const CHARACTERS_OF_A_PREVIEW = 120;

/** @param {Card} card */
export const kindWord = (card) => (card.kind === "text" || card.kind === "other" ? card.role : card.kind);

/**
 * A card, which can be chosen unless it is `still`: number, kind, marks and ids, then the beginning of its text and its size.
 * @param {Card} card
 * @param {{ position: number, mostBytes: number, class?: string,
 *   attributes?: Record<string, string | number>, marks?: (Node | string | null | false)[], chips?: (Node | string | null | false)[],
 *   fault?: Node | null, holds?: Node | null | false, still?: boolean }} shown  mostBytes: of the largest message, for which
 *   the bar is full; chips stand at the right edge, `fault` before the text, `holds` beside the size
 */
export function drawMessageCard(card, shown) {
  const role = ["user", "assistant"].includes(card.role) ? card.role : "other";
  const bar = element("span", { class: "ctx-bar" });
  bar.style.width = `${Math.max(0.5, (100 * card.bytes) / shown.mostBytes)}%`;
  const focus = shown.still ? {} : { "data-part": "card", tabindex: -1 };
  return element(
    shown.still ? "div" : "button",
    {
      class: ["ctx-card", `ctx-role-${role}`, shown.class].filter(Boolean).join(" "),
      "data-position": shown.position,
      ...focus,
      ...shown.attributes,
    },
    element(
      "span",
      { class: "ctx-card-top" },
      element("span", { class: "ctx-number" }, String(shown.position)),
      icon(card.kind),
      element("b", {}, kindWord(card)),
      card.error && element("span", { class: "ctx-error" }, "error"),
      ...(shown.marks ?? []),
      element("code", {}, card.ids.join(" ")),
      element("span", { class: "ctx-chips" }, ...(shown.chips ?? [])),
    ),
    element(
      "span",
      { class: "ctx-card-text" },
      shown.fault ?? null,
      element("span", { class: "ctx-preview" }, card.preview.slice(0, CHARACTERS_OF_A_PREVIEW)),
      shown.holds ?? null,
      element("span", { class: "ctx-size" }, `${grouped(card.bytes)} B`),
    ),
    bar,
  );
}

/**
 * The bracket of a card, by what a cut above it and one below it would split.
 * @param {string} above @param {string} below
 */
export const bracketOf = (above, below) => (above ? (below ? "middle" : "end") : below ? "start" : "none");

/** The cut between two messages. @param {string} split what it would split, "" where it is legal */
export const ruler = (split) =>
  element(
    "span",
    { class: split ? "ctx-ruler ctx-illegal" : "ctx-ruler" },
    element("span", { class: "ctx-cell" }, split ? `a cut would split ${split}` : "legal cut"),
  );
