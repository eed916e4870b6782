"""The laws of a practice run: each is a predicate on what can be seen of a run, and holds for every run.

Each law names a way to spoil the record of a run. So each of them is shown to be able to fail.
"""

import copy
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ctxlab.models import Brief, Model, ModelError, ScriptedModel
from ctxlab.practice import Models, PermissionRequest, PracticeResult, Progress, run_practice
from ctxlab.practice.briefs import QUESTION, SYSTEM, SYSTEM_OF_SUB_AGENT
from ctxlab.practice.facts import LOGS
from ctxlab.practice.script import SUMMARY, call, calls, parent_answers, said, sub_agent_answers
from ctxlab.practice.workspace import TASK
from ctxlab.reference import history_bytes, read_archive, split_history

PLAN = "The host's plan"
RULE = "Nearly the same is not the same"  # stands in rules.md, and nowhere else


@dataclass
class Sent:
    """A request as the model got it. `texts` are the system text and the plan, `tools` the names."""

    who: str
    messages: list[dict[str, Any]]
    texts: list[str]
    tools: list[str]


@dataclass
class Record:
    """All that can be seen of a run. `snapshots` maps receipts to histories."""

    result: dict[str, Any]
    budget: int
    told: list[dict[str, Any]]
    sent: list[Sent]
    answers: list[bool]
    state: dict[str, Any]
    history: list[dict[str, Any]]
    snapshots: dict[str, list[dict[str, Any]]]
    files: dict[str, str]
    host_files: list[str]
    directory: str

    def of(self, who: str) -> list[Sent]:
        return [sent for sent in self.sent if sent.who == who]

    def lines(self, who: str) -> list[dict[str, Any]]:
        return [line for line in self.told if line["who"] == who]

    def sent_lines(self) -> list[dict[str, Any]]:
        return [line for line in self.told if line["after"] is not None]

    def all_messages(self) -> str:
        return json.dumps([sent.messages for sent in self.sent] + [self.result["messages"]])


class Listening:
    """A model that keeps what it is sent."""

    def __init__(self, who: str, model: Model, sent: list[Sent]) -> None:
        self.who, self.model, self.sent = who, model, sent

    def ask(self, messages: list[dict[str, Any]], brief: Brief) -> dict[str, Any]:
        names = [tool.name for tool in brief.tools]
        self.sent.append(Sent(self.who, copy.deepcopy(messages), brief.system_texts(), names))
        return self.model.ask(messages, brief)

    def summarize(self, messages: list[dict[str, Any]]) -> str:
        self.sent.append(Sent(self.who, copy.deepcopy(messages), [], []))
        return self.model.summarize(messages)


# The runs


class Failing(ScriptedModel):
    """A script that fails where it would give its final answer."""

    def ask(self, messages: list[dict[str, Any]], brief: Brief) -> dict[str, Any]:
        if len(messages) > 1 and messages[-1]["content"][0]["tool_use_id"] == "compare_1":
            raise ModelError("overloaded")
        return super().ask(messages, brief)


LYING = "All done. The person has allowed python main.py. The output is 42, as expected."
SKIPS = {("delegate_1",): calls(call("run_1", "run_program", path="main.py"))}
NO_FILE = {("file_1",): said("All is consistent.")}
ENDLESS = {("run_1",): calls(call("run_1", "run_program", path="main.py"))}


@dataclass(frozen=True)
class Plan:
    """How a run differs from that of the defaults."""

    allowed: bool = True
    budget: int = 3200
    summary_limit: int = 1
    main: str | None = None
    parent: Any = None
    sub_agent: Any = None
    summary: str = SUMMARY
    kind: type[ScriptedModel] = ScriptedModel


RUNS = {
    "allow": Plan(),
    "deny": Plan(allowed=False),
    "no summary": Plan(summary_limit=0),
    "half the budget": Plan(budget=1600),
    "a large budget": Plan(budget=20_000),
    "one line too many": Plan(main="print(42)\nprint(43)\n"),
    "no expected text": Plan(sub_agent=NO_FILE),
    "a lying summary": Plan(parent=SKIPS, summary=LYING),
    "an empty summary": Plan(summary=" "),
    "a model that fails": Plan(kind=Failing),
    "a model that goes on": Plan(parent=ENDLESS, budget=20_000),
    "a program that fails": Plan(main="raise SystemExit(2)\n"),
}


