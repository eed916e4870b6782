"""Your version gives ask the history itself, or another list with the same messages in it. In the scenario
fit all looks well. But a client that adds the plan to its request, or a mark for the cache, would write
that into your history for good. Only a deep copy has messages of its own."""

from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    try:
        return block | {"content": tools[call["name"]](**call["input"])}
    except Exception as error:
        return block | {"content": repr(error), "is_error": True}


def one_round(ask, tools, messages):
    answer = deepcopy(ask(messages))
    if not called(answer):
        return said(answer)
    results = [result_of(call, tools) for call in called(answer)]
    messages.extend([answer, {"role": "user", "content": results}])
    return None
