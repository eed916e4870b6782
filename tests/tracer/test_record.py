"""The recorded state is the live one at every line, whatever changes it; a run always ends."""

# ruff: noqa: N818, B012, B015, E722, SIM105, UP028 - the code under test is as odd as Python allows

import contextlib
import sys
from collections import Counter, OrderedDict, defaultdict, deque

import pytest

from ctxlab.errors import Refusal
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

MISSED = "without being seen"


def notes(recorded):
    return [note for note in recorded.data["notes"] if MISSED in note]


def history(count=4, size=20):
    messages = [{"role": "user", "content": "Why?"}]
    for at in range(count):
        call = {
            "type": "tool_use",
            "id": f"c{at}",
            "name": "read",
            "input": {"path": f"p{at}", "lines": [1, at]},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": f"c{at}",
            "content": str(at) * size,
            "is_error": False,
        }
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [result]})
    return messages


# Changes


def changes(messages):
    held = {"list": [1], "n": 2}
    held["list"] += [2]
    held["n"] *= 5
    held["list"] *= 0
    xs = held["list"]
    xs += [3]
    xs += (4, 5)
    xs *= 2
    add = xs.append
    add(6)
    held.setdefault("new", []).append(7)
    held.setdefault("new", []).append(8)
    del held["n"], xs[0]
    del xs[1:3]
    xs[1:2] = ["a", "b"]
    xs[:0] = [0]
    xs[-1] = "last"
    xs.sort(key=str)
    xs.reverse()
    xs.insert(1, {"k": xs[0]})
    xs[1]["k"] = [9]
    xs[1]["k"] += [10]
    xs[1]["k"].extend(range(3))
    messages[1]["content"][0]["input"]["lines"].append("seen")
    messages[2]["content"] = []
    messages[2]["more"] = {"a": 1}
    messages[2].pop("more")
    messages[2].update(content="text", extra=[1])
    messages[0] |= {"meta": (1, [2])}
    messages[0]["meta"][1].append(3)
    first, messages[3]["role"], *rest = 1, "x", 3, 4
    return held, xs, first, rest


def test_every_way_to_change_a_container_shows(same):
    same(changes, make=lambda: [history()])


def aliases(m):
    a = m
    b = [a, a]
    a[0]["x"] = 1
    b[1].append(5)
    c = a.pop()
    d = {"k": a, "again": b}
    d["k"] += [7]
    d["again"][0] is a
    for block in a:
        if isinstance(block, dict):
            block.update(y=2)
    sorted(a, key=str)
    s = a[:]
    s.sort(key=str)
    s[0] = b
    t = (a, b, (a,))
    return a, d, c, t


def test_aliases_change_together(same):
    same(aliases, make=lambda: [[{"r": 1}, 2]])


def replaces(messages):
    messages[15]["content"] = "X"
    return messages


def replaces_below(messages):
    messages[15]["content"][0]["input"]["path"] = "other"
    return len(messages)


def test_a_replaced_text_in_the_middle_shows(same):
    for function in (replaces, replaces_below):
        recorded = same(function, make=lambda: [history(15)])
        assert not recorded.data["checks"]["input_unchanged"]
        assert [row[2:4] for row in recorded.data["histories"] if row[1] == 0] == [[0, 0], [15, 1]]


def shares_parts(messages):
    block = messages[1]["content"][0]
    twin = {"role": "assistant", "content": [block]}
    messages.append(twin)
    block["input"]["path"] = "both change"
    twin["content"].append("only this list")
    other = {**messages[0]}
    messages.append(other)
    other["content"] = "one changes"
    return messages


def test_parts_that_two_messages_share_change_in_both(same):
    recorded = same(shares_parts, make=lambda: [history(2)])
    assert (
        recorded.variables(len(recorded.steps) - 1)["messages"][5]["content"][0]["input"]["path"]
        == "both change"
    )


def test_arguments_that_share_parts(same):
    def make():
        content = [{"type": "text", "text": "shared"}]
        return [[{"role": "user", "content": content}, {"role": "user", "content": content}]]

    same(changes_shared, make=make)


def changes_shared(messages):
    messages[0]["content"][0]["text"] = "new"
    messages[1]["content"] = [*messages[1]["content"], 1]
    messages[0]["content"].append(2)
    return messages


