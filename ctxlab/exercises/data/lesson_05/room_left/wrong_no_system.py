"""Your version leaves out the system text, which is no message and is sent with every request all the same.
In the scenario source_code it is one short sentence, so there is only a little too much left. In a real
agent it is often the longest text of all."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message))
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
