"""Your version leaves out the tool definitions. Name, description and schema of each tool are sent with
every request, called or not. In the scenario many_tools they alone are most of the window, and your
version says that there is room."""

from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    tokens = sum(count(text) for message in messages for text in spoken(message)) + count(system)
    tokens += per_message * len(messages)
    left = window - max_output - tokens
    if left < 0:
        raise Refusal("over_window", f"{-left} tokens too many")
    return left
