"""The history of a scenario: the messages that a file describes, and the changes to those of a base."""

from typing import Any

from ctxlab.messages.pairing import exchanges
from ctxlab.scenarios.fields import Call, Change, Item, PlainMessage, Repeat
from ctxlab.scenarios.yaml_source import YamlSource

Message = dict[str, Any]
Block = dict[str, Any]
History = list[Message]


def written_out(text: str | Repeat) -> str:
    """Return the text that a file describes."""
    return text.repeat * text.times if isinstance(text, Repeat) else text


def history_of(question: str, items: list[Item]) -> History:
    """Return the question and the items as messages in the block form of the Anthropic Messages API."""
    history: History = [{"role": "user", "content": question}]
    calls = 0
    for item in items:
        if isinstance(item, PlainMessage):
            history.append({"role": item.role, "content": item.content})
            continue
        pairs = [_blocks(call, calls + number) for number, call in enumerate(item.calls, start=1)]
        calls += len(pairs)
        history.append({"role": "assistant", "content": [request for request, _ in pairs]})
        results = [result for _, result in pairs if result is not None]
        if results:
            history.append({"role": "user", "content": results})
    return history


def change_history(history: History, change: Change, source: YamlSource) -> None:
    """Make the changes in place. Raises ScenarioError where the base has nothing to change."""
    if change.add_call is not None:
        _add_call(history, change.add_call, source)
    if change.is_error is not None:
        _result(history, 0, "is_error", source)["is_error"] = change.is_error
    if change.answer_id is not None:
        _result(history, -1, "answer_id", source)["tool_use_id"] = change.answer_id
    if change.drop_last is not None:
        # The question stays: a history starts with it.
        if change.drop_last >= len(history):
            problem = f"the base has {len(history)} messages, and the first stays; drop fewer"
            raise source.error(("change", "drop_last"), problem)
        del history[len(history) - change.drop_last :]


def _blocks(call: Call, number: int) -> tuple[Block, Block | None]:
    call_id = call.id or f"call_{number}"
    request = {"type": "tool_use", "id": call_id, "name": call.name, "input": call.input}
    if call.result is None:
        return request, None
    text = written_out(call.result)
    result = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": call.is_error}
    return request, result


def _add_call(history: History, call: Call, source: YamlSource) -> None:
    ranges = exchanges(history)
    if not ranges or ranges[0][1] - ranges[0][0] < 2:
        raise source.error(("change", "add_call"), "the base has no exchange with results; use another base")
    start, stop = ranges[0]
    request, result = _blocks(call, 1 + len(history[start]["content"]))
    history[start]["content"].append(request)
    if result is not None:
        history[stop - 1]["content"].append(result)


def _result(history: History, which: int, field: str, source: YamlSource) -> Block:
    contents = [message["content"] for message in history if isinstance(message["content"], list)]
    blocks = [block for content in contents for block in content if isinstance(block, dict)]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    if not results:
        raise source.error(("change", field), "the base has no result; use another base")
    return results[which]
