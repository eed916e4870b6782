"""The steps of a function are read from its comments, and what a step needs from its code."""

import pytest

from ctxlab.exercises.activities.steps import steps_of
from ctxlab.player.runs import SUBJECTS
from ctxlab.reference import check_pairs, prepare_context, run_loop, split_history, trim_results

FUNCTIONS = [subject.function for subject in SUBJECTS.values()]


def sample(items: list[int], limit: int) -> int:
    # 1. Keep what is large.
    large = [item for item in items if item > limit]
    # 2. Nothing large, nothing to add.
    if not large:
        return 0
    # 3. Count it. They stand at 0, 1, ...
    count = len(items)
    # 4. Add it up.
    total = sum(large) + count
    return total  # noqa: RET504


def test_texts_are_the_labels_without_number_and_full_stop() -> None:
    assert [step.text for step in steps_of(sample)] == [
        "Keep what is large",
        "Nothing large, nothing to add",
        "Count it. They stand at 0, 1, ...",
        "Add it up",
    ]
    assert [len(steps_of(function)) for function in FUNCTIONS] == [4, 5, 9, 5, 5, 5]


def test_a_step_needs_the_steps_that_made_what_it_uses_then_those_that_can_end_the_run() -> None:
    needs = [[(need.step, need.why) for need in step.needs] for step in steps_of(sample)]
    ends = "The run can end there, and then this step must not run."
    assert needs == [
        [],
        [(0, "It makes large, which this step uses.")],
        [(1, ends), (0, "")],
        [
            (2, "It makes count, which this step uses."),
            (0, "It makes large, which this step uses."),
            (1, ends),
        ],
    ]


def in_place(items: list[int], limit: int) -> None:
    # 1. Make a list.
    smaller = [item for item in items if item <= limit]
    # 2. Put it there.
    items[:] = smaller
    # 3. Add one more.
    items.append(limit)
    # 4. Count them.
    print(len(items))


def test_a_step_that_puts_something_into_a_list_changes_it() -> None:
    assert [[(need.step, need.why) for need in step.needs] for step in steps_of(in_place)] == [
        [],
        [(0, "It makes smaller, which this step uses.")],
        [(1, "It changes items, which this step uses."), (0, "")],
        [
            (2, "It changes items, which this step uses."),
            (1, "It changes items, which this step uses."),
            (0, ""),
        ],
    ]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_earlier_step_is_needed_once(function: object) -> None:
    for index, step in enumerate(steps_of(function)):  # type: ignore[arg-type]
        assert sorted(need.step for need in step.needs) == list(range(index))


def test_the_reference_is_read_right() -> None:
    assert steps_of(prepare_context)[3].needs[0].why == "It makes receipt, which this step uses."
    assert steps_of(trim_results)[4].needs[0].why == "It makes marker, which this step uses."
    assert steps_of(split_history)[1].needs[0].step == 0
    assert steps_of(run_loop)[2].needs[0].why == "It changes messages, which this step uses."
    assert steps_of(check_pairs)[4].needs[0].why == "It changes faults, which this step uses."
