"""The table of what was kept and lost: its cells and figures are those of the runs, and its faces agree."""

from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import CtxlabError
from ctxlab.player.losses import losses
from ctxlab.reference import history_bytes, prepare_context, run_loop, split_history, trim_results
from ctxlab.scenarios import load_scenario
from ctxlab.scenarios.fields import Fact
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

History = list[dict[str, Any]]


def question_only(messages: History) -> History:
    return messages[:1]


def emptied(messages: History) -> History:
    messages.clear()
    return messages


def counted(messages: History) -> int:
    return len(messages)


def spoiled(messages: History) -> None:
    messages.clear()
    raise OSError("disk full")


def first_only(messages: History) -> dict[str, str]:
    del messages[1:]
    return {"status": "shortened"}


def state_of_its_own(messages: History) -> History:
    state = {"summaries": 3}
    state["summaries"] += 2
    return messages[:]


def failing(messages: History) -> History:
    raise OSError("disk full")


def endless(messages: History) -> History:
    while True:
        messages = messages[:1]


def stateful(messages: History, state: Any) -> History:
    return messages[:]


@pytest.fixture(scope="module")
def summary() -> Trace:
    return trace(prepare_context, scenario="summary")


def cells(*traces: Trace) -> dict[str, list[str]]:
    """What each fact of a table became, by the fact."""
    return {fact: found for fact, *found in losses(*traces).facts}


def figures(*traces: Trace) -> dict[str, list[str]]:
    return {label: found for label, *found in losses(*traces).figures}


# What it says


def test_a_table_as_text(summary: Trace) -> None:
    assert repr(losses(trace(trim_results, scenario="summary"), summary)) == (
        "Kept and lost on summary\n"
        "\n"
        "fact                                  trim_results  prepare_context\n"
        "rule: Ask before you delete anything  kept          kept\n"
        "rule: 请勿删日志                      kept          lost\n"
        "path: notes.txt                       kept          kept\n"
        "id: call_1                            kept          lost\n"
        "\n"
        "how it ended                          returned      returned\n"
        "pairs complete                        yes           yes\n"
        "messages before                       11            11\n"
        "messages after                        11            3\n"
        "bytes before                          3351          3351\n"
        "bytes after                           3351          626\n"
        "summaries spent                       -             1"
    )


@pytest.mark.parametrize("name", ["normal", "trim", "summary", "multi"])
@pytest.mark.parametrize("function", [trim_results, prepare_context])
def test_cells_and_figures_are_those_of_the_run(function: Callable[..., History], name: str) -> None:
    scenario = load_scenario(name)
    run = trace(function, scenario=name)
    kept = scenario.surviving(run.outcome.value)
    assert [row[1] for row in losses(run).facts] == [
        "kept" if fact in kept else "lost" for fact in scenario.must_survive
    ]
    found = figures(run)
    assert found["messages before"] == [str(len(scenario.messages))]
    assert found["messages after"] == [str(len(run.outcome.value))]
    assert found["bytes before"] == [str(history_bytes(scenario.messages))]
    assert found["bytes after"] == [str(history_bytes(run.outcome.value))]


NOTHING = "no candidate: nothing changed"


@pytest.mark.parametrize(
    ("function", "word", "ended"),
    [
        (lambda: trace(split_history, scenario="pending"), "refused: nothing changed", "refused pending"),
        (lambda: trace(failing, scenario="pending"), "error: nothing changed", "error OSError"),
        (
            lambda: trace(endless, scenario="pending", step_limit=20),
            "step limit: nothing changed",
            "step limit",
        ),
        (lambda: trace(counted, scenario="pending"), NOTHING, "returned"),
        (lambda: trace(spoiled, scenario="pending"), "error: input changed", "error OSError"),
        (lambda: trace(run_loop, scenario="pending"), NOTHING, "returned context_error"),
    ],
)
def test_a_run_without_a_candidate_says_so(function: Callable[[], Trace], word: str, ended: str) -> None:
    run = function()
    assert {found for row in losses(run).facts for found in row[1:]} == {word}
    found = figures(run)
    assert found["how it ended"] == [ended]
    count = str(len(load_scenario("pending").messages))
    assert found["messages before"] == [count]
    assert found["messages after"] == [count if "nothing changed" in word else "0"]


