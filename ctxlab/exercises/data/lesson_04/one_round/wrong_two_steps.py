"""Your version appends the two halves one after the other. In the scenario fit the history ends with an open
call in between, and whatever stops the run there, such as Ctrl-C, leaves it at that. messages.extend takes
both at once."""

from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    try:
        return block | {"content": tools[call["name"]](**call["input"])}
    except Exception as error:
        return block | {"content": repr(error), "is_error": True}


def one_round(ask, tools, messages):
    answer = deepcopy(ask(deepcopy(messages)))
    if not called(answer):
        return said(answer)
    results = [result_of(call, tools) for call in called(answer)]
    messages.append(answer)
    messages.append({"role": "user", "content": results})
    return None
