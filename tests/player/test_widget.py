"""The player as a widget: its faces, where it opens, what it refuses, and what it sends to the page."""

import json
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.player.widget import Player
from ctxlab.reference import prepare_context, split_history
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def summary() -> Trace:
    return trace(prepare_context, scenario="summary")


def sent(player: Player) -> dict[str, Any]:
    """What the page gets, packed as a kernel packs it."""
    names = ["trace", "clipped", "cards", "encoding", "heading", "maps", "step", "breakpoints"]
    names += ["questions", "predict", "predictions"]
    packed = json.dumps(player.get_state(names), ensure_ascii=False, allow_nan=False).encode("utf-8")
    state: dict[str, Any] = json.loads(packed)
    return state


def test_has_a_live_a_static_and_a_text_face(summary: Trace) -> None:
    data, _ = Player(summary)._repr_mimebundle_()
    assert data.keys() == {VIEW, "text/html", "text/plain"}
    assert data["text/plain"] == summary.text()
    assert "<table>" in data["text/html"]


def test_faces_are_the_same_each_time(summary: Trace) -> None:
    one, again = (Player(trace(prepare_context, scenario="summary")) for _ in range(2))
    assert one.model_id != again.model_id
    bundles = [player._repr_mimebundle_()[0] for player in (one, again)]
    for bundle in bundles:
        del bundle[VIEW]
    assert bundles[0] == bundles[1]
    assert (
        repr(one) == repr(again) == "<Player of prepare_context on summary: returned 3 messages, 626 bytes>"
    )


@pytest.mark.parametrize(("at", "step"), [(None, 0), (0, 0), (7, 7), (-1, 243), (243, 243), (-244, 0)])
def test_opens_where_it_is_told(summary: Trace, at: int | None, step: int) -> None:
    assert len(summary.steps) == 244
    assert Player(summary, at=at).step == step


@pytest.mark.parametrize("at", [244, -245, "3", 3.0, True])
def test_refuses_a_step_that_is_not_there(summary: Trace, at: Any) -> None:
    with pytest.raises(CtxlabError, match=r"^at is .*; this trace has the steps 0 to 243, or -244 to -1$"):
        Player(summary, at=at)


def test_a_breakpoint_is_a_line_of_the_file(summary: Trace) -> None:
    entry, second = summary.data["sources"][:2]
    lines = [entry["first_line"], second["first_line"] + 1]
    assert Player(summary, breakpoints=lines).breakpoints == [[0, lines[0]], [1, lines[1]]]
    assert Player(summary, breakpoints=iter(lines[:1])).breakpoints == [[0, lines[0]]]


@pytest.mark.parametrize("line", [0, -1, 100_000, "5", None, True])
def test_refuses_a_breakpoint_outside_and_says_what_is_inside(summary: Trace, line: Any) -> None:
    with pytest.raises(CtxlabError, match=r"no traced function has a line .*prepare_context has \d+ to \d+"):
        Player(summary, breakpoints=[line])


def test_refuses_what_is_no_list_of_breakpoints(summary: Trace) -> None:
    with pytest.raises(CtxlabError, match="breakpoints is 5; give a list of source lines"):
        Player(summary, breakpoints=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("thing", [None, "summary", {}, prepare_context])
def test_refuses_what_is_no_trace(thing: Any, summary: Trace) -> None:
    with pytest.raises(CtxlabError, match=r"Player needs a Trace, not \w+; make one with ctxlab.trace"):
        Player(thing)
    with pytest.raises(CtxlabError, match="Player needs a Trace"):
        Player(summary).show(thing)


def test_show_puts_another_trace_in_its_place(summary: Trace) -> None:
    player = Player(summary, at=200, breakpoints=[summary.data["sources"][0]["first_line"]])
    other = trace(split_history, scenario="mismatch")
    player.show(other)
    assert sent(player) == sent(Player(other))
    assert player.recorded is other
    assert (player.step, player.breakpoints) == (0, [])
    assert player._repr_mimebundle_()[0]["text/plain"] == other.text()


def test_predict_sends_the_questions_and_takes_the_answers(summary: Trace) -> None:
    player = Player(summary, predict=True)
    state = sent(player)
    assert (state["predict"], state["predictions"]) == ("decisions", [])
    assert [question["answer"] for question in state["questions"]] == ["no"] * 7
    assert sent(Player(summary, predict="decisions")) == state
    plain = sent(Player(summary))
    assert (plain["predict"], plain["questions"], plain["predictions"]) == ("", [], [])


def test_refuses_another_predict(summary: Trace) -> None:
    match = "predict is 'all'; give True, False or one of decisions, outcome, messages"
    with pytest.raises(CtxlabError, match=match):
        Player(summary, predict="all")
    player = Player(summary, predict="outcome")
    before = sent(player)
    with pytest.raises(CtxlabError, match=match):
        player.show(trace(split_history, scenario="mismatch"), predict="all")
    assert sent(player) == before


def test_show_asks_anew(summary: Trace) -> None:
    player = Player(summary, predict="outcome")
    player.predictions = [
        {"ask": "outcome", "step": 0, "answer": "returns", "reason": "x", "tries": 1, "right": True}
    ]
    other = trace(split_history, scenario="mismatch")
    player.show(other, predict="messages")
    assert sent(player) == sent(Player(other, predict="messages"))
    player.show(other)
    assert sent(player) == sent(Player(other))


def test_a_gated_player_tells_nothing_of_the_run(summary: Trace) -> None:
    player = Player(summary, predict=True)
    assert repr(player) == "<Player of prepare_context: a prediction comes first>"
    data, _ = player._repr_mimebundle_()
    for face in (data["text/plain"], data["text/html"]):
        assert "Does the history fit the budget as it is?" in face
        assert "3351" not in face
        assert "returned" not in face
    nothing = Player(trace(prepare_context, scenario="pending"), predict=True)
    assert nothing.questions == []
    faces, _ = nothing._repr_mimebundle_()
    said = "In this run prepare_context itself decides nothing: there is nothing to predict."
    assert faces["text/plain"].startswith(f"{said}\n\n")
    assert "refused pending" in faces["text/plain"]
    assert faces["text/html"].startswith(f"<p>{said}</p>")
    plain = Player(nothing.recorded)
    assert said not in plain._repr_mimebundle_()[0]["text/plain"]


def test_a_refused_show_changes_nothing(summary: Trace) -> None:
    player = Player(summary, at=5)
    before = sent(player)
    with pytest.raises(CtxlabError):
        player.show(trace(split_history, scenario="mismatch"), breakpoints=[100_000])
    assert sent(player) == before
    assert player.recorded is summary


def test_hostile_text_reaches_the_page(hostile_trace: Trace, hostile: str) -> None:
    state = sent(Player(hostile_trace))
    # UTF-8 has no lone surrogates. Everything else arrives as it is.
    assert state["cards"][0]["preview"] == hostile.replace("\ud800", "\N{REPLACEMENT CHARACTER}")
    assert hostile_trace.data["strings"].count(hostile) == 1, "the trace itself stays as it was recorded"


def test_odd_runs_have_a_player(odd_trace: Trace) -> None:
    player = Player(odd_trace, at=-1)
    assert sent(player)["step"] == len(odd_trace.steps) - 1
    assert player._repr_mimebundle_()[0]["text/plain"] == odd_trace.text()


def test_a_large_history_is_sent_whole(large_trace: Trace) -> None:
    state = sent(Player(large_trace))
    assert len(state["cards"]) == 5001
    assert len(json.dumps(state)) < 10_000_000
