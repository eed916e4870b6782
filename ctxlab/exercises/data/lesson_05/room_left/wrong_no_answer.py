"""Your version keeps no room for the answer. It comes into the same window as the request. In the scenario
chinese_notes the request itself fits, and your version lets it go: then it is rejected, or the answer
breaks off in the middle."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    tokens += per_message * len(messages)
    left = window - tokens
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
