"""The loop: how it ends, what it sends, and that the history is whole whatever goes wrong."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.reference import history_bytes, prepare_context, preparer, run_loop
from ctxlab.scenarios import Scenario, load_scenario, scenario_names
from ctxlab.scenarios.stand_ins import MemoryArchive, fixed_summariser

Message = dict[str, Any]
History = list[Message]

QUESTION = {"role": "user", "content": "Why does the build fail?"}
DONE = {"role": "assistant", "content": [{"type": "text", "text": "The disk is full."}]}


def calling(*ids: str, name: str = "read_file", **given: Any) -> Message:
    """An answer that calls a tool once for each id."""
    calls = [{"type": "tool_use", "id": each, "name": name, "input": copied(given)} for each in ids]
    return {"role": "assistant", "content": calls}


def results(*blocks: tuple[str, str, bool]) -> Message:
    content = [
        {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}
        for call_id, text, is_error in blocks
    ]
    return {"role": "user", "content": content}


class Model:
    """Gives these answers in turn, and keeps what it was asked. An exception among them is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[History] = []

    def __call__(self, messages: History) -> Any:
        self.asked.append(messages)
        answer = self.answers[len(self.asked) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer


def read_file(**given: Any) -> str:
    return "ok"


TOOLS = {"read_file": read_file}


def start() -> History:
    return [copied(QUESTION)]


# How it ends


def test_an_answer_in_text_ends_the_loop_and_is_not_appended() -> None:
    messages = start()
    ended = run_loop(Model(DONE), TOOLS, messages)

    assert ended == {"status": "answered", "text": "The disk is full.", "requests": 1}
    assert messages == [QUESTION]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("All is well.", "All is well."),
        ([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}], "One.\n\nTwo."),
    ],
)
def test_the_text_is_all_that_the_answer_says(content: Any, text: str) -> None:
    assert run_loop(Model({"role": "assistant", "content": content}), {}, start())["text"] == text


def test_calls_are_run_and_both_halves_of_the_exchange_appended() -> None:
    messages = start()
    ended = run_loop(Model(calling("a"), calling("b"), DONE), TOOLS, messages)

    assert ended["requests"] == 3
    first, second = [calling("a"), results(("a", "ok", False))], [calling("b"), results(("b", "ok", False))]
    assert messages == [QUESTION, *first, *second]


def test_a_text_beside_the_calls_stays_in_the_history_and_ends_nothing() -> None:
    messages = start()
    both = {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *calling("a")["content"]]}
    ended = run_loop(Model(both, DONE), TOOLS, messages)

    assert (ended["text"], ended["requests"]) == ("The disk is full.", 2)
    assert messages == [QUESTION, both, results(("a", "ok", False))]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_limit_ends_a_loop_that_does_not_answer(limit: int) -> None:
    messages = start()
    model = Model(*(calling(f"call_{number}") for number in range(9)))
    ended = run_loop(model, TOOLS, messages, max_requests=limit)

    assert (ended["status"], ended["requests"], len(model.asked)) == ("max_requests", limit, limit)
    assert ended["text"] == f"no answer within the limit of requests, {limit}"
    # The exchange of the last request is whole.
    assert len(messages) == 1 + 2 * limit
    assert messages[-1] == results((f"call_{limit - 1}", "ok", False))


def test_an_answer_within_the_limit_is_an_answer() -> None:
    assert run_loop(Model(calling("a"), DONE), TOOLS, start(), max_requests=2)["status"] == "answered"


def test_nothing_is_prepared_for_a_request_that_is_not_sent() -> None:
    prepared: list[int] = []

    def prepare(messages: History) -> History:
        prepared.append(len(messages))
        return messages

    run_loop(Model(calling("a"), calling("b")), TOOLS, start(), prepare=prepare, max_requests=2)

    assert prepared == [1, 3]


def test_there_are_twenty_requests_at_most_unless_told_otherwise() -> None:
    model = Model(*(calling(f"call_{number}") for number in range(25)))
    assert run_loop(model, TOOLS, start())["requests"] == 20


