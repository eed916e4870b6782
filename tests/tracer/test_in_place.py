"""Runs that work on the history itself: how they are told from a mistake, their commits, and what became of
each message."""

from copy import deepcopy

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.encoding import compact_json
from ctxlab.reference import prepare_context, preparer, run_loop, trim_results
from ctxlab.scenarios import load_scenario, scenario_names
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

ACTIVE, CANDIDATE = 0, 1


def said(*texts):
    return [{"role": "user", "content": text} for text in texts]


def exchange(at, text="short"):
    call = {"type": "tool_use", "id": f"c{at}", "name": "read_file", "input": {"path": "notes.txt"}}
    result = {"type": "tool_result", "tool_use_id": f"c{at}", "content": text, "is_error": False}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def history(*texts):
    messages = said("Why?")
    for at, text in enumerate(texts):
        messages += exchange(at, text)
    return messages


def line_of(recorded, step):
    """The code of the line of a step."""
    place = recorded.data["places"][recorded.data["steps"]["place"][step]]
    source = recorded.data["sources"][place[1]]
    return source["text"].splitlines()[place[2] - source["first_line"]].strip()


def fates(recorded):
    return [(fate.source, fate.target, fate.fate) for fate in recorded.provenance]


def deciding(recorded, wanted):
    return [line_of(recorded, fate.step) for fate in recorded.provenance if fate.fate == wanted]


# How working in place is told from a change by mistake


def pops(messages):
    messages.pop()


def pops_and_says_so(messages):
    messages.pop()
    return {"status": "popped", "left": len(messages)}


def pops_and_returns_faults(messages):
    messages.pop()
    return []


def gives_the_history_back_beside_a_status(messages):
    messages.pop()
    return {"status": "popped", "messages": messages}


def gives_the_newest_message_back(messages):
    return messages.pop()


def changes_a_copy_that_shares(messages):
    candidate = list(messages)
    candidate[0]["content"] = "other"
    candidate.pop()


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (pops, "messages.pop()"),
        (pops_and_says_so, "messages.pop()"),
        (pops_and_returns_faults, "messages.pop()"),
        (gives_the_history_back_beside_a_status, "messages.pop()"),
        (gives_the_newest_message_back, "return messages.pop()"),
        (changes_a_copy_that_shares, 'candidate[0]["content"] = "other"'),
    ],
)
def test_a_run_that_changes_the_history_and_returns_no_other_works_in_place(function, line):
    recorded = trace(function, history("a", "b"))
    checks = recorded.data["checks"]
    assert line_of(recorded, checks["in_place"]) == line
    assert checks["input_unchanged"] is None
    assert f"worked in place: yes, the history itself changed, first at step {checks['in_place']}\n" in (
        recorded.text()
    )
    assert "input unchanged" not in recorded.text()
    assert [fate.target for fate in recorded.provenance if fate.target is not None] == list(
        range(5 if function is changes_a_copy_that_shares else 4)
    )


def pops_and_returns_it(messages):
    messages.pop()
    return messages


def changes_and_returns_another(messages):
    messages[0]["content"] = "other"
    return messages[:3]


def changes_and_returns_another_inside(messages):
    messages.pop()
    return {"status": "trimmed", "result": ["one", (messages[:1], 3)]}


def pops_and_raises(messages):
    messages.pop()
    raise ValueError


def pops_and_refuses(messages):
    messages.pop()
    raise Refusal("pending", "no")


def holds_itself(messages):
    messages[0]["content"] = messages


def pops_for_ever(messages):
    messages.pop()
    while True:
        pass


@pytest.mark.parametrize(
    "function",
    [
        pops_and_returns_it,
        changes_and_returns_another,
        changes_and_returns_another_inside,
        pops_and_raises,
        pops_and_refuses,
        holds_itself,
        pops_for_ever,
    ],
)
def test_a_changed_input_is_a_fault_of_any_other_run(function):
    checks = trace(function, history("a", "b"), step_limit=50).data["checks"]
    assert (checks["in_place"], checks["input_unchanged"]) == (None, False)


