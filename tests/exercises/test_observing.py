"""What is seen of one run, and when two runs came to the same."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.exercises.inputs import Call, Input, named
from ctxlab.exercises.observing import Observation, Trial, observe
from ctxlab.exercises.plain import Other
from ctxlab.scenarios import load_scenario

NAMES = ["messages", "state", "archive", "summarize"]


def seen(function: Any, scenario: str = "summary", seconds: float = 5) -> Observation:
    return observe(function, named(scenario), NAMES, seconds)


def harmless(messages: Any, state: Any, archive: Any, summarize: Any) -> Any:
    receipt = archive(deepcopy(messages))
    state["archives"].append(receipt)
    return [1, {"a": True}]


def test_a_run_that_returns() -> None:
    found = seen(harmless)
    assert (found.kind, found.name, found.value) == ("returned", "", [1, {"a": True}])
    assert found.state == {
        "archives": ["context-000000000001.jsonl"],
        "summaries": 0,
        "max_summaries": 2,
    }
    assert [call.name for call in found.calls] == ["archive"]
    assert found.calls[0].given == named("summary").scenario.history
    assert (found.changed, found.shared, found.raised) == (None, (), False)


def test_a_change_of_the_input() -> None:
    def changes(messages: Any, **_: Any) -> None:
        messages[1]["content"][0]["id"] = "other"

    assert seen(changes).changed == ('[1]["content"][0]["id"]', "call_1", "other")


def test_a_shared_part() -> None:
    def shares(messages: Any, state: Any, **_: Any) -> Any:
        return {"kept": (state,), "first": messages[2]["content"]}

    assert seen(shares).shared == (
        ('["first"]', 'messages[2]["content"]'),
        ('["kept"][0]', "state"),
    )
    assert seen(lambda messages, state, **_: [state]).shared == (("[0]", "state"),)


def test_a_stand_in_that_raised() -> None:
    found = seen(harmless, "archive_error")
    assert (found.kind, found.name, found.raised) == ("raised", "OSError", True)


def test_odd_values_become_labels() -> None:
    assert seen(lambda **_: object()).value == Other("a value of type object")


def test_a_run_that_does_not_end() -> None:
    def endless(**_: Any) -> None:
        while True:
            pass

    assert seen(endless, seconds=0.1).kind == "not_ended"


def raises(error: BaseException) -> Any:
    def function(**_: Any) -> None:
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "kind", "name"),
    [
        (Refusal("pending", "open"), "refused", "pending"),
        (KeyError("x"), "raised", "KeyError"),
        (NotImplementedError(), "not_written", "NotImplementedError"),
        (SystemExit(), "exited", "SystemExit"),
    ],
)
def test_a_run_that_raises(error: BaseException, kind: str, name: str) -> None:
    found = seen(raises(error))
    assert (found.kind, found.name, found.value) == (kind, name, None)


def seen_in_place(
    function: Any, prepare: str = "returns a new question", answer: tuple[str, ...] = ("works",)
) -> Observation:
    given = Input(load_scenario("fit"), prepare=prepare, answer=answer)
    return observe(function, given, ["messages", "prepare", "ask", "tools"], 5, in_place=True)


NEW = {"role": "user", "content": "new"}
RESULT = {"type": "tool_result", "tool_use_id": "next_1", "content": "", "is_error": True}
FIT = load_scenario("fit").messages


class TestInPlace:
    """The messages afterwards are a part of the result, and their change is no fault."""

    def test_a_change_of_the_list_is_the_result(self) -> None:
        def function(messages: Any, **_: Any) -> str:
            messages[:] = [deepcopy(NEW)]
            return "done"

        found = seen_in_place(function)
        assert (found.value, found.history, found.changed, found.held) == ("done", [NEW], None, ())

    def test_another_list_of_that_name_is_not(self) -> None:
        def function(messages: Any, **_: Any) -> None:
            messages = [NEW]  # noqa: F841 - it should be without effect

        assert seen_in_place(function).history == FIT

    def test_the_types_are_kept(self) -> None:
        def function(messages: Any, **_: Any) -> None:
            messages[:] = [(NEW,), {"is_error": 1}, object()]

        assert seen_in_place(function).history == [(NEW,), {"is_error": 1}, Other("a value of type object")]

    @pytest.mark.parametrize("raised", [OSError, SystemExit])
    def test_it_is_seen_however_the_run_ends(self, raised: type[BaseException]) -> None:
        def function(messages: Any, **_: Any) -> None:
            messages.clear()
            raise raised

        assert seen_in_place(function).history == []

    def test_and_when_it_does_not_end(self) -> None:
        def function(messages: Any, **_: Any) -> None:
            messages.clear()
            while True:
                pass

        found = observe(function, named("fit"), ["messages"], 0.1, in_place=True)
        assert (found.kind, found.history) == ("not_ended", [])

    def test_what_a_stand_in_holds_too(self) -> None:
        def function(messages: Any, prepare: Any, ask: Any, **_: Any) -> None:
            copy = deepcopy(messages)
            messages[:] = [*prepare(copy), copy[1]]
            messages.append(ask([]))

        assert seen_in_place(function, "drops the oldest exchange").held == (
            ("[0]", "prepare's messages[0]"),
            ("[1]", "prepare's messages[1]"),
            ("[0]", "prepare(...)[0]"),
            ("[2]", "ask(...)"),
        )

    def test_the_words_of_a_new_error_do_not_count(self) -> None:
        def fails(text: Any, mark: Any = True, answer: str = "fails") -> Observation:
            def function(messages: Any, **_: Any) -> None:
                messages.append({"role": "user", "content": [{**RESULT, "content": text, "is_error": mark}]})

            return seen_in_place(function, answer=(answer,))

        right = fails("OSError: next_1.txt cannot be read")
        assert right.agrees(fails("next_1.txt cannot be read, sorry"))
        for other in (fails(""), fails("error"), fails("OSError"), fails(None), fails(["next_1.txt cannot"])):
            assert not right.agrees(other)
        for mark in (False, 1):
            assert not right.agrees(fails("next_1.txt cannot be read", mark))
        missing = fails("KeyError('no_such_tool')", answer="unknown")
        assert missing.agrees(fails("there is no tool no_such_tool", answer="unknown"))
        assert not missing.agrees(fails("there is no such tool", answer="unknown"))
        # Where the call works there is no reason to give, so the words are shown as they are.
        assert fails("NameError", answer="works").history[-1]["content"][0]["content"] == "NameError"

    def test_those_of_an_old_one_do(self) -> None:
        def function(messages: Any, **_: Any) -> None:
            messages[2]["content"] = [{**RESULT, "content": "in other words"}]

        assert seen_in_place(function).history[2]["content"][0]["content"] == "in other words"

    @pytest.mark.parametrize("odd", [7, {"content": 7}, {"content": [7]}, {"content": [{"is_error": True}]}])
    def test_odd_messages_are_kept_as_they_are(self, odd: Any) -> None:
        assert seen_in_place(lambda messages, **_: messages.append(odd)).history == [*FIT, odd]


BASE = seen(harmless)


class TestAgrees:
    def test_words_and_output_do_not_count(self) -> None:
        refused = seen(raises(Refusal("pending", "one text")))
        assert refused.agrees(seen(raises(Refusal("pending", "another text"))))
        assert replace(BASE, output="hello", printed=5).agrees(BASE)
        assert replace(BASE, lines=(7, 8)).agrees(BASE)

    @pytest.mark.parametrize(
        "change",
        [
            {"kind": "refused", "name": "pending"},
            {"value": [True, {"a": True}]},
            {"state": None},
            {"calls": ()},
            {"calls": (Call("archive", [], False),)},
            {"calls": (BASE.calls[0]._replace(shared=True),)},
            {"changed": ("", 1, 2)},
            {"shared": (("", "messages"),)},
            {"history": []},
            {"between": []},
            {"held": (("[0]", "ask(...)"),)},
        ],
        ids=lambda change: "-".join(change),
    )
    def test_everything_else_does(self, change: dict[str, Any]) -> None:
        other = replace(BASE, **change)
        assert not other.agrees(BASE)
        assert not BASE.agrees(other)

    def test_how_the_input_was_changed_and_what_is_shared(self) -> None:
        changed = replace(BASE, changed=("[0]", 1, 2))
        assert not changed.agrees(replace(BASE, changed=("[0]", 1, 3)))
        shared = replace(BASE, shared=(("[0]", "messages[0]"),))
        assert not shared.agrees(replace(BASE, shared=(("[0]", "messages[0]"), ("[1]", "messages[1]"))))

    def test_two_runs_that_did_not_end_agree_however_far_they_came(self) -> None:
        endless = Observation("not_ended", calls=(Call("archive", [], False),))
        assert endless.agrees(Observation("not_ended"))


@pytest.mark.parametrize(
    ("got", "kind"),
    [
        (BASE, "passed"),
        (replace(BASE, kind="not_ended"), "never_ends"),
        (replace(BASE, kind="exited", name="SystemExit"), "exits"),
        (replace(BASE, kind="not_written"), "not_written"),
        (replace(BASE, kind="raised", name="KeyError"), "error"),
        (replace(BASE, kind="refused", name="pending"), "differs"),
        (replace(BASE, value=7, changed=("", 1, 2)), "differs"),
        (replace(BASE, calls=(), shared=(("", "messages"),)), "differs"),
        (replace(BASE, changed=("", 1, 2), shared=(("", "messages"),)), "changes_input"),
        (replace(BASE, shared=(("", "messages"),)), "shares"),
        (replace(BASE, history=[]), "differs"),
        (replace(BASE, history=[], held=(("[0]", "ask(...)"),)), "differs"),
        (replace(BASE, shared=(("", "messages"),), held=(("[0]", "ask(...)"),)), "shares"),
        (replace(BASE, held=(("[0]", "ask(...)"),)), "shares_history"),
    ],
)
def test_the_kind_of_a_trial(got: Observation, kind: str) -> None:
    trial = Trial(named("summary"), BASE, got)
    assert (trial.kind, trial.right) == (kind, kind == "passed")
