"""Compare as a widget: its faces, where it opens, what it refuses, what it sends to the page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import CtxlabError
from ctxlab.player.compare import Compare
from ctxlab.player.module import joined_module
from ctxlab.reference import prepare_context
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

VIEW = "application/vnd.jupyter.widget-view+json"
PARTS = ["sides", "names", "unlike", "lines", "pairs", "verdicts", "stops", "divergence", "steps"]


@pytest.fixture(scope="module")
def small() -> Trace:
    return trace(prepare_context, scenario="summary", budget=1600)


@pytest.fixture(scope="module")
def large() -> Trace:
    return trace(prepare_context, scenario="summary", budget=4000)


def sent(compare: Compare) -> dict[str, Any]:
    """What the page gets, packed as a kernel packs it."""
    packed = json.dumps(compare.get_state(PARTS), ensure_ascii=False, allow_nan=False).encode("utf-8")
    state: dict[str, Any] = json.loads(packed)
    return state


def test_is_public() -> None:
    assert ctxlab.Compare is Compare


def test_opens_at_the_first_difference(small: Trace, large: Trace) -> None:
    state = sent(Compare(small, large))
    first = state["divergence"]["row"]
    assert state["verdicts"][first] == "answer"
    assert state["steps"] == state["stops"][first]
    decision = small.decisions[state["pairs"][first][0]]
    assert decision.sentence.startswith("Does the history fit the budget as it is? 3351 <= 1600 is no.")
    assert state["lines"][0].endswith(decision.sentence)


def test_opens_at_the_start_when_the_runs_do_not_part(small: Trace) -> None:
    state = sent(Compare(small, small))
    assert state["divergence"] is None
    assert state["steps"] == [0, 0]
    assert set(state["verdicts"]) == {"same"}
    assert state["lines"][0] == "No decision tells the two runs apart, and both end with equal values."


@pytest.mark.parametrize(("at", "steps"), [((0, 0), [0, 0]), ([5, 7], [5, 7]), ((-1, -91), [243, 0])])
def test_opens_where_it_is_told(small: Trace, large: Trace, at: Any, steps: list[int]) -> None:
    assert Compare(small, large, at=at).steps == steps


@pytest.mark.parametrize("at", [(0,), 3, (0, 91), (244, 0), (0, "1"), (True, 0), "01", (0, 0, 0)])
def test_refuses_steps_that_are_not_there(small: Trace, large: Trace, at: Any) -> None:
    with pytest.raises(
        CtxlabError, match=r"^at is .*; give a step of each run.*: left has 0 to 243, right .* 90$"
    ):
        Compare(small, large, at=at)


@pytest.mark.parametrize(
    "names", ["ab", ("a",), ("a", "a"), ("", "b"), (" ", "b"), (1, 2), None, ("a", "b", "c")]
)
def test_refuses_what_are_no_two_names(small: Trace, large: Trace, names: Any) -> None:
    with pytest.raises(CtxlabError, match=r"^names is .*; give two different texts"):
        Compare(small, large, names=names)


@pytest.mark.parametrize("thing", [None, "summary", prepare_context])
def test_refuses_what_is_no_trace(small: Trace, thing: Any) -> None:
    for pair in ((thing, small), (small, thing)):
        with pytest.raises(
            CtxlabError, match=r"^Compare needs two traces, not \w+; make one with ctxlab.trace"
        ):
            Compare(*pair)


def test_marks_the_settings_that_differ(small: Trace, large: Trace) -> None:
    for side in sent(Compare(small, large))["sides"]:
        marks = {name: differs for name, _, differs in side["heading"]["settings"]}
        assert marks == {"question": False, "budget": True, "keep_recent": False}


# Its faces


def test_has_a_live_a_static_and_a_text_face(small: Trace, large: Trace) -> None:
    data, _ = Compare(small, large)._repr_mimebundle_()
    assert data.keys() == {VIEW, "text/html", "text/plain"}
    lines = Compare(small, large).compared.lines
    assert "\n".join(lines) in data["text/plain"]
    assert "<table>" in data["text/html"]
    assert "script" not in data["text/html"]


def test_faces_are_the_same_each_time(small: Trace, large: Trace) -> None:
    one, again = Compare(small, large), Compare(small, large)
    bundles = [compare._repr_mimebundle_()[0] for compare in (one, again)]
    for bundle in bundles:
        del bundle[VIEW]
    assert bundles[0] == bundles[1]
    assert repr(one) == repr(again)
    assert re.fullmatch(r"<Compare of left and right: left, line \d+: Does the history fit .*>", repr(one))


def test_hostile_text_reaches_the_page(hostile_trace: Trace, hostile: str) -> None:
    state = sent(Compare(hostile_trace, hostile_trace, names=(hostile, "mine")))
    assert state["sides"][0]["cards"][0]["preview"] == hostile.replace("\ud800", "\N{REPLACEMENT CHARACTER}")


def test_odd_runs_can_be_compared(odd_trace: Trace, small: Trace) -> None:
    for pair in ((odd_trace, odd_trace), (small, odd_trace), (odd_trace, small)):
        compare = Compare(*pair)
        assert len(sent(compare)["sides"]) == 2
        assert compare._repr_mimebundle_()[0]["text/plain"].startswith("left and right\n")


def nothing() -> None:
    pass


def test_a_run_without_steps_can_be_compared() -> None:
    empty = trace(nothing).to_json()
    empty["steps"] = {"place": [], "turns": []}
    empty["variables"] = {"step": [], "frame": [], "name": [], "value": []}
    run = Trace(empty)
    for pair in ((run, trace(nothing)), (trace(nothing), run), (run, run)):
        compare = Compare(*pair)
        assert sent(compare)["pairs"] == []
        assert "none" in compare._repr_mimebundle_()[0]["text/plain"]


# Its page


def test_saves_a_page_with_its_own_module(small: Trace, large: Trace, tmp_path: Path) -> None:
    compare = Compare(small, large, at=(3, 4))
    compare.save_html(tmp_path / "runs.html")
    html = (tmp_path / "runs.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)
    assert json.loads(scripts[0]) == sent(compare)
    assert json.loads(scripts[1]) == joined_module("compare.js")
    assert "<title>left and right</title>" in html
    assert "Decisions side by side" in html.partition("<noscript>")[2]


def test_saves_the_steps_that_it_shows(small: Trace, large: Trace, tmp_path: Path) -> None:
    compare = Compare(small, large)
    compare.steps = [10, 11]
    compare.save_html(tmp_path / "runs.html")
    assert '"steps":[10,11]' in (tmp_path / "runs.html").read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_refused(small: Trace, tmp_path: Path) -> None:
    with pytest.raises(CtxlabError, match="the page cannot be written"):
        Compare(small, small).save_html(tmp_path / "missing" / "runs.html")


def test_a_hostile_page_keeps_every_text_in_its_place(
    hostile_trace: Trace, hostile: str, tmp_path: Path
) -> None:
    Compare(hostile_trace, hostile_trace, names=(hostile, "mine")).save_html(tmp_path / "runs.html")
    html = (tmp_path / "runs.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 3
    assert "<" not in scripts[0] + scripts[1]
    assert "<img" not in html.replace(scripts[2], "")