def looks(messages):
    return {"status": "looked", "messages": len(messages)}


def test_a_run_that_changes_nothing_does_not_work_in_place():
    recorded = trace(looks, history("a"))
    checks = recorded.data["checks"]
    assert (checks["in_place"], checks["input_unchanged"], recorded.provenance) == (None, True, [])
    assert recorded.text().startswith('looks: returned {"status": "looked", "messages": 3}\n')


def empties(messages):
    messages.clear()


def test_a_history_that_was_emptied_in_place_has_dropped_every_message():
    recorded = trace(empties, said("a", "b"))
    assert fates(recorded) == [(0, None, "dropped"), (1, None, "dropped")]
    assert recorded.text().startswith("empties: returned None; worked in place: 0 messages, 2 bytes\n")


# Commits


def commits_by_slice(messages):
    candidate = messages[:1]
    messages[:] = candidate


def commits_a_copy(messages):
    candidate = messages[:1]
    messages[:] = deepcopy(candidate)


def commits_in_two_statements(messages):
    candidate = messages[:1]
    messages.clear()
    messages.extend(candidate)


def commits_equal_messages(messages):
    candidate = deepcopy(messages)
    messages[:] = candidate


@pytest.mark.parametrize(
    ("function", "line", "left"),
    [
        (commits_by_slice, "messages[:] = candidate", 1),
        (commits_a_copy, "messages[:] = deepcopy(candidate)", 1),
        (commits_in_two_statements, "messages.extend(candidate)", 1),
        (commits_equal_messages, "messages[:] = candidate", 3),
    ],
)
def test_a_commit_is_the_statement_that_puts_the_candidate_in_the_place_of_the_history(function, line, left):
    recorded = trace(function, history("a"))
    (commit,) = recorded.data["commits"]
    assert line_of(recorded, commit) == line
    assert len(shown(recorded, CANDIDATE, commit)) == left
    assert len(shown(recorded, ACTIVE, commit + 1)) == left
    assert shown(recorded, CANDIDATE, commit + 1) == []
    assert f"a candidate was committed at step {commit}\n" in recorded.text()


def shown(recorded, which, step):
    """The pool messages of a history at a stop."""
    messages = []
    for at_step, history_of, at, removed, added, *_ in recorded.data["histories"]:
        if history_of == which and at_step <= step:
            messages[at : at + removed] = added
    return messages


def rebinds(messages):
    candidate = messages[:1]
    messages = candidate
    return len(messages)


def changes_what_is_shared(messages):
    candidate = list(messages)
    messages[0]["content"] = "other"
    candidate.append(candidate[0])


def appends(messages):
    candidate = messages[:1]
    messages.append(candidate[0])


@pytest.mark.parametrize("function", [rebinds, changes_what_is_shared, appends])
def test_what_leaves_another_history_than_the_candidate_is_no_commit(function):
    assert trace(function, history("a")).data["commits"] == []


def goes_on_with_it(messages):
    candidate = messages[:1]
    messages[:] = candidate
    messages.append({"role": "user", "content": "more"})
    candidate.append({"role": "user", "content": "other"})
    return candidate


def test_a_committed_list_is_a_candidate_again_where_it_changes():
    recorded = trace(goes_on_with_it, history("a"))
    (commit,) = recorded.data["commits"]
    counts = [len(shown(recorded, CANDIDATE, commit + after)) for after in range(4)]
    assert counts == [1, 0, 0, 2]
    assert recorded.data["checks"]["input_unchanged"] is False
    assert [fate.fate for fate in recorded.provenance] == ["kept", "added", "dropped", "dropped"]


# The loop


def sizes(recorded, which):
    return [row[5] for row in recorded.data["histories"] if row[1] == which]


