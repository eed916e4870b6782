"""One practice run: a parent, a sub-agent and a summariser on one task, in one directory, under one loop."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.models import Brief
from ctxlab.practice.briefs import QUESTION, SYSTEM, SYSTEM_OF_SUB_AGENT
from ctxlab.practice.facts import Facts
from ctxlab.practice.paths import plain_name, read_text_inside
from ctxlab.practice.permission import Decide, Permissions
from ctxlab.practice.process import MAX_SECONDS
from ctxlab.practice.progress import AS_IS, PARENT, SUB_AGENT, SUMMARY, Progress, Report, way
from ctxlab.practice.result import PracticeResult
from ctxlab.practice.script import Models, scripted_models
from ctxlab.practice.state_file import save_state
from ctxlab.practice.sub_agent import SubAgent
from ctxlab.practice.tools import READ_FILE, SPECS, Tools
from ctxlab.practice.workspace import HOST_FOLDER, TASK, make_workspace
from ctxlab.reference import archive_writer, history_bytes, preparer, run_loop
from ctxlab.reference.archive import random_id
from ctxlab.reference.history import check_arguments

Message = dict[str, Any]
History = list[Message]

BUDGET = 3200
SUMMARY_LIMIT = 1
MAX_REQUESTS = 20  # of the parent
RUNNING, INTERRUPTED = "running", "interrupted"


def run_practice(
    directory: str | os.PathLike[str],
    decide: Decide,
    *,
    models: Models | None = None,
    budget: int = BUDGET,
    summary_limit: int = SUMMARY_LIMIT,
    new_id: Callable[[], str] = random_id,
    report: Report = lambda _: None,
    task: Path = TASK,
    seconds: float = MAX_SECONDS,
) -> PracticeResult:
    """Work on `task`, a folder of files, in `directory`, which is new or empty, and return what came of it.

    `decide(request)` is asked before the program is started; only True allows it. `report(progress)` is
    called before each request. The script answers unless `models` are given. `budget` (bytes) and
    `summary_limit` are for `prepare_context`, `new_id` for its snapshots, and `seconds` is the time that the
    program may take.

    The state is in `.context` of the directory after each step: state.json, history.jsonl and the snapshots.
    Raises CtxlabError where the directory cannot be used, and refuses `bad_argument`. KeyboardInterrupt
    passes through: then the state says "interrupted", and no process is left.
    """
    state = {"archives": [], "summaries": 0, "max_summaries": summary_limit}
    check_arguments(QUESTION, state, budget)
    place = Path(directory)
    make_workspace(place, task)
    run = _Run(place, state, models or scripted_models(), decide, report)
    prepared = preparer(
        QUESTION, state, archive_writer(place / HOST_FOLDER, new_id), run.summarize, budget=budget
    )
    return run.result(prepared, seconds)


class _Run:
    """What the parts of a run share: the active history, the counts, the facts, and where it is written."""

    def __init__(
        self, directory: Path, state: dict[str, Any], models: Models, decide: Decide, report: Report
    ) -> None:
        self.directory = directory
        self.state = state
        self.models = models
        self.report = report
        self.messages: History = [{"role": "user", "content": QUESTION}]
        self.requests = {PARENT: 0, SUB_AGENT: 0, SUMMARY: 0}
        self.facts = Facts(Permissions(decide))
        self.brief = Brief(SYSTEM, SPECS, self.facts.plan)
        self.brief_of_sub_agent = Brief(SYSTEM_OF_SUB_AGENT, (READ_FILE,), self.facts.plan_of_sub_agent)
        self.not_saved: CtxlabError | None = None

    def result(self, prepared: Callable[[History], History], seconds: float) -> PracticeResult:
        """Run the loop to its end. `prepared` is the preparation without the reports on it."""
        sub_agent = SubAgent(self.ask_sub_agent, self.read_for_sub_agent)
        tools = Tools(self.directory, self.messages, self.facts, sub_agent, self.save, seconds)

        def prepare(messages: History) -> History:
            return self.prepare(prepared, messages)

        try:
            self.save()
            ended = run_loop(
                self.ask, tools.by_name(), self.messages, prepare=prepare, max_requests=MAX_REQUESTS
            )
            self.save(ended["status"])
        except BaseException:
            # Ctrl-C, mostly. The history holds whole exchanges at any moment, so it is worth keeping.
            with suppress(CtxlabError):
                self.save(INTERRUPTED)
            raise
        if self.not_saved:
            # The loop took it for a failure of a tool, or of the model.
            raise self.not_saved
        return PracticeResult(
            status=ended["status"],
            text=ended["text"],
            requests=self.requests,
            messages=self.messages,
            state=self.state,
            permission=self.facts.permissions.status,
            started=self.facts.started,
            exit_status=self.facts.exit_status,
            output=self.facts.output,
            comparison=self.facts.comparison,
            directory=self.directory,
        )

    def prepare(self, prepared: Callable[[History], History], messages: History) -> History:
        """Prepare the history for the parent's next request, and report how. What it raises ends the run."""
        self.save()
        number, before = self.requests[PARENT] + 1, history_bytes(messages)
        archives, summaries = len(self.state["archives"]), self.state["summaries"]

        def tell(after: int | None, failure: str = "") -> None:
            receipts = self.state["archives"][archives:]
            how = failure or way(bool(receipts), self.state["summaries"] > summaries)
            self.report(Progress(PARENT, number, before, after, how, receipts[0] if receipts else None))

        try:
            candidate = prepared(messages)
        except Exception as error:
            tell(None, getattr(error, "code", type(error).__name__))
            raise
        tell(history_bytes(candidate))
        return candidate

    def ask(self, messages: History) -> Message:
        """Send a request of the parent. The loop has committed the history by now."""
        self.requests[PARENT] += 1
        self.save()
        return self.models.parent.ask(messages, self.brief)

    def ask_sub_agent(self, messages: History) -> Message:
        """Send a request of the sub-agent. Its history is never prepared."""
        self.count(SUB_AGENT, messages)
        return self.models.sub_agent.ask(messages, self.brief_of_sub_agent)

    def summarize(self, messages: History) -> str:
        """Send a request for a summary."""
        self.count(SUMMARY, messages)
        return self.models.summarizer.summarize(messages)

    def count(self, who: str, messages: History) -> None:
        """Count and report a request whose history is sent as it is."""
        self.requests[who] += 1
        size = history_bytes(messages)
        self.report(Progress(who, self.requests[who], size, size, AS_IS))
        self.save()

    def read_for_sub_agent(self, path: str) -> str:
        """Return the text of a file, and note that the sub-agent has it. Refuses `bad_path`."""
        text = read_text_inside(self.directory, path)
        self.facts.read_by_sub_agent.add(plain_name(path))
        return text

    def save(self, status: str = RUNNING) -> None:
        """Write the state and the history. Raises CtxlabError where that fails, and keeps it."""
        state = {
            "status": status,
            "requests": self.requests,
            **self.state,
            "permission": self.facts.permissions.status,
            "started": self.facts.started,
            "exit_status": self.facts.exit_status,
            "comparison": self.facts.comparison,
        }
        try:
            save_state(self.directory / HOST_FOLDER, state, self.messages)
        except OSError as error:
            self.not_saved = CtxlabError(
                f"the state cannot be written in {self.directory} ({error.strerror}); make room, or start "
                "again in another directory"
            )
            raise self.not_saved from error
