from ctxlab import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.counting import as_json


def room_left(messages, count, system, tool_definitions, window, max_output, per_message):
    """Return the tokens left in the window. Refuses `over_window`."""
    # Given: spoken(message) gives the texts that a message says, as_json(definition) the text of a tool.
    raise NotImplementedError("not written yet")
