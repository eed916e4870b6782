"""The inputs of a check: varied, fair, short once they are shrunk, and new for every run."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from ctxlab.exercises.checking import SOUND, UNSOUND
from ctxlab.exercises.inputs import FAULTS, GENERATED, ODD, Input, Log, histories, inputs, named, suspects
from ctxlab.exercises.search import search
from ctxlab.messages.blocks import result_ids
from ctxlab.reference import history_bytes, split_history
from ctxlab.reference.history import result_marker
from ctxlab.scenarios import load_scenario

ALL = """
    messages question state archive summarize receipt budget keep_recent max_chars
""".split()


def generated(names: list[str], wrong: str | None, most: int) -> list[Input]:
    found: list[Input] = []

    def keep(value: Input) -> bool:
        found.append(value)
        return False

    search(inputs(names, wrong), keep, most)
    return found


@pytest.fixture(scope="module")
def sound() -> list[Input]:
    return generated(ALL, None, SOUND)


@pytest.fixture(scope="module")
def unsound() -> dict[str, list[Input]]:
    return {wrong: generated(ALL, wrong, UNSOUND) for wrong in suspects(ALL)}


def smallest(names: list[str], fails: Callable[[Input], bool]) -> Input:
    found: list[Input] = []

    def keep(value: Input) -> bool:
        if fails(value):
            found.append(value)
            return True
        return False

    search(inputs(names), keep, 250)
    return found[-1]


def results(value: Input) -> list[dict[str, Any]]:
    return [
        block
        for message in value.scenario.history[1:]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


class TestSound:
    def test_histories_have_0_to_5_exchanges_of_1_to_3_calls(self, sound: list[Input]) -> None:
        histories = [value.scenario.history for value in sound]
        assert {len(history) // 2 for history in histories} == {0, 1, 2, 3, 4, 5}
        assert {len(result_ids(message)) for history in histories for message in history[2::2]} == {1, 2, 3}

    def test_texts_are_short_and_long_of_one_to_four_bytes_a_character(self, sound: list[Input]) -> None:
        texts = [block["content"] for value in sound for block in results(value)]
        assert {0, 1, 599, 600, 601, 1200} <= set(map(len, texts))
        assert {len(text[0].encode()) for text in texts if text} == {1, 2, 3, 4}
        marker = len(result_marker("r", 2, 0, "c1"))
        lengths = Counter(len(text) - marker for text in texts)
        assert sum(lengths[more] for more in range(-10, 0)) > 0
        assert sum(lengths[more] for more in range(1, 11)) > 0

    def test_some_results_are_errors_and_some_come_in_another_order(self, sound: list[Input]) -> None:
        assert {block["is_error"] for value in sound for block in results(value)} == {True, False}
        ids = [result_ids(message) for value in sound for message in value.scenario.history[2::2]]
        assert any(each != sorted(each) for each in ids)

    def test_the_budget_is_often_the_size_or_beside_it(self, sound: list[Input]) -> None:
        beside = Counter(
            value.scenario.settings.budget - history_bytes(value.scenario.history) for value in sound
        )
        assert min(beside[-1], beside[0], beside[1]) > 0

    def test_the_limit_of_a_text_is_often_the_length_of_one_or_beside_it(self, sound: list[Input]) -> None:
        beside = Counter(
            value.scenario.settings.max_chars - length
            for value in sound
            for length in {len(block["content"]) for block in results(value)}
        )
        assert min(beside[-1], beside[0], beside[1]) > 0

    def test_settings_take_every_value_they_may(self, sound: list[Input]) -> None:
        assert {value.scenario.settings.keep_recent for value in sound} == {1, 2, 3, 4}
        assert {value.scenario.settings.max_summaries for value in sound} == {0, 1, 2}
        assert all(value.scenario.settings.budget >= 400 for value in sound)
        assert all(value.scenario.settings.max_chars >= 1 for value in sound)

    def test_stand_ins_fail_now_and_then(self, sound: list[Input]) -> None:
        assert {value.scenario.archive_fails for value in sound} == {True, False}
        assert {value.scenario.summarizer_fails for value in sound} == {True, False}
        assert {"a", "a" * 1000} <= {value.scenario.summary for value in sound}

    def test_nothing_is_wrong(self, sound: list[Input]) -> None:
        assert {(value.fault, value.odd, value.no_receipt) for value in sound} == {("", None, False)}

    def test_what_a_function_does_not_take_stays_as_usual(self) -> None:
        for value in generated(["messages"], None, 100):
            settings = value.scenario.settings
            assert (settings.keep_recent, settings.max_chars, settings.budget) == (1, 600, 3200)
            assert value.scenario.summary == "a"
            assert not value.scenario.archive_fails
            assert not value.scenario.summarizer_fails


class TestUnsound:
    def test_one_thing_is_wrong(self, unsound: dict[str, list[Input]]) -> None:
        assert list(unsound) == ["history", *ODD]
        for wrong, found in unsound.items():
            assert {value.odd for value in found} == {None if wrong == "history" else wrong}
            assert all(bool(value.fault) is (wrong == "history") for value in found)

    def test_every_way_in_which_it_can_be_wrong_is_met(self, unsound: dict[str, list[Input]]) -> None:
        def met(wrong: str, of: Callable[[Input], Any]) -> set[Any]:
            return {repr(of(value)) for value in unsound[wrong]}

        assert met("keep_recent", lambda value: value.scenario.settings.keep_recent) == {"0", "5", "True"}
        assert met("max_chars", lambda value: value.scenario.settings.max_chars) == {"0", "True"}
        assert met("budget", lambda value: value.scenario.settings.budget) == {"0", "399"}
        assert met("receipt", lambda value: value.scenario.receipt) == {"''", "' '"}
        assert met("question", lambda value: value.scenario.question) == {"''", "' '"}
        assert met("archive", lambda value: value.no_receipt) == {"True"}
        assert met("summarize", lambda value: value.scenario.summary) == {
            "''",
            "' \\n'",
            repr("a" * 1001),
            "None",
        }
        assert met("history", lambda value: value.fault) == {
            "'pending'",
            "'mismatch'",
            "'unsupported_block'",
            "'not_a_history'",
        }

    def test_only_what_a_function_takes_can_be_wrong(self) -> None:
        assert suspects(["messages", "keep_recent"]) == ["history", "keep_recent"]


class TestHistories:
    @given(histories())
    def test_a_history_that_is_not_to_be_faulty_is_sound(self, history: list[dict[str, Any]]) -> None:
        split_history(history)

    @pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
    def test_each_fault_is_one(self, fault: Callable[[Any, int], None]) -> None:
        history = load_scenario("trim").messages
        fault(history, 3)
        assert named("trim").fault == ""
        assert Input(replace(load_scenario("trim"), history=history)).fault != ""


class TestShrunk:
    def test_to_a_question_of_one_letter(self) -> None:
        found = smallest(ALL, lambda value: True)
        assert found.scenario.history == [{"role": "user", "content": "a"}]
        assert (found.odd, found.scenario.settings.budget, found.scenario.receipt) == (None, 3200, "r")

    def test_to_short_names(self) -> None:
        found = smallest(["messages"], lambda value: len(results(value)) >= 2)
        calls = [block["id"] for message in found.scenario.history[1::2] for block in message["content"]]
        assert calls == ["c1", "c2"]
        assert [block["content"] for block in results(found)] == ["", ""]

    def test_to_the_first_length_over_a_limit(self) -> None:
        found = smallest(
            ["messages", "max_chars"],
            lambda value: any(len(block["content"]) > 600 for block in results(value)),
        )
        (result,) = results(found)
        assert result["content"] in ("a" * 601, "a" * 1200)


class TestArguments:
    def test_are_those_that_are_asked_for_and_new_each_time(self) -> None:
        given = named("multi")
        first, second = (given.arguments(["state", "messages"], Log()) for _ in range(2))
        assert list(first) == ["messages", "state"]
        assert first == second
        first["messages"].clear()
        first["state"]["archives"].append("r")
        assert given.arguments(["messages", "state"], Log()) == second

    def test_the_calls_of_the_stand_ins_are_written_down(self) -> None:
        log = Log()
        arguments = named("summary").arguments(["archive", "summarize"], log)
        messages = [{"role": "user", "content": "a"}]
        receipt = arguments["archive"](messages)
        arguments["summarize"](messages[:0])
        messages.clear()
        assert log.calls == [("archive", [{"role": "user", "content": "a"}]), ("summarize", [])]
        assert receipt == "context-000000000001.jsonl"
        assert not log.raised

    def test_what_a_stand_in_raises_passes_through_and_is_noted(self) -> None:
        log = Log()
        archive = named("archive_error").arguments(["archive"], log)["archive"]
        with pytest.raises(OSError, match="the disk is full"):
            archive([])
        assert log.raised

    def test_an_archive_may_give_no_receipt(self) -> None:
        given = Input(load_scenario("summary"), "archive", no_receipt=True)
        assert given.arguments(["archive"], Log())["archive"]([]) == ""

    def test_only_the_first_calls_are_kept_in_full(self) -> None:
        log = Log()
        archive = named("summary").arguments(["archive"], log)["archive"]
        for _ in range(150):
            archive([])
        assert len(log.calls) == 150
        assert log.calls[0] == ("archive", [])
        assert log.calls[-1] == ("archive", None)


def test_a_named_input_is_the_scenario() -> None:
    given = named("pending")
    assert (given.fault, given.generated, given.odd) == ("pending", False, None)
    assert given.arguments(["messages"], Log())["messages"] == load_scenario("pending").messages


def test_a_generated_input_says_so(sound: list[Input]) -> None:
    assert all(value.generated and value.scenario.name == GENERATED for value in sound)