def calls_back(messages, call):
    before = len(messages)
    call(messages[1], messages)
    call(*messages[:1], messages=messages)
    after = messages[-1]
    return before, after


def test_a_callback_that_changes_its_arguments(same):
    def call(message, messages):
        message["seen"] = [1]
        messages.append({"role": "user", "content": "added behind"})
        messages[0]["content"] += "!"

    recorded = same(calls_back, make=lambda: [history(1), call])
    assert [row[2] for row in recorded.data["calls"]] == ["call", "call"]


def fails_back(messages, call):
    try:
        call(messages)
    except ValueError:
        pass
    return len(messages)


def test_a_callback_that_fails_after_a_change(same):
    def call(messages):
        messages.append("half done")
        raise ValueError

    recorded = same(fails_back, make=lambda: [[], call])
    step, line, name, *_ = recorded.data["calls"][0]
    assert (recorded.steps[step].line, name) == (line, "call")


def changes_by_closure(messages, call):
    call()
    before = len(messages)
    messages[0]["role"]
    return before


def test_a_change_behind_the_back_is_found_at_the_end_and_marked():
    messages = history(1)
    recorded = trace(changes_by_closure, messages, lambda: messages.append("hidden"))
    assert len(notes(recorded)) == 1
    assert recorded.variables(len(recorded.steps) - 1)["messages"][-1] == "hidden"
    assert "hidden" not in recorded.variables(len(recorded.steps) - 2)["messages"]
    assert not recorded.data["checks"]["input_unchanged"]


def containers(keys):
    counts = defaultdict(list)
    for key in keys:
        counts[key].append(len(counts))
    order = OrderedDict(a=1, b=2)
    order.move_to_end("a")
    queue = deque([1, 2], maxlen=2)
    queue.append(3)
    queue.appendleft(0)
    queue[0] = 9
    seen = {1, "b"}
    seen.add((3, "c"))
    seen.discard(1)
    seen |= {None, 2.5}
    tally = Counter(keys)
    tally.update("ab")
    tally["z"] += 1
    frozen = frozenset(seen)
    counts["new"]
    return counts, order, queue, seen, tally, frozen


def test_other_containers(same):
    same(containers, ["a", "b", "a"])


def numbers(x):
    big = 2**200
    huge = 10**6000
    odd = [float("nan"), float("inf"), -0.0, 1e300, 2**53, 2**53 + 1, -(2**53) - 1, 1 + 2j, True, 1, 1.0]
    odd[0] = odd[1]
    same = x is odd
    y = True
    y = 1
    y = 1.0
    return big > x, odd, y, same, huge > big


def test_numbers_keep_type_and_value(same):
    recorded = same(numbers, 1)
    shown = recorded.variables(len(recorded.steps) - 1)
    assert shown["big"] == 2**200
    assert shown["huge"] == f"an int of {(10**6000).bit_length()} bits"


def texts(text):
    lone = "\ud800 and \x00 and \u202e"
    long = text * 2000
    long = long[:-1] + "y"
    held = [long, lone]
    held.append(long.upper())
    empty = ""
    return held, empty


def test_texts_with_surrogates_and_long_texts(same):
    recorded = same(texts, "x")
    assert recorded.variables(4)["lone"] == "\ud800 and \x00 and \u202e"


def replaces_long_text(text):
    other = text[:-1] + "!"
    kept = other
    other = text[:-1] + "?"
    return len(other), len(kept)


def test_a_long_text_replaced_by_one_that_begins_alike_is_a_change(same):
    recorded = same(replaces_long_text, "x" * 5000)
    names = [recorded.data["strings"][name] for name in recorded.data["variables"]["name"]]
    assert names.count("other") == 2


def deep(levels):
    inner = []
    for _ in range(levels):
        inner = [inner]
    messages = [{"role": "user", "content": inner}, inner]
    messages[0]["content"] = [inner]
    return messages


def test_deep_nesting_is_recorded():
    recorded = trace(deep, 5000, step_limit=100_000)
    assert recorded.outcome.kind == "returned"
    assert trace(takes, recorded.outcome.value).outcome.kind == "returned"
    assert recorded.from_json(recorded.to_json()).text() == recorded.text()


def takes(messages):
    messages.append(messages[-1])
    return messages


