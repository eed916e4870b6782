"""What became of every message, for the reference and for the ways in which a learner would write it."""

# ruff: noqa: RUF005 - learners write lists in every way

import pytest

from ctxlab.reference.history import prepare_context, trim_results
from ctxlab.scenarios import load_scenario
from ctxlab.tracer.run import trace


def said(text, role="user"):
    return {"role": role, "content": text}


def exchange(at, text):
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": f"c{at}", "name": "n", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{at}", "content": text}]},
    ]


def history():
    return [said("Why?"), *exchange(0, "long " * 50), *exchange(1, "long " * 40), *exchange(2, "short")]


def fates(recorded):
    return [(fate.source, fate.target, fate.fate) for fate in recorded.provenance]


def lines(recorded, *wanted):
    """The lines that did it, relative to the `def`, of the fates asked for."""
    first = recorded.data["sources"][0]["first_line"]
    return [recorded.steps[fate.step].line - first for fate in recorded.provenance if fate.fate in wanted]


KEPT_FIRST = [(0, 0, "kept"), (1, 1, "kept")]


def test_trimming_of_the_reference():
    recorded = trace(trim_results, scenario="trim")
    kinds = [fate.fate for fate in recorded.provenance]
    assert kinds == ["kept", "kept", "trimmed", "kept", "trimmed", "kept", "kept"]
    steps = [recorded.steps[fate.step] for fate in recorded.provenance if fate.fate == "trimmed"]
    source = recorded.data["sources"][0]
    assert {source["text"].splitlines()[step.line - source["first_line"]].strip() for step in steps} == {
        'block["content"] = marker'
    }
    assert steps[0] is not steps[1]


def test_a_summary_of_the_reference():
    recorded = trace(prepare_context, scenario="summary")
    gone = [fate for fate in recorded.provenance if fate.target == 0]
    assert [fate.fate for fate in gone] == ["kept", *["summarised"] * 8]
    call = next(call for call in recorded.data["calls"] if call[2] == "summarize")
    assert {fate.step for fate in gone[1:]} == {call[0]}
    assert not [fate for fate in recorded.provenance if fate.fate == "dropped"]


@pytest.mark.parametrize(
    ("question", "host", "fate"),
    [
        ("Why?\n\nSay it in one line.", "Why?\n\nSay it in one line.", "kept"),
        ("Why?", "Why? And when?", "kept"),
        ("Why", "Whyever?", "summarised"),
        ("Why?", "What now?", "summarised"),
    ],
)
def test_a_question_is_kept_when_the_rebuilt_history_begins_with_it(question, host, fate):
    messages = load_scenario("summary").messages
    messages[0]["content"] = question
    recorded = trace(prepare_context, messages, host, scenario="summary")
    (first,) = [row for row in recorded.provenance if row.source == 0]
    assert (first.fate, first.target) == (fate, 0)


def test_a_history_that_fits_is_kept():
    assert {fate.fate for fate in trace(prepare_context, scenario="fit").provenance} == {"kept"}


@pytest.mark.parametrize(
    "name", ["pending", "mismatch", "exhausted", "bad_summary", "recent_large", "archive_error"]
)
def test_a_refused_run_has_no_provenance(name):
    assert trace(prepare_context, scenario=name).provenance == []


def empties_a_copy(messages):
    candidate = list(messages)
    candidate.clear()
    return candidate


def empties_its_input(messages):
    while messages:
        messages.pop()
    return messages


@pytest.mark.parametrize(("function", "steps"), [(empties_a_copy, [2, 2]), (empties_its_input, [6, 3])])
def test_a_history_that_was_emptied_has_dropped_every_message(function, steps):
    recorded = trace(function, [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}])
    assert [(fate.fate, fate.source, fate.target) for fate in recorded.provenance] == [
        ("dropped", 0, None),
        ("dropped", 1, None),
    ]
    assert [fate.step for fate in recorded.provenance] == steps
    assert f"{function.__name__}: returned 0 messages, 2 bytes" in recorded.text()
    assert "no candidate" not in recorded.text()


def changes_its_input(messages):
    messages.pop(1)
    messages[0]["content"] = "z"
    del messages[1:2]
    messages.append(messages.pop(0))
    return messages


def drops_one_twice(messages):
    messages.append(messages.pop(0))
    return messages[:-1]


def test_what_leaves_the_input_itself_is_dropped_by_the_statement_that_took_it_out():
    recorded = trace(changes_its_input, [said(text) for text in "abcd"])
    dropped = {fate.source: fate.step for fate in recorded.provenance if fate.fate == "dropped"}
    first = recorded.steps[1].line
    assert {source: recorded.steps[step].line - first for source, step in dropped.items()} == {
        0: 1,
        1: 0,
        2: 2,
    }
    # Moved by the first statement, but left out only by the second.
    recorded = trace(drops_one_twice, [said(text) for text in "ab"])
    assert [(fate.source, fate.step) for fate in recorded.provenance if fate.fate == "dropped"] == [(0, 2)]