@pytest.mark.parametrize("limit", [0, -1, True, 2.0, "3", None])
def test_a_limit_that_is_none_is_refused(limit: Any) -> None:
    model = Model(DONE)
    with pytest.raises(Refusal, match="not an int of at least 1") as caught:
        run_loop(model, TOOLS, start(), max_requests=limit)
    assert (caught.value.code, model.asked) == ("bad_argument", [])


@pytest.mark.parametrize("messages", [None, (QUESTION,), QUESTION, "text"])
def test_what_is_no_list_is_refused(messages: Any) -> None:
    with pytest.raises(Refusal, match="not a list of messages") as caught:
        run_loop(Model(DONE), TOOLS, messages)
    assert caught.value.code == "bad_argument"


@pytest.mark.parametrize("tools", [None, [len], "read_file"])
def test_tools_without_names_are_refused_before_anybody_is_asked(tools: Any) -> None:
    model = Model(DONE)
    with pytest.raises(Refusal, match="not a dict of names and functions") as caught:
        run_loop(model, tools, start())
    assert (caught.value.code, model.asked) == ("bad_argument", [])


# The model fails

TEXT = {"type": "text", "text": "hi"}
CALL = calling("a")["content"][0]
NESTED: list[Any] = []
NESTED.append(NESTED)

MALFORMED: list[Any] = [
    None,
    "The disk is full.",
    [],
    {},
    {"role": "user", "content": "hi"},
    {"content": [TEXT]},
    {"role": "assistant"},
    {"role": "assistant", "content": None},
    {"role": "assistant", "content": (TEXT,)},
    *({"role": "assistant", "content": text} for text in ("", " \n")),
    *(
        {"role": "assistant", "content": blocks}
        for blocks in (
            [],
            [TEXT | {"text": " "}],
            [TEXT | {"text": 7}],
            ["hi"],
            [None],
            [TEXT, {"type": "thinking", "thinking": "hm"}],
            [TEXT, {"type": "tool_result", "tool_use_id": "a", "content": "ok"}],
            [CALL | {"id": ""}],
            [CALL | {"id": 7}],
            [CALL, CALL],
            [CALL | {"name": ""}],
            [CALL | {"name": None}],
            [CALL | {"input": '{"path": "a"}'}],
            [CALL | {"input": None}],
            [CALL | {"input": {"path": object()}}],
            [CALL | {"input": {"path": {1, 2}}}],
            [CALL | {"input": {"path": float("nan")}}],
            [CALL | {"input": {"path": "\ud800"}}],
            [CALL | {"input": NESTED}],
            [TEXT | {"text": "half \udc80"}],
        )
    ),
]


@pytest.mark.parametrize("answer", MALFORMED, ids=lambda answer: repr(answer)[:60])
def test_a_malformed_answer_is_a_fault_of_the_model_and_changes_nothing(answer: Any) -> None:
    messages = [*start(), calling("first"), results(("first", "ok", False))]
    before = copy.deepcopy(messages)
    ran: list[str] = []
    ended = run_loop(Model(answer), {"read_file": lambda **given: ran.append("read_file")}, messages)

    assert (ended["status"], ended["requests"]) == ("model_error", 1)
    assert messages == before
    assert ran == []
    assert ended["text"].split(":")[0] in {"not_a_history", "unsupported_block", "mismatch"}
    history_bytes([{"role": "user", "content": ended["text"]}])  # the reason itself can be sent and stored


def test_the_reason_names_the_message_that_the_answer_would_have_been() -> None:
    ended = run_loop(Model(calling("a"), {"role": "user", "content": "hi"}), TOOLS, start())

    assert ended["text"] == "not_a_history: message 3, the answer, is not an assistant's message"
    assert ended["requests"] == 2


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TimeoutError("no answer"), "TimeoutError: no answer"),
        (Refusal("overloaded", "try later"), "overloaded: try later"),
        (ValueError("half \ud800"), "ValueError: half \\ud800"),
    ],
)
def test_a_model_that_raises_ends_the_loop_with_the_reason(error: Exception, text: str) -> None:
    messages = start()
    ended = run_loop(Model(calling("a"), error), TOOLS, messages)

    assert ended == {"status": "model_error", "text": text, "requests": 2}
    assert messages == [QUESTION, calling("a"), results(("a", "ok", False))]


