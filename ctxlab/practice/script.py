"""The scripted models of the practice: what each of them answers is fixed here.

They go by the ids of the newest results, so a shorter history cannot send them back to an earlier step. That
proves nothing about a real model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ctxlab.models import Model, ScriptedModel
from ctxlab.practice.facts import PROGRAM, TO_REPORT_ON
from ctxlab.practice.tools import COMMAND

Message = dict[str, Any]
Answers = dict[tuple[str, ...], Message | Callable[[list[Message]], Message]]

TASK_OF_SUB_AGENT = (
    f"Read {', '.join(TO_REPORT_ON)}. Report in at most three sentences what the rules ask for, and what "
    f"{PROGRAM} does. Start nothing."
)
REPORT = (
    "A person allows each start of main.py beforehand, and its output must be that of expected.txt, "
    "character for character. main.py adds four counts, prints the sum and writes ran.txt. Nothing was "
    "started."
)
# When it is written, the older texts are markers already. So it tells what was done, and invents no detail.
SUMMARY = (
    "The logs of the first days were read; their texts are archived. Next: the other logs, the report of the "
    "sub-agent, a permission, the run, the comparison."
)


@dataclass(frozen=True)
class Models:
    """Who is asked: three models, or one in three places."""

    parent: Model
    sub_agent: Model
    summarizer: Model


def scripted_models() -> Models:
    """Return the models of the script: no network, the same answers each time."""
    parent = ScriptedModel(parent_answers(), SUMMARY)
    return Models(parent, ScriptedModel(sub_agent_answers(), SUMMARY), summarizer=parent)


def call(call_id: str, name: str, **given: str) -> dict[str, Any]:
    """Return the block of a call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def calls(*blocks: dict[str, Any]) -> Message:
    """Return an answer that calls tools."""
    return {"role": "assistant", "content": list(blocks)}


def said(text: str) -> Message:
    """Return an answer in text."""
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def final_answer(messages: list[Message]) -> Message:
    """Return the parent's answer. It says what the comparison said, whatever that was."""
    comparison = messages[-1]["content"][0]["content"]
    return said(f"The four logs are read, and the sub-agent was asked for its report. Result: {comparison}.")


def parent_answers() -> Answers:
    """Return what the parent answers.

    It asks for permission, and calls run_program after a no as well: it is the host that must hold.
    """
    answers: Answers = {(): calls(call("log_1", "read_file", path="logs/day1.log"))}
    for number in (2, 3, 4):
        read = call(f"log_{number}", "read_file", path=f"logs/day{number}.log")
        answers[(f"log_{number - 1}",)] = calls(read)
    answers[("log_4",)] = calls(call("delegate_1", "delegate", task=TASK_OF_SUB_AGENT))
    answers[("delegate_1",)] = calls(call("permission_1", "request_permission", command=COMMAND))
    answers[("permission_1",)] = calls(call("run_1", "run_program", path=PROGRAM))
    answers[("run_1",)] = calls(call("compare_1", "compare_output"))
    answers[("compare_1",)] = final_answer
    return answers


def sub_agent_answers() -> Answers:
    """Return what the sub-agent answers: the rules first, then the two other files in one round."""
    rules, program, expected = TO_REPORT_ON
    both = calls(call("file_2", "read_file", path=program), call("file_3", "read_file", path=expected))
    return {
        (): calls(call("file_1", "read_file", path=rules)),
        ("file_1",): both,
        ("file_2", "file_3"): said(REPORT),
    }
