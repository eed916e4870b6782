"""The text and the static HTML of two runs: what they show, and that both say the same."""

import re
from html import unescape

import pytest

from ctxlab.player.comparison import Comparison
from ctxlab.player.comparison_faces import MOST_ROWS, comparison_html, comparison_text
from ctxlab.reference import prepare_context
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


@pytest.fixture(scope="module")
def budgets() -> Comparison:
    small, large = (trace(prepare_context, scenario="summary", budget=budget) for budget in (1600, 4000))
    return Comparison(small, large, ("small", "large"))


def nothing() -> None:
    pass


def count_long(sizes: list[int], limit: int) -> int:
    found = 0
    for size in sizes:
        # Is it too long?
        if size > limit:
            found += 1
    return found


def cells(html: str) -> list[str]:
    return [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", html)]


def test_the_text_shows_how_both_ended_and_where_they_part(budgets: Comparison) -> None:
    text = comparison_text(budgets)
    assert text.startswith(
        "small and large\n"
        "  small: prepare_context on summary: returned 3 messages, 626 bytes\n"
        "  large: prepare_context on summary: returned 11 messages, 3351 bytes\n"
        "  budget is 1600 for small and 4000 for large.\n"
        f"\n{budgets.lines[0]}\n{budgets.lines[1]}\n"
    )


def test_the_text_shows_the_decisions_side_by_side(budgets: Comparison) -> None:
    text = re.sub(r"context:\d+  Does", "context:N  Does", comparison_text(budgets))
    asked = "88  prepare_context:N  Does the history fit the budget as it is?"
    assert (
        "  other answer, first difference\n"
        f"    small  {asked} 3351 <= 1600 is no. 3. Archive a copy before anything is removed.\n"
        f"    large  {asked} 3351 <= 4000 is yes. No archive, no summary.\n"
    ) in text
    alone = [verdict for verdict in budgets.verdicts if verdict == "left"]
    assert 0 < text.count("  only small\n") < len(alone), "those of the functions that were called stay out"
    assert text.count("    large  does not ask this\n") == text.count("  only small\n")
    shown = text.count("\n    small  ")
    assert text.endswith(f"\n  and {len(budgets.pairs) - shown} in the functions that were called\n")


def test_both_faces_say_the_same(budgets: Comparison) -> None:
    html, text = comparison_html(budgets), comparison_text(budgets)
    said = [unescape(part) for part in re.split(r"<[^>]+>", html) if part]
    assert [part for part in said if part not in text] == []
    assert len(cells(html)) == 3 * text.count("\n    small  ")


def test_runs_without_decisions_have_faces() -> None:
    bare = Comparison(trace(nothing), trace(nothing), ("left", "right"))
    assert comparison_text(bare).endswith("was asked and seen)\n  none\n")
    assert "<p>none</p>" in comparison_html(bare)


def test_a_run_that_was_cut_off_says_so_in_both_faces() -> None:
    cut = trace(prepare_context, scenario="summary", step_limit=30)
    pair = Comparison(cut, trace(prepare_context, scenario="summary"), ("cut", "whole"))
    note = "Note on cut: The run reached the step limit: only its first 30 steps were recorded."
    assert note in comparison_text(pair)
    assert note in comparison_html(pair)


def test_a_long_table_is_cut_with_a_count() -> None:
    sizes = list(range(MOST_ROWS + 7))
    pair = Comparison(trace(count_long, sizes, 3), trace(count_long, sizes, 3), ("left", "right"))
    assert comparison_text(pair).count("\n    left   ") == MOST_ROWS
    assert comparison_text(pair).endswith("\n  … 7 more\n")
    assert len(cells(comparison_html(pair))) == 3 * MOST_ROWS
    assert "<p>… 7 more</p>" in comparison_html(pair)


def test_hostile_text_is_text(hostile_trace: Trace, hostile: str) -> None:
    pair = Comparison(hostile_trace, trace(nothing), (hostile, "mine"))
    html = comparison_html(pair)
    assert "<img" not in html
    assert "&lt;img src=x" in html
    assert set(re.findall(r"</?(\w+)", html)) <= {"div", "p", "strong", "details", "summary"} | {
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    decided = Comparison(trace(count_long, [1], 0), trace(count_long, [1], 0), (hostile, "mine"))
    assert "<img" not in comparison_html(decided), "the names stand above the table, too"
    checked = Comparison(hostile_trace, trace(nothing), ("left", "right"))
    assert comparison_text(checked).replace("\n", "").isprintable()
