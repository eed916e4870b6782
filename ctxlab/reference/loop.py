"""The loop of an agent: ask the model, run the tools that it calls, and go on with what they returned.

The history is in the block form of the Anthropic Messages API, as in `history`. Before each request it may be
replaced by a smaller one. That moment is the commit point: before it there is a candidate and nothing has
changed, after it the candidate is the history.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.grammar import answer_fault
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.history import prepare_context

Message = dict[str, Any]
History = list[Message]
Tool = Callable[..., Any]

MAX_REQUESTS = 20


def run_loop(
    ask: Callable[[History], Message],
    tools: Mapping[str, Tool],
    messages: History,
    *,
    prepare: Callable[[History], Any] | None = None,
    max_requests: int = MAX_REQUESTS,
) -> dict[str, Any]:
    """Work on `messages` until the model answers in text: {"status": ..., "text": ..., "requests": number}.

    `messages` is the active history. It changes in place: by whole exchanges, and where `prepare` gives
    another. `ask(messages)` returns the assistant's next message, `prepare(messages)` the history to go on
    with; both get copies. `tools` maps a name to a function that takes the input of a call by keyword and
    returns a text. What a tool raises becomes its result, marked as an error.

    The status is "answered" (`text` is the answer), "context_error" (`prepare` gave no history: the request
    was not sent, and the history is as it was), "model_error" (`ask` raised, or its answer is malformed) or
    "max_requests"; then `text` is the reason. `requests` counts the requests that were sent.
    KeyboardInterrupt passes through, and `messages` holds whole exchanges then too. Refuses `bad_argument`.
    """
    check_loop(tools, messages, max_requests)
    requests = 0
    # Is another request allowed?
    while requests < max_requests:
        # Is there a function that prepares the history?
        if prepare is not None:
            # 1. Make a candidate from a copy of the history.
            try:
                candidate = copied(prepare(copied(messages)))
            except Exception as error:  # noqa: BLE001 - any failure means that there is no candidate
                return ended("context_error", reason(error), requests)
            # Is the candidate anything but a list?
            if not isinstance(candidate, list):
                # No commit: nothing has changed, and the request is not sent.
                return ended("context_error", f"prepare returned {type_words(candidate)}", requests)
            # 2. Commit: the candidate takes the place of the history, in one step.
            messages[:] = candidate

        # 3. Ask the model. A request counts from the moment that it is sent.
        requests += 1
        try:
            answer = copied(ask(copied(messages)))
        except Exception as error:  # noqa: BLE001 - a model can fail in any way; the history is whole in each
            return ended("model_error", reason(error), requests)
        fault = answer_fault(answer, len(messages))
        # Is the answer malformed?
        if fault:
            # It is not appended: with a malformed message in it, the history could never be sent again.
            return ended("model_error", f"{fault.code}: {fault.text}", requests)

        # 4. An answer without calls ends the work.
        calls = called(answer)
        # Does the answer call no tool?
        if not calls:
            return ended("answered", said(answer), requests)

        # 5. Run the tools, then append both halves of the exchange at once.
        results = []
        for call in calls:
            results.append(result_of(call, tools))
        messages.extend([answer, {"role": "user", "content": results}])
    return ended("max_requests", f"no answer within the limit of requests, {max_requests}", requests)


def check_loop(tools: Mapping[str, Tool], messages: History, max_requests: int) -> None:
    """Refuse arguments that no loop can work with (`bad_argument`)."""
    # Is max_requests anything but a whole number of at least 1?
    if type(max_requests) is not int or max_requests < 1:
        raise Refusal("bad_argument", f"max_requests is {shown(max_requests)}, not an int of at least 1")
    # Is the history anything but a list?
    if not isinstance(messages, list):
        raise Refusal("bad_argument", f"messages is {type_words(messages)}, not a list of messages")
    # Do the tools have no names?
    if not isinstance(tools, Mapping):
        raise Refusal("bad_argument", f"tools is {type_words(tools)}, not a dict of names and functions")


def preparer(
    question: str,
    state: dict[str, Any],
    archive: Callable[[History], str],
    summarize: Callable[[History], str],
    *,
    budget: int = 3200,
    keep_recent: int = 1,
) -> Callable[[History], History]:
    """Return `prepare(messages)` for a loop: `prepare_context` with everything else filled in."""

    def prepare(messages: History) -> History:
        return prepare_context(messages, question, state, archive, summarize, budget, keep_recent)

    return prepare


def result_of(call: dict[str, Any], tools: Mapping[str, Tool]) -> dict[str, Any]:
    """Return the result block of one call. A call that fails has a result too: the reason, marked."""
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    # Is there no tool of this name?
    if call["name"] not in tools:
        return block | {"content": f"there is no tool {shown(call['name'])}", "is_error": True}
    try:
        text = str(tools[call["name"]](**copied(call["input"])))
    except Exception as error:  # noqa: BLE001 - the model is told what went wrong, and the exchange stays whole
        return block | {"content": reason(error), "is_error": True}
    return block | {"content": sendable(text)}


def called(answer: Message) -> list[dict[str, Any]]:
    """Return the calls of an answer."""
    blocks = answer["content"] if isinstance(answer["content"], list) else []
    return [block for block in blocks if block["type"] == "tool_use"]


def said(answer: Message) -> str:
    """Return the text of an answer."""
    content = answer["content"]
    return content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)


def reason(error: Exception) -> str:
    """Return the code of a refusal, or the class of another exception, and what it says."""
    try:
        code = getattr(error, "code", None)
        name = code if isinstance(code, str) else type(error).__name__
        return sendable(f"{name}: {error}")
    except Exception:  # noqa: BLE001 - an exception's own methods can fail too
        return type(error).__name__


def sendable(text: str) -> str:
    """Return the text with escapes for what UTF-8 cannot hold: the halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def ended(status: str, text: str, requests: int) -> dict[str, Any]:
    """Return how the loop ended."""
    return {"status": status, "text": text, "requests": requests}
