"""Your version counts the messages and nothing that is sent beside them. In the scenario many_tools it finds
room for a request that is over its window: the system text and the tools are most of it. They go with
every request, the shortest too."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message))
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