class UntoldError(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class UnnamedError(Exception):
    @property
    def code(self) -> str:
        raise LookupError("no code")


@pytest.mark.parametrize("error", [UntoldError(), UnnamedError()])
def test_an_exception_whose_own_methods_fail_is_a_failure_like_any_other(error: Exception) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise error

    name = type(error).__name__
    messages = start()
    assert run_loop(failing, TOOLS, messages)["text"] == name
    assert run_loop(Model(DONE), TOOLS, messages, prepare=failing)["text"] == name
    assert messages == start()
    assert run_loop(Model(calling("a"), DONE), {"read_file": failing}, messages)["status"] == "answered"
    assert messages[2] == results(("a", name, True))


# Tools


def test_parallel_calls_run_in_order_and_each_has_its_result() -> None:
    order: list[str] = []

    def read(path: str) -> str:
        order.append(path)
        if path == "b":
            raise FileNotFoundError("no file b")
        return f"text of {path}"

    calls = [CALL | {"id": each, "input": {"path": each}} for each in "abc"]
    answer = {"role": "assistant", "content": calls}
    messages = start()
    ended = run_loop(Model(answer, DONE), {"read_file": read}, messages)

    assert ended["status"] == "answered"
    assert order == ["a", "b", "c"]
    assert messages[2] == results(
        ("a", "text of a", False), ("b", "FileNotFoundError: no file b", True), ("c", "text of c", False)
    )


def one_result(tools: Any, answer: Message) -> tuple[str, bool]:
    """The text and the error mark of the result that the model sees next."""
    model = Model(answer, DONE)
    assert run_loop(model, tools, start())["status"] == "answered"
    (block,) = model.asked[1][-1]["content"]
    return block["content"], block["is_error"]


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("nothing to say")


def forbidden(**given: Any) -> str:
    raise Refusal("outside", "the path leaves the directory")


def half(**given: Any) -> str:
    raise ValueError("half \ud800")


@pytest.mark.parametrize(
    ("tool", "text", "is_error"),
    [
        (lambda **given: "fine", "fine", False),
        (lambda **given: "", "", False),
        (lambda **given: None, "None", False),
        (lambda **given: {"lines": 3}, "{'lines': 3}", False),
        (lambda **given: "half \udc80", "half \\udc80", False),
        (lambda **given: Rude(), "RuntimeError: nothing to say", True),
        (forbidden, "outside: the path leaves the directory", True),
        (half, "ValueError: half \\ud800", True),
        (None, "TypeError: 'NoneType' object is not callable", True),
    ],
)
def test_whatever_a_tool_does_gives_a_result(tool: Any, text: str, is_error: bool) -> None:
    assert one_result({"read_file": tool}, calling("a")) == (text, is_error)


def test_an_unknown_tool_gives_a_result_marked_as_an_error() -> None:
    assert one_result(TOOLS, calling("a", name="delete")) == ("there is no tool 'delete'", True)
    assert one_result({}, calling("a", name="\nx")) == ("there is no tool '\\nx'", True)


def test_an_input_that_does_not_fit_the_tool_gives_a_result_marked_as_an_error() -> None:
    def read(path: str) -> str:
        return "ok"

    text, is_error = one_result({"read_file": read}, calling("a", paht="notes.txt"))
    assert is_error
    assert "unexpected keyword argument 'paht'" in text
    # What a model sends as an input may hold any names.
    odd = {"role": "assistant", "content": [CALL | {"input": {"": 1, "not a name": 2, "self": 3}}]}
    assert one_result(TOOLS, odd) == ("ok", False)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("place", ["ask", "prepare", "the second of three tools"])
def test_what_stops_the_program_passes_and_leaves_whole_exchanges(
    stop: type[BaseException], place: str
) -> None:
    def prepare(messages: History) -> History:
        if place == "prepare" and len(messages) == 3:
            messages.clear()
            raise stop
        return messages

    def read(path: str) -> str:
        if path == "stops":
            raise stop
        return "ok"

    last = {"role": "assistant", "content": [CALL | {"id": each, "input": {"path": each}} for each in "ab"]}
    if place == "the second of three tools":
        last["content"].insert(1, CALL | {"id": "s", "input": {"path": "stops"}})
    model = Model(calling("first", path="a"), stop() if place == "ask" else last, DONE)
    messages = start()
    with pytest.raises(stop):
        run_loop(model, {"read_file": read}, messages, prepare=prepare)

    assert messages == [QUESTION, calling("first", path="a"), results(("first", "ok", False))]


# The commit


def test_each_request_is_prepared_first_and_shows_the_committed_history() -> None:
    events: list[tuple[str, int]] = []

    def prepare(messages: History) -> History:
        events.append(("prepare", len(messages)))
        return messages[:1] if len(messages) == 5 else messages

    def ask(messages: History) -> Message:
        events.append(("ask", len(messages)))
        return DONE if len(events) > 5 else calling(f"call_{len(events)}")

    messages = start()
    ended = run_loop(ask, TOOLS, messages, prepare=prepare)

    assert ended["requests"] == 3
    pairs = [("prepare", 1), ("ask", 1), ("prepare", 3), ("ask", 3), ("prepare", 5), ("ask", 1)]
    assert events == pairs
    assert messages == [QUESTION]


def test_the_candidate_takes_the_place_of_the_history_in_the_list_that_the_caller_holds() -> None:
    candidate = [{"role": "user", "content": "Another question."}]
    messages = [*start(), calling("a"), results(("a", "ok", False))]
    held = messages
    run_loop(Model(DONE), TOOLS, messages, prepare=lambda _messages: candidate)

    assert held is messages
    assert messages == candidate


@pytest.mark.parametrize("returned", [[], [QUESTION, QUESTION]])
def test_any_list_is_committed(returned: History) -> None:
    messages = start()
    run_loop(Model(DONE), TOOLS, messages, prepare=lambda _messages: returned)
    assert messages == returned


def numbers() -> Iterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (None, "prepare returned None"),
        ((QUESTION,), "prepare returned a tuple"),
        ({"messages": [QUESTION]}, "prepare returned a dict"),
        ("text", "prepare returned a str"),
        (True, "prepare returned a bool"),
        (numbers(), "not_a_history: it holds a value of type generator, which JSON lacks"),
        ([object()], "not_a_history: it holds a value of type object, which JSON lacks"),
        (NESTED, "not_a_history: the value is nested too deeply, or contains itself"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_but_a_list_ends_the_loop_without_a_request(returned: Any, text: str) -> None:
    messages, model = start(), Model(DONE)

    def prepare(given: History) -> Any:
        given.clear()
        return returned

    ended = run_loop(model, TOOLS, messages, prepare=prepare)

    assert ended == {"status": "context_error", "text": text, "requests": 0}
    assert messages == [QUESTION]
    assert model.asked == []


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            Refusal("summaries_spent", "2 of 2 attempts are spent"),
            "summaries_spent: 2 of 2 attempts are spent",
        ),
        (OSError("the disk is full"), "OSError: the disk is full"),
        (AssertionError(), "AssertionError: "),
    ],
)
def test_a_prepare_that_raises_ends_the_loop_and_counts_only_what_was_sent(
    error: Exception, text: str
) -> None:
    def prepare(messages: History) -> History:
        if len(messages) == 1:
            return messages
        # Whatever it does to its copy on the way does not matter.
        messages[0]["content"] = "spoiled"
        messages[1]["content"].clear()
        messages.pop()
        raise error

    messages, model = start(), Model(calling("a"), DONE)
    ended = run_loop(model, TOOLS, messages, prepare=prepare)

    assert ended == {"status": "context_error", "text": text, "requests": 1}
    assert len(model.asked) == 1
    assert messages == [QUESTION, calling("a"), results(("a", "ok", False))]


