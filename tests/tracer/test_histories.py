"""The histories of a run: which list is active, which the candidate, and what each holds when."""

import pytest

from ctxlab.messages.encoding import compact_json
from ctxlab.reference.history import prepare_context, split_history, trim_results
from ctxlab.scenarios import load_scenario, scenario_names
from ctxlab.tracer.run import trace

ACTIVE, CANDIDATE = 0, 1


def shown(recorded, which, step):
    """The texts of a history at a stop."""
    strings = recorded.data["strings"]
    pool = recorded.data["messages"]
    history = []
    for at_step, history_of, at, removed, added, *_ in recorded.data["histories"]:
        if history_of == which and at_step <= step:
            history[at : at + removed] = added
    return [text_of(pool[index], strings) for index in history]


def text_of(message, strings):
    kind, *cells = message
    assert kind == "d"
    fields = {strings[key // 2]: value for key, value in zip(cells[::2], cells[1::2], strict=True)}
    content = fields["content"]
    return strings[content // 2] if isinstance(content, int) else content


def at_line(recorded, text):
    """The last stop at a line that holds this text."""
    source = recorded.data["sources"][0]
    line = next(
        at for at, line in enumerate(source["text"].splitlines(), source["first_line"]) if text in line
    )
    return max(
        at
        for at, step in enumerate(recorded.steps)
        if (step.event, step.line, step.depth) == ("line", line, 0)
    )


def said(*texts):
    return [{"role": "user", "content": text} for text in texts]


def last(recorded):
    return len(recorded.steps) - 1


def appends(messages):
    candidate = []
    for message in messages:
        candidate.append(message)
    candidate[1] = {**candidate[1], "content": "B"}
    del candidate[0]
    return candidate


def test_a_candidate_grows_and_changes_step_by_step():
    recorded = trace(appends, said("a", "b", "c"))
    assert shown(recorded, ACTIVE, 0) == ["a", "b", "c"]
    assert shown(recorded, CANDIDATE, at_line(recorded, "candidate.append")) == ["a", "b"]
    assert shown(recorded, CANDIDATE, at_line(recorded, "candidate[1] =")) == ["a", "b", "c"]
    assert shown(recorded, CANDIDATE, at_line(recorded, "del candidate")) == ["a", "B", "c"]
    assert shown(recorded, CANDIDATE, last(recorded)) == ["B", "c"]
    assert shown(recorded, ACTIVE, last(recorded)) == ["a", "b", "c"]


def in_place(messages):
    messages[1]["content"] = "B"
    messages.pop(0)
    return messages


def test_a_change_of_the_input_shows_in_the_active_history():
    recorded = trace(in_place, said("a", "b"))
    assert shown(recorded, ACTIVE, at_line(recorded, "messages.pop")) == ["a", "B"]
    assert shown(recorded, ACTIVE, last(recorded)) == ["B"]
    assert shown(recorded, CANDIDATE, last(recorded)) == ["B"]
    assert recorded.data["checks"]["input_unchanged"] is False


def changes_a_copy(messages):
    candidate = [dict(message) for message in messages]
    candidate[0]["content"] = "A"
    return candidate


def test_a_change_of_a_copy_leaves_the_input_unchanged():
    recorded = trace(changes_a_copy, said("a", "b"))
    assert recorded.data["checks"]["input_unchanged"] is True
    assert shown(recorded, ACTIVE, last(recorded)) == ["a", "b"]


def changes_back(messages):
    messages[0]["content"] = "A"
    messages[0]["content"] = "a"
    return messages


def test_a_change_that_is_taken_back_was_one():
    assert trace(changes_back, said("a")).data["checks"]["input_unchanged"] is False


def newest_counts(messages):
    first = messages[:2]
    second = messages[1:]
    first = first + second
    return second


def test_the_newest_history_is_the_candidate_and_the_returned_one_wins():
    recorded = trace(newest_counts, said("a", "b", "c"))
    assert shown(recorded, CANDIDATE, at_line(recorded, "second = ")) == ["a", "b"]
    assert shown(recorded, CANDIDATE, at_line(recorded, "first = first")) == ["b", "c"]
    assert shown(recorded, CANDIDATE, at_line(recorded, "return")) == ["a", "b", "b", "c"]
    assert shown(recorded, CANDIDATE, last(recorded)) == ["b", "c"]


def groups(messages):
    exchanges = []
    for at in range(0, len(messages), 2):
        exchanges.append(messages[at : at + 2])
    exchanges[0][1] = {"role": "user", "content": "B"}
    exchanges[1].append(messages[0])
    return {"question": messages[0], "older": exchanges[:1], "recent": exchanges[1:]}


def test_exchanges_are_flattened_and_a_result_of_parts_is_put_together():
    recorded = trace(groups, said("a", "b", "c"))
    assert shown(recorded, CANDIDATE, at_line(recorded, "exchanges[1]")) == ["a", "B", "c"]
    assert shown(recorded, CANDIDATE, at_line(recorded, "return")) == ["a", "B", "c", "a"]
    assert shown(recorded, CANDIDATE, last(recorded)) == ["a", "a", "B", "c", "a"]


def returns_a_number(messages):
    candidate = messages[:1]
    return len(candidate)


def returns_nothing(messages):
    return None


def test_what_is_no_history_is_no_candidate():
    recorded = trace(returns_a_number, said("a", "b"))
    assert shown(recorded, CANDIDATE, last(recorded)) == []
    assert recorded.provenance == []
    assert recorded.data["checks"]["pairs_complete"] is None
    recorded = trace(returns_nothing, said("a"))
    assert [row[1] for row in recorded.data["histories"]] == [ACTIVE]


def tuple_of(messages):
    return tuple(messages[1:])


def loses_its_role(messages):
    candidate = [dict(message) for message in messages]
    del candidate[1]["role"]
    candidate[1]["role"] = "user"
    return candidate


def holds_the_history(messages):
    messages[0]["content"] = messages
    return len(messages)


def test_a_dict_that_is_no_message_any_more_ends_the_history():
    recorded = trace(loses_its_role, said("a", "b"))
    assert shown(recorded, CANDIDATE, at_line(recorded, "del ")) == ["a", "b"]
    assert shown(recorded, CANDIDATE, at_line(recorded, '["role"] = ')) == []
    assert shown(recorded, CANDIDATE, last(recorded)) == ["a", "b"]
    recorded = trace(holds_the_history, said("a", "b"))
    assert shown(recorded, ACTIVE, last(recorded)) == []


def test_a_tuple_of_messages_is_a_history():
    recorded = trace(tuple_of, tuple(said("a", "b")))
    assert shown(recorded, ACTIVE, 0) == ["a", "b"]
    assert shown(recorded, CANDIDATE, last(recorded)) == ["b"]


def twice(messages):
    candidate = [messages[0], messages[0]]
    candidate[1]["content"] = "both"
    return candidate


def test_one_message_that_stands_twice_changes_twice():
    recorded = trace(twice, said("a", "b"))
    assert shown(recorded, CANDIDATE, last(recorded)) == ["both", "both"]
    assert shown(recorded, ACTIVE, last(recorded)) == ["both", "b"]


@pytest.mark.parametrize("name", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
def test_the_histories_of_the_reference(function, name):
    recorded = trace(function, scenario=name)
    messages = load_scenario(name).messages
    rows = [row for row in recorded.data["histories"] if row[1] == ACTIVE]
    assert [row[5] for row in rows] == [len(compact_json(messages))]
    assert recorded.data["checks"]["input_unchanged"] is True
    if recorded.outcome.kind == "returned" and function is not split_history:
        size = [row[5] for row in recorded.data["histories"] if row[1] == CANDIDATE][-1]
        assert size == len(compact_json(recorded.outcome.value))


def breaks(messages):
    candidate = list(messages)
    candidate.pop(2)
    candidate.append({"role": "user", "content": "more"})
    return candidate


def mends(messages):
    candidate = list(messages)
    result = candidate.pop(2)
    candidate.insert(2, result)
    return candidate


def exchange(at=0):
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": f"c{at}", "name": "n", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{at}", "content": f"r{at}"}]},
    ]


