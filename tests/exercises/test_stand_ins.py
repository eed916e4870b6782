"""Stand-ins of a loop: each does what its name says, and the same each time."""

from copy import deepcopy
from types import GeneratorType
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.exercises.stand_ins import (
    OUTCOMES,
    PREPARES,
    Interruption,
    OwnError,
    answer_of,
    calls_of,
    reasons_of,
    tool_of,
)
from ctxlab.messages.grammar import answer_fault
from ctxlab.scenarios import load_scenario

PARTS = ("text", *OUTCOMES)


@pytest.fixture
def messages() -> list[dict[str, Any]]:
    return load_scenario("trim").messages


class TestPrepares:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("returns a new question", list),
            ("returns what it was given", list),
            ("drops the oldest exchange", list),
            ("returns None", type(None)),
            ("returns a tuple", tuple),
            ("returns a dict", dict),
            ("returns a text", str),
            ("returns a generator", GeneratorType),
            ("returns an iterator", type(iter([]))),
            ("returns an empty list", list),
            ("returns a longer history", list),
        ],
    )
    def test_that_return(self, messages: Any, name: str, kind: type) -> None:
        before = deepcopy(messages)
        assert type(PREPARES[name](messages)) is kind
        assert messages == before

    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("raises Refusal", Refusal),
            ("raises OSError", OSError),
            ("raises an Exception of its own kind", OwnError),
            ("is interrupted, as by Ctrl-C", Interruption),
        ],
    )
    def test_that_raise(self, messages: Any, name: str, kind: type[BaseException]) -> None:
        with pytest.raises(kind):
            PREPARES[name](messages)
        assert messages == load_scenario("trim").messages

    def test_one_that_raises_has_emptied_its_list(self, messages: Any) -> None:
        with pytest.raises(Refusal):
            PREPARES["empties its list, then raises Refusal"](messages)
        assert messages == []

    def test_two_give_back_parts_of_what_they_were_given(self, messages: Any) -> None:
        assert PREPARES["returns what it was given"](messages) is messages
        shorter = PREPARES["drops the oldest exchange"](messages)
        assert [id(message) for message in shorter] == [
            id(message) for message in [messages[0], *messages[3:]]
        ]

    def test_these_are_all(self) -> None:
        assert len(PREPARES) == 16


class TestAnswers:
    @pytest.mark.parametrize("parts", [("text",), ("works",), PARTS])
    def test_are_sound(self, parts: tuple[str, ...]) -> None:
        assert answer_fault(answer_of(parts), 1) is None

    def test_are_new_each_time(self) -> None:
        assert answer_of(PARTS) == answer_of(PARTS)
        assert answer_of(PARTS)["content"][0] is not answer_of(PARTS)["content"][0]

    def test_hold_their_text_first_and_a_call_for_each_other_part(self) -> None:
        text, *calls = answer_of(["works", "text", "unknown"])["content"]
        assert text["type"] == "text"
        assert [(call["id"], call["name"]) for call in calls] == [
            ("next_1", "read_file"),
            ("next_2", "no_such_tool"),
        ]
        assert calls_of(["works", "text", "unknown"]) == {"next_1": "works", "next_2": "unknown"}


class TestTools:
    def test_do_what_comes_of_the_call(self) -> None:
        tool = tool_of(["text", "works", "fails", "interrupted"])
        assert tool(path="next_1.txt") == "Text of next_1.txt."
        with pytest.raises(OSError, match=r"^next_2\.txt cannot be read$"):
            tool(path="next_2.txt")
        with pytest.raises(Interruption):
            tool(path="next_3.txt")

    def test_fail_with_the_reason_that_the_result_has_to_say(self) -> None:
        parts = ["fails", "text", "works", "breaks", "unknown", "interrupted"]
        reasons = reasons_of(parts)
        assert list(reasons) == ["next_1", "next_3", "next_4"]
        for call_id, kind in (("next_1", OSError), ("next_3", OwnError)):
            with pytest.raises(kind) as raised:
                tool_of(parts)(path=f"{call_id}.txt")
            assert str(raised.value) == reasons[call_id]
        assert reasons["next_4"] == answer_of(parts)["content"][-2]["name"]

    def test_know_no_other_file(self) -> None:
        with pytest.raises(OSError, match="cannot be read"):
            tool_of(["works"])(path="other.txt")


def test_an_interruption_is_no_exception() -> None:
    assert not issubclass(Interruption, Exception)
