"""The inputs of a check: new for every run, and what the stand-ins saw."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.exercises.exercise import exercise
from ctxlab.exercises.inputs import Input, Log, named, named_inputs
from ctxlab.exercises.stand_ins import Interruption
from ctxlab.scenarios import load_scenario


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
        assert log.calls == [("archive", [{"role": "user", "content": "a"}], False), ("summarize", [], False)]
        assert receipt == "context-000000000001.jsonl"
        assert not log.raised

    @pytest.mark.parametrize(
        ("given", "shared"),
        [
            (lambda messages: messages, True),
            (list, True),
            (lambda messages: [dict(message) for message in messages], True),
            (lambda messages: [messages[0]["content"]], False),
            (deepcopy, False),
        ],
        ids=["itself", "a new list", "new messages", "a text of it", "a deep copy"],
    )
    def test_whether_a_stand_in_is_given_parts_of_the_input(
        self, given: Callable[[Any], Any], shared: bool
    ) -> None:
        for name in ("archive", "summarize"):
            log = Log()
            arguments = named("summary").arguments(["messages", name], log)
            arguments[name](given(arguments["messages"]))
            assert [call.shared for call in log.calls] == [shared]

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
        assert log.calls[0] == ("archive", [], False)
        assert log.calls[-1] == ("archive", None, False)


class TestTheStandInsOfALoop:
    def test_prepare_is_that_of_the_scenario_unless_the_input_says_otherwise(self) -> None:
        log = Log()
        messages = named("trim").scenario.messages
        usual = named("trim").arguments(["prepare"], log)["prepare"](messages)
        assert len(usual) == len(messages)
        assert usual != messages
        other = Input(load_scenario("trim"), prepare="returns a tuple").arguments(["prepare"], log)["prepare"]
        assert other(messages) == tuple(messages)
        assert [(call.name, call.given) for call in log.calls] == [("prepare", messages)] * 2

    def test_ask_and_the_tools_play_the_answer(self) -> None:
        log = Log()
        given = Input(load_scenario("fit"), answer=("works", "fails"))
        arguments = given.arguments(["ask", "tools"], log)
        calls = arguments["ask"]([])["content"]
        tool = arguments["tools"]["read_file"]
        assert tool(**calls[0]["input"]) == "Text of next_1.txt."
        assert not log.raised
        with pytest.raises(OSError, match=r"next_2\.txt cannot be read"):
            tool(**calls[1]["input"])
        assert log.raised
        assert log.calls == [
            ("ask", [], False),
            ("read_file", {"path": "next_1.txt"}, False),
            ("read_file", {"path": "next_2.txt"}, False),
        ]
        assert [call.what for call in log.calls] == ["messages", "arguments", "arguments"]

    @pytest.mark.parametrize("prepare", ["raises Refusal", "is interrupted, as by Ctrl-C"])
    def test_what_prepare_raises_is_noted(self, prepare: str) -> None:
        log = Log()
        arguments = Input(load_scenario("fit"), prepare=prepare).arguments(["prepare"], log)
        with pytest.raises((Refusal, Interruption)):
            arguments["prepare"]([])
        assert log.raised

    def test_what_passes_through_them_is_held(self) -> None:
        log = Log()
        given = Input(load_scenario("fit"), prepare="returns what it was given")
        arguments = given.arguments(["messages", "prepare"], log)
        copy = deepcopy(arguments["messages"])
        arguments["prepare"](copy)
        assert [(label, value is copy) for label, value in log.held] == [
            ("prepare's messages", True),
            ("prepare(...)", True),
        ]

    def test_but_not_the_input_itself_which_is_told_with_the_call(self) -> None:
        log = Log()
        arguments = Input(load_scenario("fit")).arguments(["messages", "ask"], log)
        arguments["ask"](arguments["messages"])
        assert log.calls[0].shared
        assert [label for label, _ in log.held] == ["ask(...)"]


class TestNamedInputs:
    def test_are_the_scenarios_and_then_the_cases(self) -> None:
        found = named_inputs(exercise("commit"))
        assert [(given.scenario.name, given.prepare) for given in found[4:7]] == [
            ("archive_error", ""),
            ("trim", "empties its list, then raises Refusal"),
            ("trim", "returns what it was given"),
        ]
        assert [given.answer for given in named_inputs(exercise("one_round"))[1:4]] == [
            ("works",),
            ("text",),
            ("text", "text"),
        ]

    def test_say_where_they_differ_from_their_scenario(self) -> None:
        assert named("trim").place == "the scenario trim"
        scenario = load_scenario("trim")
        assert (
            Input(scenario, prepare="returns None").place == "the scenario trim, where prepare returns None"
        )
        assert Input(scenario, answer=("text", "fails")).place == (
            "the scenario trim, where the answer holds a text and a call that raises OSError"
        )


def test_a_named_input_is_the_scenario() -> None:
    given = named("pending")
    assert (given.fault, given.generated, given.odd) == ("pending", False, None)
    assert given.arguments(["messages"], Log())["messages"] == load_scenario("pending").messages