def test_a_history_that_cannot_be_copied_is_not_prepared() -> None:
    messages: History = [{"role": "user", "content": object()}]
    ended = run_loop(Model(DONE), TOOLS, messages, prepare=lambda given: given)

    assert (ended["status"], ended["requests"]) == ("context_error", 0)


# Nothing is shared


def spoil(value: Any) -> None:
    """Change everything that can be changed inside `value`."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        spoil(item)
    if isinstance(value, (dict, list)):
        value.clear()


def test_the_history_shares_nothing_with_what_the_others_were_given_or_gave() -> None:
    spoiled_later: list[Any] = []

    def keep(value: Any) -> Any:
        spoiled_later.append(value)
        return value

    def prepare(messages: History) -> History:
        return keep(copied(keep(messages)))

    def ask(messages: History) -> Message:
        keep(messages)
        answer = calling("a", paths=["notes.txt"]) if len(messages) == 1 else DONE
        return keep(copied(answer))

    def read(paths: list[str]) -> str:
        keep(paths).append("changed by the tool")
        return "ok"

    messages = start()
    assert run_loop(ask, {"read_file": read}, messages, prepare=prepare)["status"] == "answered"
    for value in spoiled_later:
        spoil(value)

    assert len(spoiled_later) == 9
    assert messages == [QUESTION, calling("a", paths=["notes.txt"]), results(("a", "ok", False))]


def test_what_ask_and_prepare_keep_is_not_changed_later() -> None:
    candidate = start()
    model = Model(calling("a"), calling("b"), DONE)
    run_loop(model, TOOLS, start(), prepare=lambda messages: candidate if len(messages) == 1 else messages)

    assert candidate == [QUESTION]
    assert [len(asked) for asked in model.asked] == [1, 3, 5]


# With the real preparation


@pytest.mark.parametrize("name", scenario_names())
@pytest.mark.parametrize("budget", [1600, 3200])
def test_a_loop_leaves_the_history_as_it_was_or_within_the_budget(name: str, budget: int) -> None:
    scenario: Scenario = load_scenario(name)
    state, messages = scenario.state(), scenario.messages
    asked: list[int] = []

    def ask(messages: History) -> Message:
        asked.append(history_bytes(messages))
        return calling(f"next_{len(asked)}") if len(asked) < 3 else DONE

    prepare = preparer(scenario.question, state, scenario.archive, scenario.summarize, budget=budget)
    ended = run_loop(ask, TOOLS, messages, prepare=prepare)

    assert all(size <= budget for size in asked)
    assert ended["requests"] == len(asked)
    if ended["status"] == "context_error" and not asked:
        assert messages == scenario.messages


def test_preparer_is_prepare_context_with_the_rest_filled_in() -> None:
    scenario = load_scenario("summary")
    mine, theirs = scenario.state(), scenario.state()
    parts = (scenario.question, mine, scenario.archive, scenario.summarize)
    prepare = preparer(*parts, budget=2000, keep_recent=2)
    expected = prepare_context(
        scenario.messages, scenario.question, theirs, scenario.archive, scenario.summarize, 2000, 2
    )

    assert prepare(scenario.messages) == expected
    assert mine == theirs
    # The defaults are those of prepare_context.
    fits = load_scenario("trim")
    prepare = preparer(fits.question, fits.state(), fits.archive, fits.summarize)
    assert prepare(fits.messages) == fits.messages


def test_a_failing_preparation_is_not_tried_again() -> None:
    scenario = load_scenario("bad_summary")
    state, summarised = scenario.state(), []

    def summarize(messages: History) -> str:
        summarised.append(len(messages))
        return ""

    prepare = preparer(scenario.question, state, scenario.archive, summarize, budget=1600)
    ended = run_loop(Model(DONE), TOOLS, scenario.messages, prepare=prepare)

    assert ended["text"].startswith("bad_summary: ")
    assert (summarised, state["summaries"]) == ([9], 1)


def test_snapshots_form_a_chain() -> None:
    """Each holds the history as it was then, markers and earlier summaries included."""
    archive = MemoryArchive()
    state = {"archives": [], "summaries": 0, "max_summaries": 0}
    prepare = preparer("Why?", state, archive, fixed_summariser("none"), budget=2000)
    long: dict[str, Callable[..., str]] = {"read_file": lambda **given: "x" * 900}
    model = Model(*(calling(f"call_{number}") for number in range(3)), DONE)
    ended = run_loop(model, long, [{"role": "user", "content": "Why?"}], prepare=prepare)

    assert ended["status"] == "answered"
    assert state["archives"] == list(archive.snapshots)
    first, second = archive.snapshots.values()
    assert first[2]["content"][0]["content"] == "x" * 900
    assert second[2]["content"][0]["content"].startswith("[Not a result:")
    assert repr(state["archives"][0]) in second[2]["content"][0]["content"]