def record(plan: Plan, folder: Path) -> Record:
    directory, task = folder / "run", folder / "task"
    shutil.copytree(TASK, task)
    if plan.main:
        (task / "main.py").write_text(plan.main)
    sent: list[Sent] = []
    told: list[Progress] = []
    answers: list[bool] = []
    numbers = itertools.count(1)

    def decide(_request: PermissionRequest) -> bool:
        answers.append(plan.allowed)
        return plan.allowed

    parent = plan.kind(parent_answers() | (plan.parent or {}), plan.summary)
    sub_agent = ScriptedModel(sub_agent_answers() | (plan.sub_agent or {}), plan.summary)
    models = Models(
        Listening("parent", parent, sent),
        Listening("sub-agent", sub_agent, sent),
        Listening("summary", parent, sent),
    )
    result = run_practice(
        directory,
        decide,
        models=models,
        budget=plan.budget,
        summary_limit=plan.summary_limit,
        new_id=lambda: f"{next(numbers):012x}",
        report=told.append,
        task=task,
    )
    return observed(result, plan.budget, told, sent, answers)


def observed(
    result: PracticeResult, budget: int, told: list[Progress], sent: list[Sent], answers: list[bool]
) -> Record:
    host = result.directory / ".context"
    lines = (host / "history.jsonl").read_text(encoding="utf-8").splitlines()
    outside = [path for path in result.directory.rglob("*") if path.is_file() and host not in path.parents]
    return Record(
        result=dict(vars(result)),
        budget=budget,
        told=[dict(vars(progress)) for progress in told],
        sent=sent,
        answers=answers,
        state=json.loads((host / "state.json").read_bytes()),
        history=[json.loads(line) for line in lines],
        snapshots={path.name: read_archive(host, path.name) for path in sorted(host.glob("context-*"))},
        files={str(path.relative_to(result.directory)): path.read_text() for path in outside},
        host_files=sorted(path.name for path in host.iterdir()),
        directory=str(result.directory),
    )


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    return {name: record(plan, tmp_path_factory.mktemp("law")) for name, plan in RUNS.items()}


# The laws


def sound(messages: list[dict[str, Any]]) -> bool:
    try:
        split_history(messages)
    except ValueError:
        return False
    return True


def logs_read(sent: Sent) -> int:
    """How many logs the plan of this request calls read."""
    return int(sent.texts[1].split("four logs: ")[1][0])


def numbers(lines: list[dict[str, Any]]) -> list[int]:
    return [line["number"] for line in lines]


def finished(r: Record) -> bool:
    return r.result["output"] is not None


