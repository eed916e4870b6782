import json
from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.models import Brief, ScriptedModel
from ctxlab.practice.script import REPORT, call, calls, said, sub_agent_answers
from ctxlab.practice.sub_agent import MAX_REPORT_CHARS, MAX_REQUESTS, SubAgent, cut

FILES = {"rules.md": "rules", "main.py": "print(42)", "expected.txt": "42\n"}


def sub_agent(
    answers: dict[tuple[str, ...], Any], read: Callable[[str], str] = FILES.__getitem__
) -> tuple[SubAgent, list[list[dict[str, Any]]]]:
    """A sub-agent with these answers, and the histories that it sends."""
    sent: list[list[dict[str, Any]]] = []
    model = ScriptedModel(answers, "")

    def ask(messages: list[dict[str, Any]]) -> dict[str, Any]:
        sent.append(messages)
        return model.ask(messages, Brief(""))

    return SubAgent(ask, read), sent


def test_reports_and_the_host_attaches_the_expected_text() -> None:
    agent, sent = sub_agent(sub_agent_answers())
    report = agent.report("Read three files.")
    assert json.loads(report) == {"report": REPORT, "expected.txt": "42\n"}
    assert len(report) < 600
    assert [len(messages) for messages in sent] == [1, 3, 5]
    assert sent[0] == [{"role": "user", "content": "Read three files."}]
    results = sent[2][4]["content"]
    assert [result["content"] for result in results] == ["print(42)", "42\n"], "both in one round"


def test_the_expected_text_is_that_of_the_file_whatever_the_report_says() -> None:
    agent, _ = sub_agent(sub_agent_answers() | {("file_2", "file_3"): said('{"expected.txt": "1\\n"}')})
    assert json.loads(agent.report("go"))["expected.txt"] == "42\n"


def test_a_file_that_was_not_read_is_not_attached() -> None:
    agent, _ = sub_agent({(): said("All as expected.")})
    assert json.loads(agent.report("go")) == {"report": "All as expected.", "expected.txt": None}


def test_another_way_to_write_the_path_is_the_same_file() -> None:
    answers = {(): calls(call("a", "read_file", path="./expected.txt")), ("a",): said("done")}
    agent, _ = sub_agent(answers, lambda path: "42\n")
    assert json.loads(agent.report("go"))["expected.txt"] == "42\n"


def test_each_report_begins_with_an_empty_history() -> None:
    agent, sent = sub_agent(sub_agent_answers())
    assert agent.report("go") == agent.report("go")
    assert [len(messages) for messages in sent] == [1, 3, 5, 1, 3, 5]


def test_it_has_no_tool_but_to_read() -> None:
    answers = {(): calls(call("a", "run_program", path="main.py")), ("a",): said("done")}
    agent, sent = sub_agent(answers)
    agent.report("go")
    (result,) = sent[1][2]["content"]
    assert result["is_error"]
    assert "there is no tool 'run_program'" in result["content"]


def test_no_answer_is_no_report() -> None:
    agent, sent = sub_agent({})
    with pytest.raises(
        Refusal, match="the sub-agent ended with model_error: ModelError: the script"
    ) as caught:
        agent.report("go")
    assert caught.value.code == "no_report"
    assert len(sent) == 1


def test_it_cannot_go_on_for_ever() -> None:
    again = calls(call("a", "read_file", path="rules.md"))
    agent, sent = sub_agent({(): again, ("a",): again})
    with pytest.raises(Refusal, match="the sub-agent ended with max_requests"):
        agent.report("go")
    assert len(sent) == MAX_REQUESTS == 8


@pytest.mark.parametrize("task", ["", " ", "x" * 1001, None, 3])
def test_a_task_that_is_none(task: object) -> None:
    agent, sent = sub_agent(sub_agent_answers())
    with pytest.raises(Refusal, match="not text of 1 to 1000 characters") as caught:
        agent.report(task)  # type: ignore[arg-type]
    assert caught.value.code == "bad_argument"
    assert sent == []


def test_a_long_report_is_cut_and_says_so() -> None:
    agent, _ = sub_agent({(): said("x" * 900)})
    report = json.loads(agent.report("go"))["report"]
    assert report == "x" * MAX_REPORT_CHARS + " [cut: 900 characters in all]"
    assert cut("x" * MAX_REPORT_CHARS, MAX_REPORT_CHARS) == "x" * MAX_REPORT_CHARS
