"""Your version gathers the calls of the whole history before it looks at a result. In the scenario
early_result the only call stands after its result, and the result passes. The model cannot have asked for
what was there before. Only the calls that you have passed count."""

from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    called = {call_id for message in messages for kind, call_id in kinds_and_ids(message) if kind == "call"}
    return [
        (index, number, call_id)
        for index, message in enumerate(messages)
        for number, (kind, call_id) in enumerate(kinds_and_ids(message))
        if kind == "result" and call_id not in called
    ]