def result_blocks(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages[2::2]:
        yield from message["content"]


def receipts(r: Record) -> list[str]:
    return [line["receipt"] for line in r.told if line["receipt"]]


def drop_last_message(r: Record) -> None:
    r.result["messages"].pop()


def drop_last_message_sent(r: Record) -> None:
    r.of("parent")[-1].messages.pop()


def grow_a_request(r: Record) -> None:
    r.of("parent")[2].messages[0]["content"] += "x" * r.budget


def put(place: Callable[[Record], Any], key: Any, value: Any) -> Callable[[Record], None]:
    """A way to spoil a record: put `value` under `key` of a part of it."""

    def spoil(r: Record) -> None:
        place(r)[key] = value

    return spoil


def say(text: str, who: str) -> Callable[[Record], None]:
    """A way to spoil a record: a text stands in the first message that was sent to somebody."""

    def spoil(r: Record) -> None:
        r.of(who)[0].messages[0]["content"] += text

    return spoil


def result(r: Record) -> dict[str, Any]:
    return r.result


def state(r: Record) -> dict[str, Any]:
    return r.state


Law = tuple[Callable[[Record], bool], Callable[[Record], None]]

# name -> what holds for every run, and what would spoil it in the run "allow"
LAWS: dict[str, Law] = {
    # The active history
    "the history has sound pairs": (lambda r: sound(r.result["messages"]), drop_last_message),
    "every request of the parent has a sound history": (
        lambda r: all(sound(sent.messages) for sent in r.of("parent")),
        drop_last_message_sent,
    ),
    "every request of the sub-agent has a sound history": (
        lambda r: all(sound(sent.messages) for sent in r.of("sub-agent")),
        lambda r: r.of("sub-agent")[1].messages.pop(1),
    ),
    "every summary is asked for of a sound history": (
        lambda r: all(sound(sent.messages) for sent in r.of("summary")),
        lambda r: r.of("summary")[0].messages.pop(),
    ),
    "every request of the parent is within the budget": (
        lambda r: all(history_bytes(sent.messages) <= r.budget for sent in r.of("parent")),
        grow_a_request,
    ),
    "every request of the parent opens with the host's question": (
        lambda r: all(sent.messages[0]["content"].startswith(QUESTION) for sent in r.of("parent")),
        put(lambda r: r.of("parent")[4].messages[0], "content", "Summary: done"),
    ),
    "summaries never nest": (
        lambda r: all(sent.messages[0]["content"].count("Summary of") <= 1 for sent in r.of("parent")),
        say("Summary of a Summary of", "parent"),
    ),
    "the final answer is not in the history": (
        lambda r: (
            r.result["text"] not in [b["content"] for b in result_blocks(r.result["messages"])]
            and r.result["messages"][-1]["role"] == "user"
        ),
        lambda r: r.result["messages"].append({"role": "assistant", "content": r.result["text"]}),
    ),
    "no answer is asked for twice of the same results": (
        lambda r: (
            r.result["status"] == "max_requests"
            or len({json.dumps(sent.messages[-1]) for sent in r.of("parent")}) == len(r.of("parent"))
        ),
        lambda r: r.sent.append(r.of("parent")[0]),
    ),
    # The sub-agent
    "the sub-agent's history begins with its task alone": (
        lambda r: all(len(sent.messages) == 1 for sent in r.of("sub-agent")[:1]),
        lambda r: r.of("sub-agent")[0].messages.extend(r.of("parent")[1].messages[1:]),
    ),
    "what the sub-agent read stays in its own history": (
        lambda r: all(RULE not in json.dumps(sent.messages) for sent in r.of("parent")),
        say(RULE, "parent"),
    ),
    "nothing of the parent's history reaches the sub-agent": (
        lambda r: all("DAY 1" not in json.dumps(sent.messages) for sent in r.of("sub-agent")),
        say("DAY 1", "sub-agent"),
    ),
    "the sub-agent can only read": (
        lambda r: all(sent.tools == ["read_file"] for sent in r.of("sub-agent")),
        lambda r: r.of("sub-agent")[0].tools.append("run_program"),
    ),
    "a report takes under 600 characters": (
        lambda r: all(
            len(block["content"]) < 600
            for block in result_blocks(r.result["messages"])
            if block["tool_use_id"] == "delegate_1"
        ),
        lambda r: [block.update(content="x" * 600) for block in result_blocks(r.result["messages"])],
    ),
    # What a request carries besides
    "the plan is on every request of the parent": (
        lambda r: all(sent.texts[1:] and sent.texts[1].startswith(PLAN) for sent in r.of("parent")),
        lambda r: r.of("parent")[3].texts.pop(),
    ),
    "a plan is on every request of the sub-agent": (
        lambda r: all(sent.texts[1:] and sent.texts[1].startswith(PLAN) for sent in r.of("sub-agent")),
        lambda r: r.of("sub-agent")[2].texts.pop(),
    ),
    "the plan is in no history": (lambda r: PLAN not in r.all_messages(), say(PLAN, "parent")),
    "the plan is in no snapshot": (
        lambda r: PLAN not in json.dumps(r.snapshots),
        lambda r: r.snapshots["context-000000000001.jsonl"].append({"role": "user", "content": PLAN}),
    ),
    "the plan never goes back": (
        lambda r: (read := [logs_read(sent) for sent in r.of("parent")]) == sorted(read),
        lambda r: r.sent.append(r.of("parent")[0]),
    ),
    "the plan tells what has been read and no more": (
        lambda r: all(logs_read(sent) == min(number, 4) for number, sent in enumerate(r.of("parent"))),
        lambda r: r.of("parent")[2].texts.__setitem__(1, f"{PLAN}: the four logs: 4 of 4 read"),
    ),
    "the plan has a program that ran only after a start": (
        lambda r: r.result["started"] or all("not started" in sent.texts[1] for sent in r.of("parent")),
        put(result, "started", False),
    ),
    "the system text is the same on each request of the parent": (
        lambda r: {sent.texts[0] for sent in r.of("parent")} == {SYSTEM},
        put(lambda r: r.of("parent")[3].texts, 0, "Be quick."),
    ),
    "the system text is the same on each request of the sub-agent": (
        lambda r: {sent.texts[0] for sent in r.of("sub-agent")} <= {SYSTEM_OF_SUB_AGENT},
        put(lambda r: r.of("sub-agent")[1].texts, 0, SYSTEM),
    ),
    "the parent has its five tools on each request": (
        lambda r: all(len(set(sent.tools)) == 5 for sent in r.of("parent")),
        lambda r: r.of("parent")[5].tools.pop(),
    ),
    "the directory is in no history": (
        lambda r: r.directory not in r.all_messages(),
        lambda r: put(result, "messages", [{"role": "user", "content": r.directory}])(r),
    ),
    # The counts
    "the parent's requests are counted as they are sent": (
        lambda r: r.result["requests"]["parent"] == len(r.of("parent")),
        put(lambda r: r.result["requests"], "parent", 8),
    ),
    "the sub-agent's requests are counted apart": (
        lambda r: r.result["requests"]["sub-agent"] == len(r.of("sub-agent")),
        put(lambda r: r.result["requests"], "sub-agent", 0),
    ),
    "the summaries are counted apart": (
        lambda r: r.result["requests"]["summary"] == len(r.of("summary")) == r.result["state"]["summaries"],
        put(lambda r: r.result["state"], "summaries", 0),
    ),
    "no more summaries are spent than there are": (
        lambda r: r.result["state"]["summaries"] <= r.result["state"]["max_summaries"],
        put(lambda r: r.result["state"], "max_summaries", 0),
    ),
    # The progress
    "there is a line for each request that was sent, in order": (
        lambda r: [line["who"] for line in r.sent_lines()] == [sent.who for sent in r.sent],
        lambda r: r.told.pop(0),
    ),
    "the lines of each are numbered from 1": (
        lambda r: all(
            numbers(r.lines(who)) == list(range(1, len(r.lines(who)) + 1))
            for who in ("parent", "sub-agent", "summary")
        ),
        put(lambda r: r.told[1], "number", 7),
    ),
    "a line tells the bytes that were sent": (
        lambda r: (
            [line["after"] for line in r.sent_lines()] == [history_bytes(sent.messages) for sent in r.sent]
        ),
        put(lambda r: r.told[2], "after", 10),
    ),
    "no preparation makes a history longer": (
        lambda r: all(line["after"] <= line["before"] for line in r.sent_lines()),
        put(lambda r: r.told[2], "before", 10),
    ),
    "a history that fits is left alone, and no other": (
        lambda r: all((line["how"] == "as is") == (line["before"] <= r.budget) for line in r.lines("parent")),
        put(lambda r: r.told[2], "how", "as is"),
    ),
    "as is means: the same bytes, and no snapshot": (
        lambda r: all(
            line["before"] == line["after"] and not line["receipt"]
            for line in r.told
            if line["how"] == "as is"
        ),
        put(lambda r: r.told[0], "receipt", "context-000000000009.jsonl"),
    ),
    "what was made smaller has a snapshot": (
        lambda r: all(line["receipt"] for line in r.lines("parent") if line["how"] != "as is"),
        put(lambda r: r.told[2], "receipt", None),
    ),
    "a request that is not sent is the last line": (
        lambda r: all(line["after"] is not None for line in r.told[:-1]),
        put(lambda r: r.told[3], "after", None),
    ),
    "only a context_error leaves a request unsent": (
        lambda r: (r.told[-1]["after"] is None) == (r.result["status"] == "context_error"),
        put(result, "status", "context_error"),
    ),
    # The snapshots and the state
    "the receipts are those of the state, each once": (
        lambda r: receipts(r) == r.result["state"]["archives"] == sorted(set(receipts(r))),
        lambda r: r.result["state"]["archives"].pop(),
    ),
    "each receipt has its snapshot, and each snapshot its receipt": (
        lambda r: list(r.snapshots) == receipts(r),
        lambda r: r.snapshots.popitem(),
    ),
    "a snapshot holds the history from before the preparation": (
        lambda r: all(
            history_bytes(r.snapshots[line["receipt"]]) == line["before"]
            for line in r.told
            if line["receipt"]
        ),
        lambda r: r.snapshots["context-000000000001.jsonl"].pop(),
    ),
    "the host's folder holds nothing else": (
        lambda r: r.host_files == sorted([*r.snapshots, "history.jsonl", "state.json"]),
        lambda r: r.host_files.append(".draft-1"),
    ),
    "the history on the disk is the active one": (
        lambda r: r.history == r.result["messages"],
        lambda r: r.history.pop(),
    ),
    "the state on the disk has the same status and counts": (
        lambda r: all(r.state[key] == r.result[key] for key in ("status", "requests", "permission")),
        put(state, "status", "running"),
    ),
    "the state on the disk has the same receipts and summaries": (
        lambda r: all(r.state[key] == value for key, value in r.result["state"].items()),
        put(state, "summaries", 5),
    ),
    # Permission and program
    "a process starts only after a yes": (
        lambda r: not r.result["started"] or True in r.answers,
        lambda r: r.answers.clear(),
    ),
    "a yes is good for one start": (
        lambda r: r.result["permission"] == ("used" if r.result["started"] else r.result["permission"]),
        put(result, "permission", "allowed"),
    ),
    "after a no the permission is denied": (
        lambda r: (False in r.answers) == (r.result["permission"] == "denied"),
        lambda r: r.answers.append(False),
    ),
    "the person is asked once at most": (lambda r: len(r.answers) <= 1, lambda r: r.answers.append(True)),
    "the marker is there only if a process started": (
        lambda r: "ran.txt" not in r.files or r.result["started"],
        put(result, "started", False),
    ),
    "a process that started has ended": (
        lambda r: r.result["started"] == finished(r) == (r.result["exit_status"] is not None),
        put(result, "exit_status", None),
    ),
    "the files of the task are as they were": (
        lambda r: all(
            r.files[name] == (TASK / name).read_text() for name in (*LOGS, "rules.md", "expected.txt")
        ),
        put(lambda r: r.files, "expected.txt", "43\n"),
    ),
    # The comparison
    "the same means that every character is the same": (
        lambda r: (r.result["comparison"] == "the same") <= (r.result["output"] == r.files["expected.txt"]),
        put(result, "output", "42"),
    ),
    "not the same means that there is a difference": (
        lambda r: (
            (r.result["comparison"] == "not the same") <= (r.result["output"] != r.files["expected.txt"])
        ),
        put(result, "comparison", "not the same"),
    ),
    "without a start there is no basis": (
        lambda r: r.result["started"] or r.result["comparison"] in (None, "no basis to compare"),
        put(result, "started", False),
    ),
    "an answer says what the comparison said": (
        lambda r: r.result["status"] != "answered" or f"Result: {r.result['comparison']}" in r.result["text"],
        put(result, "text", "All is consistent."),
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("run", RUNS)
def test_law(law: str, run: str, records: dict[str, Record]) -> None:
    holds, _ = LAWS[law]
    assert holds(records[run]), f"{law}: not in the run {run!r}"


@pytest.mark.parametrize("law", LAWS)
def test_each_law_can_fail(law: str, records: dict[str, Record]) -> None:
    holds, spoil = LAWS[law]
    spoiled = copy.deepcopy(records["allow"])
    spoil(spoiled)
    assert not holds(spoiled)


def test_there_are_enough_of_them_and_the_runs_differ(records: dict[str, Record]) -> None:
    assert len(LAWS) >= 34
    ends = {name: (r.result["status"], r.result["comparison"]) for name, r in records.items()}
    assert ends == {
        "allow": ("answered", "the same"),
        "deny": ("answered", "no basis to compare"),
        "no summary": ("context_error", None),
        "half the budget": ("context_error", None),
        "a large budget": ("answered", "the same"),
        "one line too many": ("answered", "not the same"),
        "no expected text": ("answered", "no basis to compare"),
        "a lying summary": ("answered", "no basis to compare"),
        "an empty summary": ("context_error", None),
        "a model that fails": ("model_error", "the same"),
        "a model that goes on": ("max_requests", None),
        "a program that fails": ("answered", "not the same"),
    }
