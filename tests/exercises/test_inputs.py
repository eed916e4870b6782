"""The inputs of a check: new for every run, and what the stand-ins saw."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from ctxlab.exercises.inputs import Input, Log, named
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


def test_a_named_input_is_the_scenario() -> None:
    given = named("pending")
    assert (given.fault, given.generated, given.odd) == ("pending", False, None)
    assert given.arguments(["messages"], Log())["messages"] == load_scenario("pending").messages
