"""Your version counts only the names of the tools. The model reads their descriptions and schemas too, and
those are long. In the scenario many_tools your version says that there is room, where there is none."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(definition["name"])
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
