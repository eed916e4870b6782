"""Your version says that 0 tokens are left where the request does not fit. That is also what it says of one
that fits exactly, so nobody can tell the two apart. In the scenario chinese_notes the request is over its
window and would be sent."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    return max(0, left)
