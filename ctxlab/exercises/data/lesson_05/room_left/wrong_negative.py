"""Your version returns a number below zero where the request does not fit. A caller who only asks "is
something left" takes any number but 0 for a yes. In the scenario chinese_notes it is far below zero. A
refusal cannot be overlooked."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    tokens += per_message * len(messages)
    return window - max_output - tokens