def test_a_run_that_worked_in_place_kept_what_its_history_holds_at_the_end() -> None:
    run = trace(first_only, scenario="normal")
    assert cells(run) == {
        "rule: Ask before you delete anything": ["kept"],
        "path: notes.txt": ["kept"],
        "figure: 8443": ["lost"],
        "id: call_1": ["lost"],
    }
    found = figures(run)
    assert found["how it ended"] == ["returned shortened"]
    assert (found["messages before"], found["messages after"]) == (["5"], ["1"])
    assert found["bytes after"] == [str(history_bytes(load_scenario("normal").messages[:1]))]


@pytest.mark.parametrize("name", ["trim", "summary", "fit"])
def test_a_loop_has_lost_what_its_history_no_longer_says(name: str) -> None:
    arguments = load_scenario(name).arguments()
    taken = {key: arguments[key] for key in ("ask", "tools", "messages", "prepare")}
    run_loop(**taken)
    run = trace(run_loop, scenario=name)
    kept = load_scenario(name).surviving(taken["messages"])
    assert [row[1] for row in losses(run).facts] == [
        "kept" if fact in kept else "lost" for fact in load_scenario(name).must_survive
    ]
    found = figures(Trace.from_json(run.to_json()))
    assert found["how it ended"] == ["returned answered"]
    assert found["messages after"] == [str(len(taken["messages"]))]
    assert found["bytes after"] == [str(history_bytes(taken["messages"]))]
    assert found["summaries spent"] == [str(arguments["state"]["summaries"])]


def test_a_broken_pair_shows() -> None:
    def without_results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [message for message in messages if "tool_use_id" not in str(message)]

    table = losses(trace(trim_results, scenario="normal"), trace(without_results, scenario="normal"))
    assert ("pairs complete", "yes", "no") in table.figures


def test_an_emptied_history_has_lost_everything() -> None:
    run = trace(emptied, scenario="normal")
    assert {found for row in losses(run).facts for found in row[1:]} == {"lost"}
    assert figures(run)["messages after"] == ["0"]


def test_what_was_not_in_the_input_is_neither_kept_nor_lost() -> None:
    own = [{"role": "user", "content": "read notes.txt on port 8443"}, {"role": "user", "content": "call_1"}]
    assert cells(trace(question_only, own, scenario="normal")) == {
        "rule: Ask before you delete anything": ["not in the input"],
        "path: notes.txt": ["kept"],
        "figure: 8443": ["kept"],
        "id: call_1": ["lost"],
    }


def test_summaries_are_those_that_this_run_spent() -> None:
    state = {"archives": [], "summaries": 1, "max_summaries": 2}
    run = trace(prepare_context, scenario="summary", state=state)
    assert state["summaries"] == 2
    assert figures(run)["summaries spent"] == ["1"]
    assert figures(Trace.from_json(run.to_json()))["summaries spent"] == ["1"]


def test_a_state_that_the_run_made_counts_from_there() -> None:
    assert figures(trace(state_of_its_own, scenario="normal"))["summaries spent"] == ["2"]


@pytest.mark.parametrize("state", [None, {}, {"summaries": "many"}, {"summaries": True}, [3], "state"])
def test_a_state_without_a_count_spends_nothing(state: Any) -> None:
    run = trace(stateful, scenario="normal", state=state)
    assert "summaries spent" not in figures(run)


def test_a_trace_from_json_has_the_same_table(summary: Trace) -> None:
    assert losses(Trace.from_json(summary.to_json())) == losses(summary)


def test_a_scenario_without_facts_has_figures_only() -> None:
    scenario = replace(load_scenario("normal"), must_survive=())
    table = losses(trace(question_only, scenario=scenario))
    assert table.facts == ()
    assert table.title == "Kept and lost on normal (it lists no facts that must survive)"
    assert Face(table._repr_html_()).rows[-1] == ["bytes after", str(history_bytes(scenario.messages[:1]))]


# Names


