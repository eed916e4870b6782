"""Your version catches what a tool raises, but looks the tool up before the try. In the scenario fit,
where a call names a tool that does not exist, that line raises KeyError. Models do invent names, and such a
call needs a result too."""

from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    tool = tools[call["name"]]
    try:
        return block | {"content": tool(**call["input"])}
    except Exception as error:
        return block | {"content": repr(error), "is_error": True}


def one_round(ask, tools, messages):
    answer = deepcopy(ask(deepcopy(messages)))
    if not called(answer):
        return said(answer)
    results = [result_of(call, tools) for call in called(answer)]
    messages.extend([answer, {"role": "user", "content": results}])
    return None
