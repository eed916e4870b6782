"""What a verdict says about an input and two runs, in lines."""

from collections.abc import Container
from typing import Any

from ctxlab.exercises.inputs import Call, Input, Log
from ctxlab.exercises.observing import Observation, Trial
from ctxlab.exercises.plain import Other, difference, place_of_difference, words
from ctxlab.exercises.stand_ins import OUTCOMES, answer_of, calls_of
from ctxlab.messages.counting import DEFAULT
from ctxlab.messages.wording import type_words, visible
from ctxlab.reference import history_bytes

INDENT = "  "
MOST_CALLS = 5
MOST_OUTPUT_LINES = 20
NUMBERS = {2: "two", 3: "three"}


def input_lines(given: Input, names: Container[str]) -> list[str]:
    """Return the input, a message a line, and what the function takes besides."""
    scenario = given.scenario
    lines = [f"{INDENT}{line}" for line in history_lines(scenario.history)]
    if "budget" in names:
        lines.append(f"{INDENT}size of the history: {history_bytes(scenario.history)} bytes")
    values = given.arguments(names, Log())
    for name, value in values.items():
        if name not in ("messages", "archive", "summarize", "prepare", "ask", "tools", "count"):
            lines.append(f"{INDENT}{name}: {words(value)}")
    if "archive" in names and (scenario.archive_fails or given.no_receipt):
        does = "raises OSError" if scenario.archive_fails else "returns an empty text"
        lines.append(f"{INDENT}archive: {does}")
    if "summarize" in names:
        answer = "raises TimeoutError" if scenario.summarizer_fails else f"returns {words(scenario.summary)}"
        lines.append(f"{INDENT}summarize: {answer}")
    if "count" in names:
        lines.append(f"{INDENT}count: returns the tokens of a text in {DEFAULT}")
    if "prepare" in names:
        own = f"prepare_context, with a budget of {scenario.settings.budget} bytes"
        lines.append(f"{INDENT}prepare: {given.prepare or own}")
    if "ask" in names:
        lines.append(f"{INDENT}ask: returns {message_words(answer_of(given.answer))}")
    calls = calls_of(given.answer)
    if "tools" in names and calls:
        outcomes = [f"{call_id} {OUTCOMES[outcome]}" for call_id, outcome in calls.items()]
        lines.append(f"{INDENT}tools: {', '.join(outcomes)}")
    return lines


def history_lines(history: list[Any]) -> list[str]:
    """Return each message of a history in one line."""
    return [f"{index} {message_words(message)}" for index, message in enumerate(history)]


def message_words(message: dict[str, Any]) -> str:
    """Return a message in one line: its role, and its text or its blocks."""
    content = message["content"]
    said = words(content) if isinstance(content, str) else "; ".join(map(_block_words, content)) or "no block"
    return f"{message['role']}: {said}"


def _block_words(block: dict[str, Any]) -> str:
    match block["type"]:
        case "tool_use":
            return f"call {visible(block['id'])}"
        case "tool_result":
            mark = ", an error" if block["is_error"] else ""
            return f"result of {visible(block['tool_use_id'])}{mark}: {words(block['content'])}"
        case "text":
            return f"text {words(block['text'])}"
        case kind:
            return f"a block of type {kind}"


