"""The JSON form of a recording: columns, sources with their comments, calls, checks, notes."""

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.reference.history import prepare_context
from ctxlab.tracer.assemble import FORMAT, deltas, sums
from ctxlab.tracer.run import trace


@given(st.lists(st.integers()))
def test_deltas_are_undone_by_sums(numbers):
    assert sums(deltas(numbers)) == numbers


def explained(x):
    # 1. Begin.
    # Is it large?
    if x > 1:  # fmt: skip
        # Then leave.
        return 1

    # 2. Go on.
    y = x
    # A longer
    # comment.
    return y  # noqa: RET504


def test_comments_stand_at_the_line_of_their_statement():
    source = trace(explained, 1).data["sources"][0]
    first = explained.__code__.co_firstlineno
    assert source["first_line"] == first
    assert source["labels"] == [[first + 3, "1. Begin."], [first + 8, "2. Go on."]]
    assert source["lines"] == {
        str(first + 3): "1. Begin. Is it large?",
        str(first + 5): "Then leave.",
        str(first + 8): "2. Go on.",
        str(first + 11): "A longer comment.",
    }


def test_the_places_of_an_arm_name_its_condition():
    data = trace(explained, 1).data
    first = explained.__code__.co_firstlineno
    by_line = {line - first: site for event, _, line, site in data["places"] if event == "line"}
    assert by_line == {3: -1, 5: 0, 8: -1, 11: -1}


def test_an_opaque_call_has_its_arguments_and_its_result():
    recorded = trace(prepare_context, scenario="summary")
    (step, line, name, arguments, result), *_ = recorded.data["calls"]
    assert name == "MemoryArchive"
    assert recorded.steps[step].line == line
    assert recorded.value(result, step + 1) == "context-000000000001.jsonl"
    assert len(recorded.value(arguments[0], step + 1)) == 11


def test_nothing_of_the_machine_stands_in_a_trace():
    text = trace(prepare_context, scenario="summary").dumps()
    assert FORMAT in text
    assert "/ctxlab" not in text.replace("ctxlab/reference", "")
    assert " at 0x" not in text


def test_every_history_row_stands_at_a_stop():
    data = trace(prepare_context, scenario="summary").data
    assert all(0 <= row[0] < len(data["steps"]["place"]) for row in data["histories"])
