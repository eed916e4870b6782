"""Your version drops the oldest exchanges until the request fits, and says nothing about it. In the scenario
chinese_notes that is the one text which holds a rule. It was asked how much room there is. What may go is
for someone to decide who knows the task."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    if left < 0 and len(messages) > 2:
        rest = messages[:1] + messages[3:]
        return room_left(rest, count, system, tool_definitions, window, max_output, per_message)
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
