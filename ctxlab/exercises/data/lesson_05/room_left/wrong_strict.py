"""Your version refuses a request that fills the window exactly. Fits means at most: in the scenario
exact_window 0 tokens are left, and the request may be sent. A version that is too strict shortens a
history that needed nothing."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    if left <= 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
