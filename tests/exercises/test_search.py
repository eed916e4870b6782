"""The search: the same inputs each time, ever smaller ones, and nothing left behind."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import storage_directory

from ctxlab.exercises.search import OutOfTime, search

NUMBERS = st.lists(st.integers(0, 1000), max_size=5)


def tried(most: int = 50) -> list[list[int]]:
    seen: list[list[int]] = []

    def fails(value: list[int]) -> bool:
        seen.append(value)
        return False

    assert search(NUMBERS, fails, most) is True
    return seen


def failing(value: list[int], found: list[list[int]]) -> bool:
    if any(number > 600 for number in value):
        found.append(value)
        return True
    return False


def test_tries_as_many_values_as_it_may() -> None:
    assert len(tried(50)) == 50


def test_tries_the_same_values_each_time() -> None:
    assert tried() == tried()


def test_ends_with_the_smallest_that_fails() -> None:
    found: list[list[int]] = []
    assert search(NUMBERS, lambda value: failing(value, found), 200) is True
    assert found[-1] == [601]


def test_an_answer_that_changes_ends_it() -> None:
    answers = iter([True])
    assert search(NUMBERS, lambda value: next(answers, False), 50) is True


def test_values_that_are_all_rejected_end_it() -> None:
    assert search(NUMBERS.filter(lambda value: False), lambda value: True, 50) is True


def test_says_that_it_ran_out_of_time_and_keeps_what_it_found() -> None:
    found: list[list[int]] = []

    def fails(value: list[int]) -> bool:
        if len(found) == 3:
            raise OutOfTime
        return failing(value, found)

    assert search(NUMBERS, fails, 200) is False
    assert len(found) == 3


def test_ctrl_c_passes_through_and_leaves_the_settings_as_they_were() -> None:
    before = repr(settings())

    def interrupted(value: list[int]) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(NUMBERS, interrupted, 50)
    assert repr(settings()) == before


def test_leaves_no_file_and_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    home = storage_directory(intent_to_write=False).home_directory
    tried()
    search(NUMBERS, lambda value: failing(value, []), 200)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
    assert storage_directory(intent_to_write=False).home_directory == home
    assert os.fspath(home) != os.devnull


ALONE: list[list[list[int]]] = []


@settings(max_examples=3)
@given(st.integers())
def test_works_inside_another_test(number: int) -> None:
    # Without help, hypothesis refuses this: the outer test does not suppress its health check.
    assert HealthCheck.nested_given not in settings().suppress_health_check
    found: list[list[int]] = []
    search(NUMBERS, lambda value: failing(value, found), 200)
    ALONE.append(found)
    assert found == ALONE[0]
    assert found[-1] == [601]