def contains_itself(messages):
    messages.append(messages)
    messages[0]["all"] = messages
    exchange = [messages[1]]
    exchange.append(exchange)
    messages.append(exchange)
    pair = {"role": "user", "content": []}
    pair["content"].append(pair)
    return [pair, *messages]


def test_a_history_that_contains_itself(same):
    same(contains_itself, make=lambda: [history(1)])


def doubles():
    block = ["x"]
    for _ in range(60):
        block = [block, block]
    messages = [{"role": "user", "content": block}]
    messages[0]["content"].append(1)
    return messages


def test_parts_that_share_parts_over_and_over_are_recorded_once():
    recorded = trace(doubles)
    assert len(recorded.dumps()) < 100_000


# Order of the calls


def helper(x):
    return [x]


def through_others(xs, call):
    ys = [helper(x) for x in xs]
    call(helper, xs)
    return ys, max(map(helper, xs)), sorted(xs, key=helper)


def test_traced_functions_called_by_others(same):
    recorded = same(through_others, make=lambda: [[3, 1], lambda f, xs: xs.append(f(5))])
    assert max(step.depth for step in recorded.steps) == 1
    assert not [call for call in recorded.data["calls"] if call[2] == "helper"]


def pulls(items):
    return next(items), helper(next(items))


def gives(xs):
    for x in xs:
        yield x


def starts_and_hands_over(xs):
    items = gives(xs)
    first = next(items)
    return first, pulls(items), pulls(helper(y) for y in xs if y > 0)


def test_a_generator_that_another_function_goes_on_with(same):
    recorded = same(starts_and_hands_over, [1, 2, 3])
    depths = {(step.function, step.depth) for step in recorded.steps if step.function != "gives"}
    assert depths == {("starts_and_hands_over", 0), ("pulls", 1), ("helper", 2)}


def handles_what_is_thrown():
    try:
        yield 1
    except ValueError:
        seen = helper(1)
        yield seen


def throws():
    items = handles_what_is_thrown()
    first = next(items)
    return first, items.throw(ValueError())


def test_a_generator_that_handles_what_is_thrown_into_it(same):
    recorded = same(throws)
    assert {step.depth for step in recorded.steps if step.function == "helper"} == {2}


def catches(items):
    try:
        list(items)
    except ValueError:
        return "caught"
    return "whole"


def fails_in_a_generator_expression(xs, check, catch):
    first = catch(check(x) for x in xs if x)
    return first, len(xs)


def test_a_failure_inside_a_generator_expression_that_another_function_reads(same):
    def check(x):
        if x > 1:
            raise ValueError(x)
        return x

    same(fails_in_a_generator_expression, make=lambda: [[0, 1, 2, 3], check, catches])


# The end of a run


def endless(x):
    while True:
        x += 1


def endless_comprehension(xs):
    return [x for x in iter(int, 1) if x]


def endless_plain_comprehension(xs):
    return [None for _ in iter(int, 1)]


def endless_generator(xs):
    return sum(0 for _ in iter(int, 1))


def swallows(x):
    while True:
        try:
            while True:
                x += 1
        except:
            x = 0


def swallows_by_context(x):
    while True:
        with contextlib.suppress(BaseException):
            while True:
                x += 1


def swallows_group(x):
    while True:
        try:
            while True:
                x += 1
        except* BaseException:
            x = 0


@contextlib.contextmanager
def converting():
    try:
        yield
    except BaseException as error:
        raise ValueError("converted") from error


def converts(x):
    with converting():
        while True:
            x += 1


def swallows_in_finally(x):
    while True:
        try:
            x += 1
        finally:
            continue


def swallows_and_calls_itself(x):
    try:
        swallows_and_calls_itself(x + 1)
    except BaseException:
        swallows_and_calls_itself(x + 1)


def returns_in_finally(x):
    try:
        while True:
            x += 1
    finally:
        return x


@pytest.mark.parametrize(
    "function",
    [
        endless,
        endless_comprehension,
        endless_plain_comprehension,
        endless_generator,
        swallows,
        swallows_by_context,
        swallows_group,
        converts,
        swallows_in_finally,
        swallows_and_calls_itself,
        returns_in_finally,
    ],
)
def test_an_endless_run_stops_at_the_step_limit(function):
    recorded = trace(function, 0, step_limit=200)
    assert recorded.outcome.kind == "step_limit"
    assert len(recorded.steps) <= 200
    assert recorded.data["notes"][0].startswith("The run reached the step limit")
    assert not notes(recorded)
    assert recorded.text() == recorded.from_json(recorded.to_json()).text()