def test_names_are_the_functions_and_numbered_where_they_repeat(summary: Trace) -> None:
    smaller = trace(prepare_context, scenario="summary", budget=700)
    trimmed = trace(trim_results, scenario="summary")
    assert losses(summary, trimmed, smaller).names == (
        "prepare_context 1",
        "trim_results",
        "prepare_context 2",
    )


def test_names_of_ones_own(summary: Trace) -> None:
    table = losses(summary, summary, names=["mine", "a\nb" + "x" * 100])
    assert table.names == ("mine", "a\\nb" + "x" * 57 + "… (103 characters)")
    assert losses(summary, names=iter(["mine"])).names == ("mine",)


@pytest.mark.parametrize("names", [["one"], ["one", "two", "three"], "ab", ["one", 2], 7, []])
def test_names_that_do_not_fit(summary: Trace, names: Any) -> None:
    with pytest.raises(CtxlabError, match="give a list with a text for each trace, 2 in all"):
        losses(summary, summary, names=names)


# What cannot be put into one table


def test_two_scenarios(summary: Trace) -> None:
    with pytest.raises(CtxlabError, match="of 'summary' and 'normal'; make a table for each"):
        losses(summary, trace(prepare_context, scenario="normal"))


def test_two_versions_of_a_scenario(summary: Trace) -> None:
    changed = replace(load_scenario("summary"), must_survive=())
    with pytest.raises(CtxlabError, match="two versions of 'summary'"):
        losses(summary, trace(prepare_context, scenario=changed))


def test_a_run_without_a_scenario(summary: Trace) -> None:
    with pytest.raises(CtxlabError, match=r"question_only has no scenario.*trace\(\.\.\., scenario=\.\.\.\)"):
        losses(summary, trace(question_only, [{"role": "user", "content": "hello"}]))


@pytest.mark.parametrize("given", [[], None, "summary"])
def test_what_is_no_trace(given: Any) -> None:
    with pytest.raises(CtxlabError, match=rf"needs traces, not {type(given).__name__}"):
        losses(given)


def test_no_trace_at_all() -> None:
    with pytest.raises(CtxlabError, match="at least one trace"):
        losses()


# Its faces


class Face(HTMLParser):
    """Reads the table: its rows of cells. Fails where an element is not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.strong: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= {"style", "scope"}
        self.tags.add(tag)
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "tr" in self.open:
            self.rows[-1][-1] += data
        if self.open[-1] == "strong":
            self.strong.append(data)


def test_html_has_the_rows_of_the_table_and_marks_what_is_lost(summary: Trace) -> None:
    table = losses(trace(trim_results, scenario="summary"), summary)
    face = Face(table._repr_html_())
    rows = [("fact", *table.names), *table.facts, *table.figures]
    assert face.rows == [list(row) for row in rows]
    assert face.strong == [table.title, "lost", "lost"]


def test_hostile_text_is_text(hostile_trace: Trace, hostile: str) -> None:
    table = losses(hostile_trace, names=[hostile])
    face = Face(table._repr_html_())
    assert face.tags <= {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert face.rows[0][1].startswith("<img src=x onerror=alert(1)></script>")
    assert face.rows[1][0].startswith("other: <img src=x onerror=alert(1)></script>")
    assert "".join(cell for row in face.rows for cell in row).isprintable()
    assert repr(table).replace("\n", "").isprintable()


def test_a_long_fact_is_shortened() -> None:
    text = "x\n\u202e" * 1000
    scenario = replace(load_scenario("normal"), must_survive=(Fact(kind="other", text=text),))
    table = losses(trace(question_only, [{"role": "user", "content": text}], scenario=scenario))
    ((fact, fate),) = table.facts
    assert (fact.endswith("… (3000 characters)"), fate) == (True, "kept")
    assert len(repr(table)) < 2000


def test_odd_runs_have_no_table_but_an_answer(odd_trace: Trace) -> None:
    if odd_trace.data["scenario"] is None:
        with pytest.raises(CtxlabError, match="has no scenario"):
            losses(odd_trace)
    else:
        assert {row[1] for row in losses(odd_trace).facts} == {"step limit: nothing changed"}


def test_is_public() -> None:
    assert ctxlab.losses is losses
