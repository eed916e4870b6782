"""Generated inputs: varied, fair, and short once they are shrunk."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import SearchStrategy

from ctxlab.errors import Refusal
from ctxlab.exercises.checking import SOUND, TWICE_WRONG, UNSOUND
from ctxlab.exercises.generated import FAULTS, ODD, Wrong, histories, inputs, suspects, twice_wrong
from ctxlab.exercises.inputs import GENERATED, Input, Log, named
from ctxlab.exercises.search import search
from ctxlab.exercises.stand_ins import OUTCOMES, PREPARES, calls_of
from ctxlab.messages.blocks import result_ids
from ctxlab.reference import count_request, history_bytes, split_history, trim_results
from ctxlab.reference.history import result_marker
from ctxlab.scenarios import load_scenario

ALL = """
    messages question state archive summarize receipt budget keep_recent max_chars
""".split()


def generated(strategy: SearchStrategy[Input], most: int) -> list[Input]:
    found: list[Input] = []

    def keep(value: Input) -> bool:
        found.append(value)
        return False

    search(strategy, keep, most)
    return found


@pytest.fixture(scope="module")
def sound() -> list[Input]:
    return generated(inputs(ALL), SOUND)


@pytest.fixture(scope="module")
def loops() -> list[Input]:
    return generated(inputs(["messages", "prepare", "ask", "tools"]), SOUND)


@pytest.fixture(scope="module")
def unsound() -> dict[Wrong, list[Input]]:
    return {wrong: generated(inputs(ALL, (wrong,)), UNSOUND) for wrong in suspects(ALL)}


@pytest.fixture(scope="module")
def twice() -> list[list[Input]]:
    return [generated(strategy, TWICE_WRONG) for strategy in twice_wrong(ALL)]


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

    def test_texts_are_as_long_as_their_marker_and_one_character_more_or_less(
        self, sound: list[Input]
    ) -> None:
        more = Counter(
            len(block["content"])
            - len(result_marker(value.scenario.receipt, index, number, block["tool_use_id"]))
            for value in sound
            for index in range(2, len(value.scenario.history), 2)
            for number, block in enumerate(value.scenario.history[index]["content"])
        )
        assert min(more[-1], more[0], more[1]) > 10

    def test_some_results_are_errors_and_some_come_in_another_order(self, sound: list[Input]) -> None:
        assert {block["is_error"] for value in sound for block in results(value)} == {True, False}
        ids = [result_ids(message) for value in sound for message in value.scenario.history[2::2]]
        assert any(each != sorted(each) for each in ids)

    def test_the_budget_is_often_the_size_or_beside_it(self, sound: list[Input]) -> None:
        beside = Counter(
            value.scenario.settings.budget - history_bytes(value.scenario.history) for value in sound
        )
        assert min(beside[-1], beside[0], beside[1]) > 0

    def test_and_now_and_then_that_of_the_trimmed_history(self, sound: list[Input]) -> None:
        beside: Counter[int] = Counter()
        for value in sound:
            history, settings = value.scenario.history, value.scenario.settings
            trimmed = trim_results(history, value.scenario.receipt, settings.keep_recent)
            if trimmed != history:
                beside[settings.budget - history_bytes(trimmed)] += 1
        assert beside[-1] + beside[0] + beside[1] > 3

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

    def test_the_state_holds_something_before_the_run(self, sound: list[Input]) -> None:
        assert {value.scenario.archives for value in sound} == {(), ("s1",), ("s1", "s2")}
        over = {value.scenario.summaries - value.scenario.settings.max_summaries for value in sound}
        assert over == {-2, -1, 0, 1}

    def test_nothing_is_wrong(self, sound: list[Input]) -> None:
        assert {(value.fault, value.odd, value.no_receipt) for value in sound} == {("", None, False)}

    def test_what_a_function_does_not_take_stays_as_usual(self) -> None:
        for value in generated(inputs(["messages"]), 100):
            settings = value.scenario.settings
            assert (settings.keep_recent, settings.max_chars, settings.budget) == (1, 600, 3200)
            assert value.scenario.summary == "a"
            assert (value.scenario.archives, value.scenario.summaries) == ((), 0)
            assert not value.scenario.archive_fails
            assert not value.scenario.summarizer_fails


class TestStandInsOfALoop:
    def test_prepare_does_everything_that_it_can(self, loops: list[Input]) -> None:
        assert {value.prepare for value in loops} == set(PREPARES)

    def test_answers_hold_up_to_three_calls_with_and_without_texts(self, loops: list[Input]) -> None:
        assert {(value.answer.count("text"), len(calls_of(value.answer))) for value in loops} == {
            (1, 0),
            (2, 0),
            *((texts, calls) for texts in (0, 1, 2) for calls in (1, 2, 3)),
        }
        assert {part for value in loops for part in value.answer} == {"text", *OUTCOMES}

    def test_nothing_is_drawn_for_a_function_that_takes_none(self) -> None:
        found = generated(inputs(["messages"]), 30)
        assert {(value.prepare, value.answer) for value in found} == {("", ("works",))}

    def test_the_smallest_are_a_new_question_and_a_text(self) -> None:
        found = smallest(["messages", "prepare", "ask"], lambda value: True)
        assert (found.prepare, found.answer) == ("returns a new question", ("text",))


class TestRequests:
    """What a function takes that counts a request."""

    NAMES = tuple("messages count system tool_definitions window max_output per_message".split())

    def left(self, value: Input) -> int:
        """The tokens that are left in the window; below zero where the request does not fit."""
        arguments = value.arguments(self.NAMES, Log())
        window = arguments.pop("window")
        return window - 100_000 + count_request(**arguments, window=100_000)["left"]

    def test_the_window_is_often_filled_exactly_or_beside_that(self) -> None:
        found = generated(inputs(self.NAMES), SOUND)
        beside = Counter(self.left(value) for value in found)
        assert min(beside[-1], beside[0], beside[1]) > 3
        assert max(beside) == 1000
        assert {len(value.scenario.tool_definitions) for value in found} == {0, 1, 2}
        assert {"", "a", "漢字"} <= {value.scenario.system for value in found}
        assert {value.scenario.settings.per_message for value in found} == {0, 1, 2, 3, 4}

    def test_the_smallest_is_a_question_that_fits(self) -> None:
        found = smallest([*self.NAMES], lambda value: True)
        assert found.scenario.history == [{"role": "user", "content": "a"}]
        assert (found.scenario.system, found.scenario.tool_definitions) == ("", ())

    def test_nothing_is_drawn_for_a_function_that_takes_none(self) -> None:
        for value in generated(inputs(["messages"]), 30):
            settings = value.scenario.settings
            assert (settings.window, settings.max_output, settings.per_message) == (2000, 500, 4)
            assert (value.scenario.system, value.scenario.tool_definitions) == ("", ())


class TestUnsound:
    def test_one_thing_is_wrong(self, unsound: dict[Wrong, list[Input]]) -> None:
        assert list(unsound) == [(name, value) for name, values in ODD.items() for value in values]
        for (name, _), found in unsound.items():
            assert {value.odd for value in found} == {None if name == "history" else name}
            assert all(bool(value.fault) is (name == "history") for value in found)
            assert {value.alone for value in found} == {()}

    def test_it_is_the_one_that_was_asked_for(self, unsound: dict[Wrong, list[Input]]) -> None:
        for (name, odd), found in unsound.items():
            for value in found:
                arguments = value.arguments(ALL, Log())
                if name == "archive":
                    assert arguments["archive"]([]) == odd
                elif name == "summarize":
                    # An attempt is left, so that it is asked.
                    assert arguments["summarize"]([]) == odd
                    assert arguments["state"]["summaries"] < arguments["state"]["max_summaries"]
                elif name != "history":
                    assert (arguments[name], type(arguments[name])) == (odd, type(odd))

    def test_histories_are_refused_for_every_reason(self, unsound: dict[Wrong, list[Input]]) -> None:
        faults = {value.fault for (name, _), found in unsound.items() if name == "history" for value in found}
        assert faults == {"pending", "mismatch", "unsupported_block", "not_a_history"}

    def test_only_what_a_function_takes_can_be_wrong(self) -> None:
        assert {name for name, _ in suspects(["messages", "keep_recent"])} == {"history", "keep_recent"}


class TestTwiceWrong:
    def test_a_pair_is_broken_and_a_call_is_open(self, twice: list[list[Input]]) -> None:
        for value in twice[0]:
            assert len(value.scenario.history) % 2 == 0
            with pytest.raises(Refusal) as refused:
                split_history(value.scenario.history[:-1])
            assert refused.value.code not in ("", "pending")
            broken, is_open = value.alone
            assert (broken.fault, is_open.fault) == (refused.value.code, "pending")

    def test_or_a_receipt_or_a_stand_in_is_odd(self, twice: list[list[Input]]) -> None:
        assert [{value.odd for value in each} for each in twice[1:]] == [
            {name} for name in ("receipt", "archive", "summarize") for _ in ODD[name]
        ]
        for value in (value for each in twice[1:] for value in each):
            broken, odd = value.alone
            assert broken.fault == value.fault != ""
            assert (broken.odd, broken.no_receipt, broken.scenario.receipt) in (
                (None, False, "r"),
                (None, False, "a receipt"),
            )
            assert (odd.fault, odd.odd, odd.no_receipt) == ("", value.odd, value.no_receipt)

    def test_only_in_what_a_function_takes(self) -> None:
        assert len(twice_wrong(["messages", "keep_recent", "max_chars"])) == 1


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


def test_a_generated_input_says_so(sound: list[Input]) -> None:
    assert all(value.generated and value.scenario.name == GENERATED for value in sound)