@pytest.mark.parametrize("name", scenario_names())
def test_the_loop_on_each_scenario(name):
    messages = load_scenario(name).messages
    before = compact_json(messages)
    recorded = trace(run_loop, messages=messages, scenario=name)
    checks, value = recorded.data["checks"], recorded.outcome.value
    assert recorded.data["notes"] == []
    if value["status"] == "context_error":
        assert compact_json(messages) == before
        assert (checks["in_place"], checks["input_unchanged"]) == (None, True)
        assert (recorded.data["commits"], recorded.provenance) == ([], [])
        assert "no candidate: the input stays as it was" in recorded.text()
    else:
        assert value["status"] == "answered"
        assert [line_of(recorded, step) for step in recorded.data["commits"]] == [
            "messages[:] = candidate"
        ] * 2
        assert checks["in_place"] == recorded.data["commits"][0]
        assert checks["pairs_complete"] is True
        assert checks["first_broken_step"] is None
        assert sizes(recorded, ACTIVE)[-1] == len(compact_json(messages))
        assert len([fate for fate in recorded.provenance if fate.target is not None]) >= len(messages)
        scenario = load_scenario(name)
        kept = {fact.text for fact in scenario.surviving(messages)}
        assert {fact.text for fact in recorded.facts or () if fact.kept} == kept
    assert Trace.from_json(recorded.to_json()).text() == recorded.text()


def test_the_loop_leads_into_what_prepares_its_history():
    recorded = trace(run_loop, scenario="trim")
    depths = {step.function: step.depth for step in recorded.steps if step.event == "call"}
    assert (depths["prepare"], depths["prepare_context"], depths["trim_results"]) == (1, 2, 3)
    opaque = {call[2] for call in recorded.data["calls"]}
    assert {"stand_in_model", "MemoryArchive"} <= opaque
    assert deciding(recorded, "trimmed") == ['block["content"] = marker'] * 2
    assert set(deciding(recorded, "kept")) == {"messages[:] = candidate"}
    assert (
        deciding(recorded, "added") == ['messages.extend([answer, {"role": "user", "content": results}])'] * 2
    )


def test_a_summary_made_below_the_loop_is_one():
    recorded = trace(run_loop, scenario="summary")
    assert fates(recorded) == [
        (0, 0, "kept"),
        (9, 1, "kept"),
        (10, 2, "kept"),
        (None, 3, "added"),
        (None, 4, "added"),
        *((at, 0, "summarised") for at in range(1, 9)),
    ]
    assert set(deciding(recorded, "summarised")) == {"summary = summarize(copied(candidate[:first_recent]))"}


def test_without_prepare_the_loop_only_adds():
    recorded = trace(run_loop, scenario="trim", prepare=None)
    assert recorded.data["commits"] == []
    assert [fate.fate for fate in recorded.provenance] == ["kept"] * 7 + ["added"] * 2
    assert {fate.step for fate in recorded.provenance if fate.fate == "kept"} == {0}


