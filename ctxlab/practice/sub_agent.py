"""The sub-agent: a loop of its own, with a history of its own. Only its report goes back."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.wording import shown
from ctxlab.practice.comparison import EXPECTED
from ctxlab.practice.paths import plain_name
from ctxlab.reference import run_loop

Message = dict[str, Any]
History = list[Message]

MAX_REQUESTS = 8
MAX_TASK_CHARS = 1000
MAX_REPORT_CHARS = 400


@dataclass(frozen=True)
class SubAgent:
    """Works on a task that the parent gives it. `read` is its only tool."""

    ask: Callable[[History], Message]
    read: Callable[[str], str]

    def report(self, task: str) -> str:
        """Return the report as JSON: {"report": text, "expected.txt": its text, or null if it was not read}.

        The report is the sub-agent's own; the expected text is attached by the host, word for word. Refuses
        `bad_argument` (an unusable task) and `no_report` (a loop that did not end with an answer).
        """
        if not isinstance(task, str) or not task.strip() or len(task) > MAX_TASK_CHARS:
            raise Refusal(
                "bad_argument", f"the task is {shown(task)}, not text of 1 to {MAX_TASK_CHARS} characters"
            )
        expected: list[str] = []

        def read_file(path: str) -> str:
            text = self.read(path)
            if plain_name(path) == EXPECTED:
                expected.append(text)
            return text

        history: History = [{"role": "user", "content": task}]
        ended = run_loop(self.ask, {"read_file": read_file}, history, max_requests=MAX_REQUESTS)
        if ended["status"] != "answered":
            raise Refusal("no_report", f"the sub-agent ended with {ended['status']}: {ended['text']}")
        report = {
            "report": cut(ended["text"], MAX_REPORT_CHARS),
            EXPECTED: expected[-1] if expected else None,
        }
        return json.dumps(report, ensure_ascii=False)


def cut(text: str, most: int) -> str:
    """Return the text, or its first `most` characters and how many there were."""
    return text if len(text) <= most else f"{text[:most]} [cut: {len(text)} characters in all]"
