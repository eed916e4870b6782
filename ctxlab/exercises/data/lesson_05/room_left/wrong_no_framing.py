"""Your version leaves out the framing: roles, ids and the ends of messages cost tokens as well. It is little
for one message, and it grows with each. In the scenario exact_window there is nothing left, and your
version finds some."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    left = window - max_output - tokens
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