def finds_nothing(messages):
    return []


def test_an_empty_list_that_never_held_a_message_is_no_candidate():
    recorded = trace(finds_nothing, [{"role": "user", "content": "a"}])
    assert recorded.provenance == []
    assert "no candidate: the input stays as it was" in recorded.text()


def rebuilt(messages):
    out = []
    for message in messages:
        content = message["content"]
        if isinstance(content, list):
            content = [
                {**block, "content": "(gone)"} if len(block.get("content", "")) > 100 else block
                for block in content
            ]
        out.append({"role": message["role"], "content": content})
    return out


def in_place(messages):
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if len(block.get("content", "")) > 100:
                block["content"] = "(gone)"
    return messages


def by_slices(messages):
    shorter = [{**messages[2]["content"][0], "content": "(gone)"}]
    other = [{**messages[4]["content"][0], "content": "(gone)"}]
    return (
        messages[:2]
        + [{"role": "user", "content": shorter}, messages[3], {"role": "user", "content": other}]
        + messages[5:]
    )


@pytest.mark.parametrize("function", [rebuilt, in_place, by_slices])
def test_every_way_to_trim_is_trimming(function):
    recorded = trace(function, history())
    assert [kind for *_, kind in fates(recorded)] == [
        "kept",
        "kept",
        "trimmed",
        "kept",
        "trimmed",
        "kept",
        "kept",
    ]
    assert [source for source, *_ in fates(recorded)] == [0, 1, 2, 3, 4, 5, 6]
    assert recorded.data["checks"]["input_unchanged"] is (function is not in_place)


def test_trimming_in_place_points_to_the_statement():
    assert lines(trace(in_place, history()), "trimmed") == [4, 4]


def filtered(messages):
    return [message for message in messages if "long" not in str(message)]


def not_appended(messages):
    kept = []
    for message in messages:
        if "long" in str(message["content"]):
            continue
        kept.append(message)
    return kept


def deleted(messages):
    messages = list(messages)
    del messages[4]
    del messages[2]
    return messages


@pytest.mark.parametrize("function", [filtered, not_appended, deleted])
def test_every_way_to_drop_is_dropping(function):
    recorded = trace(function, history())
    assert fates(recorded) == [
        (0, 0, "kept"),
        (1, 1, "kept"),
        (3, 2, "kept"),
        (5, 3, "kept"),
        (6, 4, "kept"),
        (2, None, "dropped"),
        (4, None, "dropped"),
    ]
    assert recorded.data["checks"]["pairs_complete"] is False


def test_deleting_points_to_each_statement():
    recorded = trace(deleted, history())
    assert lines(recorded, "dropped") == [3, 2]


def window(messages, limit):
    kept = list(messages)
    while len(kept) > limit:
        kept.pop(0)
    return kept


def test_a_window_drops_one_after_the_other():
    recorded = trace(window, history(), 4)
    assert [(source, kind) for source, target, kind in fates(recorded) if target is None] == [
        (0, "dropped"),
        (1, "dropped"),
        (2, "dropped"),
    ]
    steps = [fate.step for fate in recorded.provenance if fate.fate == "dropped"]
    assert steps == sorted(set(steps))
    assert lines(recorded, "dropped") == [3, 3, 3]


def summarises(messages, summarize):
    text = summarize(messages[1:5])
    return [messages[0], said(f"So far: {text}"), *messages[5:]]


def test_a_summary_that_stands_in_a_message_of_its_own():
    recorded = trace(summarises, history(), lambda messages: f"{len(messages)} messages about logs")
    assert fates(recorded) == [
        (0, 0, "kept"),
        (None, 1, "added"),
        (5, 2, "kept"),
        (6, 3, "kept"),
        *((at, 1, "summarised") for at in (1, 2, 3, 4)),
    ]


def test_a_summary_that_is_not_used_summarises_nothing():
    def unused(messages):
        return "never seen"

    recorded = trace(summary_thrown_away, history(), unused)
    assert {fate.fate for fate in recorded.provenance if fate.target is None} == {"dropped"}


def summary_thrown_away(messages, summarize):
    summarize(messages)
    return messages[:1]


def equal_ones(messages):
    return [messages[0], *messages[2:], said("new")]


def test_equal_messages_match_in_order():
    recorded = trace(equal_ones, [said("a"), said("b"), said("b"), said("b")])
    assert fates(recorded) == [
        (0, 0, "kept"),
        (1, 1, "kept"),
        (2, 2, "kept"),
        (None, 3, "added"),
        (3, None, "dropped"),
    ]


def other_role(messages):
    return [{**messages[0], "role": "assistant"}, *messages[1:]]


def test_a_message_in_another_role_is_another_message():
    recorded = trace(other_role, [said("a"), said("b")])
    assert fates(recorded) == [(None, 0, "added"), (1, 1, "kept"), (0, None, "dropped")]
