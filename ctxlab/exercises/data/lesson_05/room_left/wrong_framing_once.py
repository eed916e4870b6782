"""Your version adds the framing once for the whole history. It belongs to each message: a history of many
short messages consists of framing to a large part. In the scenario exact_window nothing is left, and your
version finds some."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    tokens += per_message
    left = window - max_output - tokens
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