def difference_lines(trial: Trial) -> list[str]:
    """Return what differs between the two runs, one line for each kind of difference."""
    expected, got = trial.expected, trial.got
    alike = (expected.kind, expected.name) == (got.kind, got.name)
    said = got.failure.message if got.failure and not alike else ""
    found = difference(expected.value, got.value) if alike else None
    ending = _ending(got)
    if alike and ending == _ending(expected):
        ending = "another result" if found else "the same"
    lines = [f"Expected: {_ending(expected)}", f"Got: {ending}{f': {said}' if said else ''}"]
    if got.kind == "not_ended":
        return lines
    if found:
        lines += _differing_results(found)
    lines += _differing_calls(expected.calls, got.calls)
    found = difference(expected.state, got.state)
    if found:
        lines.append(_difference("state", found))
    found = difference(expected.history, got.history)
    if found:
        lines.append(_difference("The history afterwards: messages", found))
    if got.changed and not expected.changed:
        path, before, after = got.changed
        lines.append(f"The input was changed: messages{path} was {words(before)} and is {words(after)}.")
    if got.between is not None and expected.between is None:
        lines += _steps_lines(got)
    if got.shared and not expected.shared:
        result, given = got.shared[0]
        lines.append(f"No copy: result{result} is {given} itself. Whoever changes one changes the other.")
    if got.held and not expected.held:
        path, place = got.held[0]
        lines.append(f"No copy: messages{path} is {place} itself. Whoever changes one changes the other.")
    return lines


def _steps_lines(run: Observation) -> list[str]:
    """Return in which lines a run changed the history, and what the history was in between."""
    distinct = sorted(set(run.lines))
    at = f"line {distinct[0]}" if len(distinct) == 1 else f"lines {_listed(distinct)}"
    count = NUMBERS.get(len(run.lines), str(len(run.lines)))
    return [
        f"It changes the history in {count} steps, at {at}; whoever is interrupted between them holds half.",
        f"After the first step, messages is {words(run.between)}.",
    ]


def _listed(numbers: list[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _ending(run: Observation) -> str:
    match run.kind:
        case "returned":
            return f"returned {words(run.value)}"
        case "refused":
            return f"refused {run.name}"
        case "exited":
            return "ended the program"
        case "not_ended":
            return "was still running when its time was up"
        case _:
            return f"raised {run.name}"


def _differing_results(found: tuple[str, Any, Any]) -> list[str]:
    path, expected, got = found
    if path or words(expected) == words(got):
        return [_difference("result", found)]
    # Without a path, the values stand above.
    types = _types(expected, got)
    return [f"The result is {types}."] if types else []


def _difference(what: str, found: tuple[str, Any, Any]) -> str:
    path, expected, got = found
    shown = words(expected), words(got)
    if shown[0] == shown[1] and isinstance(expected, str):
        at, *pieces = place_of_difference(expected, got)
        return f"{what}{path}: the texts part at character {at}: expected {pieces[0]}, got {pieces[1]}."
    types = _types(expected, got)
    return f"{what}{path}: expected {shown[0]}, got {shown[1]}{f' ({types})' if types else ''}."


def _types(expected: Any, got: Any) -> str:
    """Say of which types two values are, where these differ: what is no data, or None, says it itself."""
    plain = not any(value is None or isinstance(value, Other) for value in (expected, got))
    if type(expected) is type(got) or not plain:
        return ""
    return f"{type_words(got)}, not {type_words(expected)}"


def _differing_calls(expected: tuple[Call, ...], got: tuple[Call, ...]) -> list[str]:
    names = [", ".join([call.name for call in calls[:MOST_CALLS]]) or "none" for calls in (expected, got)]
    if len(expected) != len(got) or names[0] != names[1]:
        return [f"Calls: expected {names[0]}, got {names[1]}{'…' if len(got) > MOST_CALLS else '.'}"]
    for should, did in zip(expected, got, strict=True):
        found = difference(should.given, did.given)
        if found:
            return [_difference(f"{did.name} was given {should.what}", found)]
        if did.shared and not should.shared:
            return [f"No copy: {did.name} was given parts of the input itself, and may keep or change them."]
    return []


def output_lines(run: Observation) -> list[str]:
    """Return what a run printed: the beginning, if it was much."""
    if not run.printed:
        return []
    lines = run.output.splitlines()
    cut = len(lines) > MOST_OUTPUT_LINES or run.printed > len(run.output)
    shown = [f"{INDENT}{visible(line)}" for line in lines[:MOST_OUTPUT_LINES]]
    more = [f"{INDENT}… ({run.printed} characters in all)"] if cut else []
    return ["It printed:", *shown, *more]