def long_run(rounds, summaries):
    """A loop whose preparations each spend a summary of another text."""
    texts = iter(f"Summary {number}." for number in range(1, 99))
    state = {"archives": [], "summaries": 0, "max_summaries": summaries}

    def summarize(_):
        return next(texts)

    prepare = preparer("Why?", state, lambda _: "context-1.jsonl", summarize, budget=900)
    numbers = iter(range(100, 100 + rounds))

    def ask(_):
        number = next(numbers, None)
        if number is None:
            return {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
        return exchange(number)[0]

    tools = {"read_file": lambda path: "word " * 60 + path}
    return trace(run_loop, ask, tools, history("word " * 50, "word " * 50), prepare=prepare)


def test_what_was_summarised_and_summarised_again_stays_summarised():
    recorded = long_run(6, 9)
    assert recorded.outcome.value["status"] == "answered"
    calls = [call[0] for call in recorded.data["calls"] if call[2] == "summarize"]
    assert len(calls) > 1
    gone = {fate.source: fate for fate in recorded.provenance if fate.fate == "summarised"}
    assert sorted(gone) == [1, 2, 3, 4]
    assert {fate.target for fate in gone.values()} == {0}
    assert gone[1].step == calls[0], "each by the first call that got it"
    assert [fate for fate in recorded.provenance if fate.fate == "dropped"] == []


def test_a_later_context_error_leaves_what_was_committed_before():
    recorded = long_run(9, 1)
    value = recorded.outcome.value
    assert (value["status"], value["text"][:15]) == ("context_error", "summaries_spent")
    assert value["requests"] == len(recorded.data["commits"]) > 0
    assert recorded.data["checks"]["in_place"] == recorded.data["commits"][0]
    assert recorded.data["checks"]["pairs_complete"] is True


def opaque_prepare(question):
    """A learner's own `prepare`, which no trace looks into."""
    state = {"archives": [], "summaries": 0, "max_summaries": 2}

    def prepare(messages):
        return prepare_context(messages, question, state, lambda _: "context-1.jsonl", lambda _: "s", 1600)

    prepare.__module__ = "elsewhere"
    return prepare


def test_a_prepare_from_elsewhere_is_one_call_and_its_work_is_shown():
    recorded = trace(run_loop, scenario="trim", prepare=opaque_prepare("Why?"))
    assert "prepare_context" not in {step.function for step in recorded.steps}
    assert [call[2] for call in recorded.data["calls"]].count("prepare") == 2
    assert deciding(recorded, "trimmed") == ["candidate = copied(prepare(copied(messages)))"] * 2
    assert len(recorded.data["commits"]) == 2


def test_a_candidate_of_another_type_is_shown_and_not_committed():
    recorded = trace(run_loop, scenario="trim", prepare=tuple)
    assert recorded.outcome.value["text"] == "prepare returned a tuple"
    assert recorded.data["commits"] == []
    assert len(shown(recorded, CANDIDATE, len(recorded.steps) - 2)) == 7
    assert shown(recorded, CANDIDATE, len(recorded.steps) - 1) == []


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"max_requests": 1}, "max_requests"),
        ({"ask": lambda _: {"role": "user", "content": "no"}}, "model_error"),
    ],
)
def test_every_other_end_of_the_loop_works_in_place_too(given, status):
    recorded = trace(run_loop, scenario="trim", **given)
    assert recorded.outcome.value["status"] == status
    assert recorded.data["checks"]["in_place"] == recorded.data["commits"][0]
    assert len([fate for fate in recorded.provenance if fate.fate == "trimmed"]) == 2


def clears_and_raises(messages):
    messages.clear()
    raise Refusal("pending", "no")


def hands_itself_over(messages, prepare):
    try:
        candidate = prepare(messages)
    except Refusal:
        return "context_error"
    messages[:] = candidate
    return "committed"


def test_a_prepare_that_spoils_the_history_itself_is_seen():
    recorded = trace(hands_itself_over, history("a"), clears_and_raises)
    assert recorded.data["checks"]["in_place"] is not None
    assert {fate.fate for fate in recorded.provenance} == {"dropped"}
    assert set(deciding(recorded, "dropped")) == {"candidate = prepare(messages)"}


# A budget


def trims_in_place(messages, budget):
    messages[:] = trim_results(messages, "context-1.jsonl", 1, 100)


def test_the_budget_of_the_call_holds_for_the_history_at_the_end():
    messages = history("word " * 400, "short")
    checks = trace(trims_in_place, deepcopy(messages), 1000).data["checks"]
    assert checks["within_budget"] is True
    checks = trace(trims_in_place, deepcopy(messages), 100).data["checks"]
    assert checks["within_budget"] is False


def adds_half_a_pair(messages):
    messages.append(exchange(7)[0])
    messages.append(exchange(8)[1])


def test_the_first_broken_step_is_one_of_the_history_itself():
    recorded = trace(adds_half_a_pair, history("a"))
    checks = recorded.data["checks"]
    assert checks["pairs_complete"] is False
    assert line_of(recorded, checks["first_broken_step"]) == "messages.append(exchange(8)[1])"
