"""Your version appends the call, then runs the tools, and does not catch what they raise. In the scenario
fit, where the answer holds a call that raises OSError, the run ends there, and an open call stays behind.
That history can be sent to no provider again."""

from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    return block | {"content": tools[call["name"]](**call["input"])}


def one_round(ask, tools, messages):
    answer = deepcopy(ask(deepcopy(messages)))
    if not called(answer):
        return said(answer)
    messages.append(answer)
    results = [result_of(call, tools) for call in called(answer)]
    messages.append({"role": "user", "content": results})
    return None