def test_the_first_broken_step_is_where_the_pairing_broke_for_good():
    messages = [*said("q"), *exchange(0), *exchange(1)]
    recorded = trace(breaks, messages)
    checks = recorded.data["checks"]
    assert checks["pairs_complete"] is False
    assert recorded.steps[checks["first_broken_step"]].line == breaks.__code__.co_firstlineno + 3
    checks = trace(mends, messages).data["checks"]
    assert (checks["pairs_complete"], checks["first_broken_step"]) == (True, None)


def test_the_budget_is_that_of_the_call():
    checks = trace(prepare_context, scenario="normal").data["checks"]
    assert (checks["budget"], checks["within_budget"]) == (load_scenario("normal").settings.budget, True)
    assert trace(appends, said("a", "b")).data["checks"]["budget"] is None


def empty_group_beside_a_pair(messages):
    groups = [[], [messages[1], messages[2]]]
    groups[1] = messages[3]
    return groups


def test_an_empty_group_is_not_taken_for_a_message():
    """Two items hold two messages, but not one each: an index among the items is none among the messages."""
    messages = [{"role": "user", "content": text} for text in "abcd"]
    recorded = trace(empty_group_beside_a_pair, messages)
    last_line = max(step for step, event in enumerate(recorded.steps) if event.event == "line")
    assert shown(recorded, CANDIDATE, last_line) == ["d"]
