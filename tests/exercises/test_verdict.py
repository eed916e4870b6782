"""The faces of a verdict: text, HTML, and the button that opens both runs."""

from html.parser import HTMLParser
from typing import Any

import ipywidgets
import pytest

from ctxlab.errors import CtxlabError
from ctxlab.exercises.checking import check_exercise
from ctxlab.exercises.exercise import exercise
from ctxlab.exercises.verdict import Verdict
from ctxlab.player.compare import Compare

CUT = exercise("safe_cut")


@pytest.fixture(scope="module")
def failed() -> Verdict:
    return check_exercise(CUT, CUT.callable("no_refusal"))


@pytest.fixture
def passed() -> Verdict:
    return Verdict(
        "safe_cut", "passed", ("safe_cut: Passed.", "It was tried.", "  once", "  twice", "Why: so.")
    )


def mime(verdict: Verdict) -> dict[str, Any]:
    return verdict._repr_mimebundle_(include=None, exclude=None)


def said(html: str) -> str:
    """What a reader of the HTML sees."""
    words: list[str] = []
    parser = HTMLParser()
    parser.handle_data = words.append  # type: ignore[method-assign]
    parser.feed(html)
    parser.close()
    return "".join(words)


def test_passed_is_a_kind(passed: Verdict, failed: Verdict) -> None:
    assert (passed.passed, passed.kind) == (True, "passed")
    assert (failed.passed, failed.kind) == (False, "differs")


def test_the_text_has_every_line(passed: Verdict) -> None:
    assert passed.text() == repr(passed) == "\n".join(passed.lines)


def test_the_text_says_how_to_see_both_runs_and_the_html_has_a_button_for_it(failed: Verdict) -> None:
    hint = 'In a notebook, check("safe_cut", safe_cut).compare() shows both runs.'
    assert failed.text() == "\n".join([*failed.lines, hint])
    assert ".compare()" not in said(failed.html())
    assert ".compare()" not in failed.view.children[0].value


def test_the_html_has_every_line_too(passed: Verdict, failed: Verdict) -> None:
    assert said(passed.html()) == "✓ safe_cut: Passed.It was tried.  once\n  twiceWhy: so."
    for line in failed.lines:
        assert line in said(failed.html())


def test_the_html_marks_the_kind_with_a_sign_and_not_by_colour_alone(
    passed: Verdict, failed: Verdict
) -> None:
    waiting = Verdict("safe_cut", "not_written", ("safe_cut: Not written yet.",))
    assert [said(verdict.html())[0] for verdict in (passed, failed, waiting)] == ["✓", "✗", "…"]


def test_the_html_is_escaped() -> None:
    line = 'Got: raised Error: <script>alert("&")</script>'
    html = Verdict("x", "error", ("<b>", line, f"  {line}")).html()
    assert html.count("&lt;script&gt;") == 2
    assert "<script" not in html
    assert said(html) == f"✗ <b>{line}  {line}"


def test_a_notebook_gets_text_html_and_a_view_with_a_button(failed: Verdict) -> None:
    bundle = mime(failed)
    assert bundle["text/plain"] == failed.text()
    assert bundle["text/html"] == failed.html()
    model = bundle["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert model == failed.view.model_id
    words, button = failed.view.children
    assert isinstance(words, ipywidgets.HTML)
    assert words.value == failed.html()
    assert button.description == "Open both runs (shows a solution)"


def test_without_runs_there_is_no_button(passed: Verdict) -> None:
    assert set(mime(passed)) == {"text/plain", "text/html"}


def test_the_button_shows_both_runs_below() -> None:
    verdict = check_exercise(CUT, CUT.callable("no_refusal"))
    _, button = verdict.view.children
    button.click()
    *_, shown = verdict.view.children
    assert isinstance(shown, Compare)
    assert button.disabled
    assert len(verdict.view.children) == 3


def test_compare_opens_where_the_runs_part(failed: Verdict) -> None:
    compare = failed.compare()
    assert isinstance(compare, Compare)
    assert compare.names == ["reference", "yours"]
    assert failed.runs is not None
    left, right = failed.runs
    assert (left.outcome.code, right.outcome.value) == ("pending", 1)
    # The solution asks about the open call there.
    step = left.steps[compare.steps[0]]
    assert step.event == "decision"
    assert "% 2" in CUT.solution.splitlines()[step.line - 1]


def test_compare_without_runs_says_why() -> None:
    verdict = check_exercise(CUT, lambda messages, keep_recent: 0)
    with pytest.raises(CtxlabError, match=r"^safe_cut: there are no two runs to compare"):
        verdict.compare()
