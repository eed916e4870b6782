"""Answers in JSON: ask a model for one object, and once more where the answer cannot be used.

The requests hold text alone, so they suit the Messages and the Chat Completions API.
"""

import json
from collections.abc import Callable
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.json_fields import json_fault
from ctxlab.messages.wording import shown
from ctxlab.reference.answers import answer_text, calls_a_tool
from ctxlab.reference.argument_checks import check_function
from ctxlab.reference.loop import sendable

Message = dict[str, Any]
Ask = Callable[[list[Message]], Any]

MAX_ANSWER_CHARS = 100_000

ALONE = "Answer with one JSON object and nothing else: no code fence, no words around it."


def answered(request: str, fault_of: Callable[[Any], str], ask: Ask) -> dict[str, Any]:
    """Return the JSON object that the model answers.

    A bad one gets one repair request that shows the problem. `fault_of(value)` says what is wrong with an
    object, as the rest of a sentence, or "". Refuses `bad_plan`, and `bad_argument` where `ask` is no
    function. What `ask` raises passes through.
    """
    check_function("ask", ask)
    # 1. Ask.
    messages = [{"role": "user", "content": request}]
    text = text_of(ask(copied(messages)))
    value, problem = parsed(text, fault_of)

    # 2. Ask once more.
    # Is something wrong with the answer?
    if problem:
        # The model sees its own answer, and what is wrong with it.
        messages += [
            {"role": "assistant", "content": sendable(text[:MAX_ANSWER_CHARS]).strip() or "(no text)"},
            {"role": "user", "content": f"This cannot be used: the answer {problem}. {ALONE}"},
        ]
        value, problem = parsed(text_of(ask(copied(messages))), fault_of)

    # Is something still wrong?
    if problem:
        # To go on asking could take for ever.
        raise Refusal("bad_plan", f"the answer {problem}, after a repair request too; ask another model")
    return value


def text_of(answer: Any) -> str:
    """Return the text of an assistant's message, in the form of either API. Refuses `bad_plan`."""
    # Is it no answer of a model?
    if not isinstance(answer, dict) or answer.get("role") != "assistant":
        raise Refusal("bad_plan", f"ask returned {shown(answer)}, not an assistant's message")
    # Does it call a tool?
    if calls_a_tool(answer):
        # A repair request behind a call without a result would be rejected.
        raise Refusal("bad_plan", "the model called a tool in place of an answer; ask it without tools")
    return answer_text(answer)


def parsed(text: str, fault_of: Callable[[Any], str]) -> tuple[dict[str, Any], str]:
    """Return the JSON object that a text is, and a fault as the rest of a sentence, or ""."""
    # Is it too long?
    if len(text) > MAX_ANSWER_CHARS:
        return {}, f"has {len(text)} characters, over the limit of {MAX_ANSWER_CHARS}"
    # Does it begin with anything else than an object, such as a code fence?
    if not text.strip().startswith("{"):
        # An object somewhere in it could be an example, or a draft: to pick one out is to guess.
        return {}, f"begins with {shown(text.strip()[:20])}, not with {{"
    try:
        value: dict[str, Any] = json.loads(text, object_pairs_hook=each_field_once)
    except RecursionError:
        return {}, "is nested too deeply"
    except ValueError as error:
        return {}, f"is no JSON: {error}"
    return value, json_fault(value) or fault_of(value)


def each_field_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raises ValueError where it has a field twice: one would be lost without a word."""
    value = dict(pairs)
    # Is a field lost?
    if len(value) < len(pairs):
        raise ValueError(f"an object has a field twice; its fields are {shown([name for name, _ in pairs])}")
    return value
