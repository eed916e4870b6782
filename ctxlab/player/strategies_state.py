"""What the page of a comparison of strategies needs: a table, a chart, and what stands behind each row."""

from dataclasses import asdict
from typing import Any

from ctxlab.messages.conversion.in_chat import in_chat
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.report import Report
from ctxlab.messages.secrets import masked as without_secrets
from ctxlab.messages.shapes import Api
from ctxlab.player.cards import cards_of, with_figures_of
from ctxlab.strategies.outcome import Comparison, Outcome

API: Api = "openai-chat"  # in which the final histories are, whatever the history was


def strategies_state(comparison: Comparison, report: Report, masked: bool = False) -> dict[str, Any]:
    """Return heading, limit, moments, facts, strategies and cards, as JSON values.

    `moments` has, for each request, how many messages of the whole history had been there by then. A strategy
    has its figures, and for each request its tokens, its messages and the tokens at its start that are equal
    to the request before. Its `lost` are numbers of `facts`, and its `final` are numbers of `cards`: of those
    each different message has one, and `made` says of it that it is no message of the history itself. With
    `masked` every secret is masked, and all figures stay.
    """
    transcript = report.transcript
    history = in_chat(transcript.messages, transcript.api, transcript.system).messages
    given = {compact_json(message) for message in history}
    numbers: dict[bytes, int] = {}
    pool: list[dict[str, Any]] = []
    finals = [
        [_number(message, numbers, pool) for message in outcome.final] for outcome in comparison.outcomes
    ]
    cards, _ = cards_of(pool, API)
    said = {
        "heading": _heading(comparison, report, masked),
        "facts": [asdict(fact) for fact in comparison.facts],
        "strategies": [
            _strategy(outcome, comparison, final)
            for outcome, final in zip(comparison.outcomes, finals, strict=True)
        ],
    }
    if masked:
        said = report.masked_value(said)
        # What a strategy made may be a cut text, with a part of a secret and no mark beside it.
        shown = without_secrets(
            [
                report.mask.value(message) if form in given else report.mask.pieces(message)
                for form, message in zip(numbers, pool, strict=True)
            ]
        )
        cards = with_figures_of(cards, cards_of(shown, API)[0])
    return {
        **said,
        "limit": comparison.limit,
        "moments": [turn.at for turn in comparison.outcomes[0].turns],
        "cards": [{**card, "made": form not in given} for card, form in zip(cards, numbers, strict=True)],
    }


def headline(comparison: Comparison) -> str:
    """Return what the comparison comes to, in one or two sentences."""
    outcomes, facts = comparison.outcomes, comparison.facts
    if not outcomes[0].turns:
        return "No request was made in this history, so no strategy had anything to do."
    within = [outcome for outcome in outcomes if not outcome.over(comparison.limit)]
    of_all = f"{len(within) or 'None'} of {amount(len(outcomes), 'strategy', 'strategies')}"
    keep = "keeps" if len(within) <= 1 else "keep"
    said = f"{of_all} {keep} every request within {amount(comparison.limit, 'token')}."
    if not facts or not within:
        return said
    whole = sum(not outcome.lost for outcome in within)
    still = "says" if whole <= 1 else "say"
    what = {1: "the one fact", 2: "both facts"}.get(len(facts), f"all {len(facts)} facts")
    number = "all" if 1 < whole == len(within) else whole or "none"
    return f"{said} Of these, {number} still {still} {what} at the end."


def amount(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun, such as "1 message" or "1,001 messages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {several or noun + 's'}"


def _number(message: dict[str, Any], numbers: dict[bytes, int], pool: list[dict[str, Any]]) -> int:
    """Return the number of a message in the pool, into which it is put if it is not there."""
    form = compact_json(message)
    if form not in numbers:
        numbers[form] = len(pool)
        pool.append(message)
    return numbers[form]


def _heading(comparison: Comparison, report: Report, masked: bool) -> dict[str, Any]:
    """Return what stands above the table: name, headline, short facts, further lines, and the warning."""
    warning = report.warning() or ""
    return {
        "name": report.name,
        "headline": headline(comparison),
        "facts": [
            comparison.api,
            f"{amount(comparison.messages, 'message')} in Chat form",
            amount(len(comparison.outcomes[0].turns), "request"),
            f"limit {amount(comparison.limit, 'token')}",
            f"{amount(len(comparison.facts), 'fact')} to keep",
        ],
        "lines": [*comparison.notes, *([f"Masked on this page: {warning}."] if masked else [])],
        "warning": "" if masked else warning,
    }


def _strategy(outcome: Outcome, comparison: Comparison, final: list[int]) -> dict[str, Any]:
    """Return the row of a strategy, its line of the chart, and what stands behind both.

    Shares are in whole percent, cut off as in the other faces: of the limit, and of all tokens sent.
    """
    number = {fact: number for number, fact in enumerate(comparison.facts)}
    return {
        "name": outcome.name,
        "says": outcome.says,
        "notes": list(outcome.notes),
        "last": outcome.last,
        "last_share": 100 * outcome.last // comparison.limit,
        "largest": outcome.largest,
        "largest_share": 100 * outcome.largest // comparison.limit,
        "over": outcome.over(comparison.limit),
        "sent": outcome.sent,
        "reused_share": 100 * outcome.reused // outcome.sent if outcome.sent else None,
        "summaries": outcome.summaries,
        "tokens_in": outcome.summary_tokens_in,
        "tokens_out": outcome.summary_tokens_out,
        "tokens": [turn.tokens for turn in outcome.turns],
        "messages": [turn.messages for turn in outcome.turns],
        "same": [turn.same_prefix for turn in outcome.turns],
        "refusals": [
            {"turn": turn, "code": made.refused, "reason": made.reason}
            for turn, made in enumerate(outcome.turns)
            if made.refused
        ],
        "lost": [number[fact] for fact in outcome.lost],
        "findings": [
            {part: getattr(finding, part) for part in ("code", "message", "text", "fix")}
            for finding in outcome.new_findings
        ],
        "final": final,
    }
