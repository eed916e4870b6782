"""Count a request before it is sent: all that goes with a history, and what no count here can see.

The messages are in the block form of the Anthropic Messages API, as in `history`; other than there, any block
may stand in them. A request holds more than its messages: the system text and the definitions of all tools
are sent each time, and count as input
(https://platform.claude.com/docs/en/build-with-claude/token-counting). The answer comes into the same window
(https://platform.claude.com/docs/en/build-with-claude/context-windows).
"""

from collections.abc import Callable, Sequence
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown, type_words

Message = dict[str, Any]
Block = dict[str, Any]

WINDOW = 2000
MAX_OUTPUT = 500
PER_MESSAGE = 4


def count_request(
    messages: list[Message],
    count: Callable[[str], int],
    *,
    system: str = "",
    tool_definitions: Sequence[dict[str, Any]] = (),
    window: int = WINDOW,
    max_output: int = MAX_OUTPUT,
    per_message: int = PER_MESSAGE,
) -> dict[str, Any]:
    """Return the tokens of a request, part by part, or refuse one that leaves no room for its answer.

    `count(text)` returns the tokens of one text: a tokenizer, or an estimate. `window` is the limit for
    request and answer together, `max_output` the room to leave for the answer, with the reasoning that it may
    hide; both in tokens. Nothing is removed or changed.

    {"system": tokens, "tools": tokens, "messages": [tokens of each], "framing": tokens, "total": tokens,
    "left": tokens, "uncounted": places}. A place is {"message": index, "block": index, "type": text}. Where
    there is one, `total` is too small and `left` too large, and nobody here knows by how much.

    Only `count` decides how exact this is, and three things stay estimates with any: a provider's framing
    (`per_message` tokens each: OpenAI's cookbook has 3 for some of its models and other providers publish no
    figure), how a provider writes the definitions of tools, and the text that it may add to them. Thinking
    is counted as it stands, also where a provider leaves that of earlier turns out.

    What happens to a request that is too large depends on the provider and the model: it is rejected, or the
    answer is cut short where the window ends. Refuses `over_window`, `bad_argument` and `not_a_history`.
    """
    limits = {"window": window, "max_output": max_output, "per_message": per_message}
    check_arguments(messages, count, tool_definitions, limits)

    # 1. Count what goes with every request: the system text and the definitions of the tools.
    system_tokens = counted(count, [system], "the system text")
    tools = 0
    for definition in tool_definitions:
        tools += counted(count, [as_json(definition)], "a tool definition")

    # 2. Count each message by what it says, block by block.
    said = []
    uncounted = []
    for index, message in enumerate(messages):
        tokens = 0
        for number, block in blocks_of(message, index):
            place = f"message {index}, block {number}"
            texts = texts_of(block, place)
            # Is this a block that cannot be counted here?
            if texts is None:
                # 3. Name what cannot be counted: as 0 it would look as if it were free.
                uncounted.append({"message": index, "block": number, "type": block["type"]})
            else:
                tokens += counted(count, texts, place)
        said.append(tokens)

    # 4. Add the framing of the messages, which is an estimate.
    framing = per_message * len(said)
    total = system_tokens + tools + sum(said) + framing

    # 5. Leave room for the answer. What does not fit is refused, and nothing is removed.
    left = window - max_output - total
    # Is there too little room for the answer?
    if left < 0:
        # Which part is to go is a decision of its own: a count makes none.
        raise Refusal(
            "over_window",
            f"{total} tokens (system {system_tokens}, tools {tools}, messages {sum(said)}, framing {framing})"
            f" and {max_output} for the answer are {-left} more than the window of {window}",
        )
    return {
        "system": system_tokens,
        "tools": tools,
        "messages": said,
        "framing": framing,
        "total": total,
        "left": left,
        "uncounted": uncounted,
    }


def check_arguments(
    messages: list[Message],
    count: Callable[[str], int],
    tool_definitions: Sequence[dict[str, Any]],
    limits: dict[str, int],
) -> None:
    """Refuse arguments with which nothing can be counted (`not_a_history`, `bad_argument`)."""
    # Is the history anything but a list?
    if not isinstance(messages, list):
        raise Refusal("not_a_history", f"messages is {type_words(messages)}, not a list of messages")
    # Is there nothing to count with?
    if not callable(count):
        raise Refusal("bad_argument", f"count is {type_words(count)}, not a function of a text")
    # Are the definitions anything but a list?
    if not isinstance(tool_definitions, (list, tuple)):
        given = type_words(tool_definitions)
        raise Refusal("bad_argument", f"tool_definitions is {given}, not a list of definitions")
    for name, value in limits.items():
        # Is the limit anything but a whole number of tokens?
        if type(value) is not int or value < 0:
            raise Refusal("bad_argument", f"{name} is {shown(value)}, not an int of at least 0")


def blocks_of(message: Message, index: int) -> list[tuple[int, Block]]:
    """Return the blocks of a message with their numbers; a content in text is one block.

    The blocks in the content of a result come in its place, under its number. Refuses `not_a_history`.
    """
    # Is this anything but a message?
    if not isinstance(message, dict) or not isinstance(message.get("content"), (str, list)):
        raise Refusal("not_a_history", f"message {index} has no content: a text, or a list of blocks")
    content = message["content"]
    # Is the content one text?
    if isinstance(content, str):
        return [(0, {"type": "text", "text": content})]
    found = []
    for number, block in enumerate(content):
        # Is this a result that holds blocks of its own?
        if is_nested(block):
            found += [(number, part) for part in block["content"]]
        else:
            found.append((number, block))
    return found


def texts_of(block: Block, place: str) -> list[Any] | None:
    """Return the texts in which a block says something, or None where it says nothing in a text."""
    # Is this anything but a block?
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        raise Refusal("not_a_history", f"{place} is {shown(block)}, not a block with a type")
    kind = block["type"]
    # Is it a text?
    if kind == "text":
        return [block.get("text")]
    # Is it reasoning that can be read?
    if kind == "thinking":
        # Its signature stands for what cannot be read, and is left out.
        return [block.get("thinking")]
    # Is it a call?
    if kind == "tool_use":
        # The name and the arguments are sent too: a long argument costs as much as a long result.
        return [block.get("name"), as_json(block.get("input"))]
    # Is it a result?
    if kind == "tool_result":
        return [block.get("content", "")]
    # An image, a PDF, hidden reasoning: its tokens do not follow from any text here.
    return None


def is_nested(block: Any) -> bool:
    """Say whether a block is a result that holds blocks: texts, images."""
    return (
        isinstance(block, dict)
        and block.get("type") == "tool_result"
        and isinstance(block.get("content"), list)
    )


def counted(count: Callable[[str], int], texts: list[Any], place: str) -> int:
    """Return the tokens of these texts together. Refuses what is no text, and a count that is no number."""
    tokens = 0
    for text in texts:
        # Is this anything but a text?
        if not isinstance(text, str):
            raise Refusal("not_a_history", f"{place} says {shown(text)}, not a text")
        found = count(text)
        # Did `count` return anything but a whole number of tokens?
        if type(found) is not int or found < 0:
            raise Refusal(
                "bad_argument", f"count returned {shown(found)} for {place}, not a number of tokens"
            )
        tokens += found
    return tokens


def as_json(value: Any) -> str:
    """Return the text of a value as compact JSON: no spaces, non-ASCII kept. Refuses `not_a_history`."""
    return compact_json(value).decode("utf-8")