def test_the_step_limit_keeps_what_came_before():
    recorded = trace(endless, 5, step_limit=7)
    assert len(recorded.steps) == 7
    assert recorded.variables(6)["x"] > 5


def leaves(x):
    if x:
        sys.exit(3)
    raise KeyboardInterrupt


def test_exit_is_an_outcome_and_an_interrupt_passes_through(same):
    recorded = same(leaves, 1)
    assert (recorded.outcome.kind, recorded.outcome.type, recorded.outcome.message) == (
        "error",
        "SystemExit",
        "3",
    )
    with pytest.raises(KeyboardInterrupt):
        trace(leaves, 0)


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("nothing to say")


class MuteRefusal(Refusal):
    def __str__(self):
        raise RuntimeError("nothing to say")


class Leaving(Exception):
    def __str__(self):
        raise SystemExit


def raises(error):
    raise error


@pytest.mark.parametrize(
    ("error", "kind"),
    [(Mute(), "error"), (MuteRefusal("pending", "x"), "refused"), (Leaving(), "error")],
)
def test_an_exception_that_cannot_be_shown(error, kind):
    recorded = trace(raises, error)
    assert (recorded.outcome.kind, recorded.outcome.message) == (
        kind,
        "(the exception cannot be shown as text)",
    )
    assert recorded.from_json(recorded.to_json()).outcome.message == recorded.outcome.message


def refuses(x):
    # Is it open?
    if x:
        # An open exchange waits.
        raise Refusal("pending", f"message {x} is open")


def test_a_refusal_is_an_outcome():
    recorded = trace(refuses, 3)
    assert (recorded.outcome.kind, recorded.outcome.code) == ("refused", "pending")
    assert "refused pending: message 3 is open" in recorded.text()
    assert "An open exchange waits." in recorded.text()


class Nameless(Refusal):
    def __init__(self):
        pass


@pytest.mark.parametrize("error", [Nameless(), Refusal(None, "no"), Refusal(["pending"], "no")])
def test_a_refusal_without_a_code_is_an_error(error):
    recorded = trace(raises, error)
    assert (recorded.outcome.kind, recorded.outcome.code) == ("error", None)
    assert recorded.outcome.type == type(error).__name__
    assert Trace.from_json(recorded.to_json()).outcome.type == type(error).__name__


# Linear recording


def appends(messages):
    candidate = []
    for message in messages:
        candidate.append(message)
    return candidate


def replaces_each(messages):
    candidate = list(messages)
    for at in range(len(messages)):
        candidate[at] = {**candidate[at], "content": "short"}
    return candidate


def replaces_in_place(messages):
    for message in messages:
        message["content"] = "short"
    return messages


def rebuilds(messages):
    candidate = []
    for message in messages:
        candidate += [{"role": message["role"], "content": message["content"]}]
    return candidate


def indexes(messages):
    by_text = {}
    for at, message in enumerate(messages):
        by_text[f"{at} {message['role']}"] = at
    return by_text


def counts(messages):
    sizes = [0] * len(messages)
    for at, message in enumerate(messages):
        sizes[at] += len(message["content"])
    return sizes


def drops_the_oldest(messages):
    candidate = list(messages)
    while len(candidate) > 5:
        candidate.pop(0)
    return candidate


def inserts_in_front(messages):
    candidate = []
    for message in messages:
        candidate.insert(0, message)
    return candidate


def deletes_pairs(messages):
    candidate = list(messages)
    while len(candidate) > 5:
        del candidate[1:3]
    return candidate


GROWING = [appends, replaces_each, replaces_in_place, rebuilds, indexes, counts]
SHRINKING = [drops_the_oldest, inserts_in_front, deletes_pairs]


def cells(recorded):
    heap = recorded.data["heap"]["cells"]
    return sum(1 if isinstance(row, int) else len(row) for row in heap) + sum(
        len(row[4]) + 8 for row in recorded.data["histories"]
    )


@pytest.mark.parametrize("function", GROWING + SHRINKING)
def test_recording_grows_with_what_happens(function):
    small, large = (cells(trace(function, history(n), step_limit=10**6)) for n in (100, 200))
    assert large < 2.3 * small
