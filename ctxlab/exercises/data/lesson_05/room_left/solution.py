from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    """Return the tokens left in the window. Refuses `over_window`."""
    # 1. Count what the messages say, the system text, and the definitions of the tools.
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    for definition in tool_definitions:
        tokens += count(as_json(definition))
    # 2. Add the framing, and leave room for the answer.
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    # Is there too little room?
    if left < 0:
        # Nothing is removed: what may go is not for a count to say.
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
