"""A comparison of strategies as static HTML, for viewers that run no widget. Its text face is its own."""

from html import escape
from typing import Any

from ctxlab.player.static import folded, table
from ctxlab.tracer.tables import Row, one_line

HEADS = (
    "strategy",
    "what it does",
    "last request",
    "largest request",
    "over the limit",
    "refused",
    "facts kept",
    "start reused",
    "summaries",
    "their tokens",
    "new findings",
)


def title(name: str) -> str:
    """Return what the comparison for a file is called, in one line; a list has no name."""
    return f"Strategies on {one_line(name) or 'a list of messages'}"


def strategies_html(state: dict[str, Any]) -> str:
    """Return headline, notes, the table, and what stands behind it as HTML without script, text escaped.

    `state` is that of `strategies_state`.
    """
    heading, strategies, facts = state["heading"], state["strategies"], state["facts"]
    warning = [f"Before you share this: {heading['warning']}."] if heading["warning"] else []
    names = [strategy["name"] for strategy in strategies]
    parts = [
        f"<p><strong>{escape(title(heading['name']))}: {escape(heading['headline'])}</strong></p>",
        *(
            f"<p>{escape(one_line(line))}</p>"
            for line in (", ".join(heading["facts"]), *heading["lines"], *warning)
        ),
        folded("Strategies", table(HEADS, [_row(strategy, state) for strategy in strategies])),
        folded("Facts", table(("kind", "fact", *names), _fact_rows(facts, strategies))),
        folded("Refusals", table(("strategy", "request", "code", "why"), _refusal_rows(strategies))),
        folded(
            "New findings",
            table(("strategy", "message of its last request", "code", "why"), _finding_rows(strategies)),
        ),
        folded("Tokens of each request", table(("request", *names), _token_rows(state))),
        folded("How each was used", table(("strategy", "note"), _note_rows(strategies))),
    ]
    return f"<div>{''.join(parts)}</div>"


def _row(strategy: dict[str, Any], state: dict[str, Any]) -> Row:
    facts, reused = len(state["facts"]), strategy["reused_share"]
    tokens = strategy["tokens_in"] + strategy["tokens_out"]
    return (
        strategy["name"],
        strategy["says"],
        f"{strategy['last']:,} ({strategy['last_share']} %)",
        f"{strategy['largest']:,} ({strategy['largest_share']} %)",
        str(strategy["over"]),
        str(len(strategy["refusals"])),
        f"{facts - len(strategy['lost'])} of {facts}" if facts else "-",
        "-" if reused is None else f"{reused} %",
        str(strategy["summaries"]),
        f"{tokens:,}",
        str(len(strategy["findings"])),
    )


def _fact_rows(facts: list[dict[str, str]], strategies: list[dict[str, Any]]) -> list[Row]:
    return [
        (
            fact["kind"],
            one_line(fact["text"]),
            *("lost" if number in strategy["lost"] else "kept" for strategy in strategies),
        )
        for number, fact in enumerate(facts)
    ]


def _refusal_rows(strategies: list[dict[str, Any]]) -> list[Row]:
    return [
        (strategy["name"], str(refusal["turn"] + 1), refusal["code"], one_line(refusal["reason"]))
        for strategy in strategies
        for refusal in strategy["refusals"]
    ]


def _finding_rows(strategies: list[dict[str, Any]]) -> list[Row]:
    return [
        (
            strategy["name"],
            "" if finding["message"] is None else str(finding["message"]),
            finding["code"],
            one_line(finding["text"]),
        )
        for strategy in strategies
        for finding in strategy["findings"]
    ]


def _token_rows(state: dict[str, Any]) -> list[Row]:
    return [
        (str(turn + 1), *(f"{strategy['tokens'][turn]:,}" for strategy in state["strategies"]))
        for turn in range(len(state["moments"]))
    ]


def _note_rows(strategies: list[dict[str, Any]]) -> list[Row]:
    return [(strategy["name"], note) for strategy in strategies for note in strategy["notes"]]
