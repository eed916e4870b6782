"""The parent's tools. Each returns a text for the model, and notes for the host what really happened."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.wording import shown
from ctxlab.models import ToolSpec
from ctxlab.practice.comparison import NO_BASIS, Comparison, compared, expectation
from ctxlab.practice.facts import PROGRAM, Facts
from ctxlab.practice.paths import plain_name, read_inside, read_text_inside
from ctxlab.practice.permission import ALLOWED, PermissionRequest
from ctxlab.practice.process import Finished, run_python
from ctxlab.practice.sub_agent import SubAgent, cut

COMMAND = f"python {PROGRAM}"
MAX_SHOWN_OUTPUT = 400  # characters
MAX_DELEGATIONS = 2


class Tools:
    """The tools of one run in `directory`.

    `messages` is the active history, `note` is called after each change, and `seconds` is the time limit of
    the program.
    """

    def __init__(
        self,
        directory: Path,
        messages: list[dict[str, Any]],
        facts: Facts,
        sub_agent: SubAgent,
        note: Callable[[], None],
        seconds: float,
    ) -> None:
        self._directory = directory
        self._messages = messages
        self._facts = facts
        self._sub_agent = sub_agent
        self._note = note
        self._seconds = seconds
        self._delegations = 0
        self._finished: Finished | None = None

    def by_name(self) -> dict[str, Callable[..., str]]:
        """Return the tools as a loop takes them."""
        tools = (
            self.read_file,
            self.delegate,
            self.request_permission,
            self.run_program,
            self.compare_output,
        )
        return {tool.__name__: tool for tool in tools}

    def read_file(self, path: str) -> str:
        """Return the text of a file. Refuses `bad_path`."""
        text = read_text_inside(self._directory, path)
        self._facts.read.add(plain_name(path))
        return text

    def delegate(self, task: str) -> str:
        """Send the sub-agent and return its report.

        Refuses what `SubAgent.report` refuses, and (`bad_argument`) to be called for the third time.
        """
        if self._delegations == MAX_DELEGATIONS:
            raise Refusal(
                "bad_argument", f"the sub-agent was sent {MAX_DELEGATIONS} times; that is the limit"
            )
        self._delegations += 1
        report = self._sub_agent.report(task)
        self._facts.reported = True
        return report

    def request_permission(self, command: str) -> str:
        """Ask the person about the one command there is. Refuses `bad_argument` for another one."""
        if command != COMMAND:
            # A text of the model's own is never shown to the person as what they would allow.
            raise Refusal(
                "bad_argument", f"{shown(command)} cannot be allowed; the only command is {COMMAND!r}"
            )
        request = self._request()
        allowed = self._facts.permissions.ask(request)
        self._note()
        if allowed:
            return f"{ALLOWED}: {COMMAND}, one start, while {PROGRAM} is as it is now ({request.sha256[:12]})"
        return f"denied: the person does not allow {COMMAND}; it must not be started"

    def run_program(self, path: str) -> str:
        """Start the program and return how it ended. Refuses `bad_path`, `no_permission`, `bad_argument`."""
        if path != PROGRAM:
            raise Refusal("bad_argument", f"{shown(path)} cannot be started; the only program is {PROGRAM!r}")
        self._facts.permissions.use(self._request())
        self._finished = None
        finished = run_python(self._directory / PROGRAM, self._started, self._seconds)
        self._finished = finished
        self._facts.exit_status, self._facts.output = finished.exit_status, finished.text()
        self._note()
        return f"{_ending(finished)}; output: {cut(finished.text(), MAX_SHOWN_OUTPUT)!r}"

    def compare_output(self) -> str:
        """Compare the output with the expected text in the history, and return the verdict."""
        comparison = self._comparison()
        self._facts.comparison = comparison.verdict
        self._note()
        return comparison.text()

    def _comparison(self) -> Comparison:
        if self._finished is None:
            return Comparison(NO_BASIS, f"{PROGRAM} has not run")
        if self._finished.stopped:
            return Comparison(NO_BASIS, f"the output is not whole, since {PROGRAM} did not end by itself")
        expected = expectation(self._messages, "delegate")
        if expected is None:
            return Comparison(NO_BASIS, "the expected text is not in the active history")
        return compared(self._finished.output, expected)

    def _request(self) -> PermissionRequest:
        """Describe the program as it is now."""
        content = read_inside(self._directory, PROGRAM)
        return PermissionRequest(COMMAND, PROGRAM, len(content), hashlib.sha256(content).hexdigest())

    def _started(self) -> None:
        self._facts.started = True
        self._facts.exit_status, self._facts.output = None, None
        self._note()


def _ending(finished: Finished) -> str:
    return finished.stopped or f"exit status {finished.exit_status}"


def _spec(name: str, description: str, **texts: str) -> ToolSpec:
    """Describe a tool whose inputs are all texts that must be given."""
    properties = {key: {"type": "string", "description": text} for key, text in texts.items()}
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(texts),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


READ_FILE = _spec("read_file", "Read a text file of the directory.", path="such as logs/day1.log")

SPECS = (
    READ_FILE,
    _spec(
        "delegate",
        "Send the sub-agent, which can read files and nothing else. It reports in a few sentences.",
        task="what to read, and what to report",
    ),
    _spec("request_permission", "Ask the person before a program is started.", command=f"always {COMMAND!r}"),
    _spec("run_program", "Start the program that the person has allowed.", path=f"always {PROGRAM!r}"),
    _spec("compare_output", "Compare the output of the program with the expected text, exactly."),
)
