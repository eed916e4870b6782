"""What a practice run came to."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctxlab.messages.wording import shown
from ctxlab.practice.progress import PARENT, SUB_AGENT, SUMMARY


@dataclass(frozen=True, repr=False)
class PracticeResult:
    """What a run came to.

    status       as of `run_loop`: "answered", "context_error", "model_error" or "max_requests"
    text         the answer of the parent, or the reason
    requests     how many were sent: {"parent": ..., "sub-agent": ..., "summary": ...}
    messages     the active history at the end
    state        that of `prepare_context`: {"archives", "summaries", "max_summaries"}
    permission   "not asked", "allowed", "denied" or "used"
    started      whether a process was started
    exit_status  that of the process; None where none ended by itself
    output       what it printed, None where none ended
    comparison   "the same", "not the same", "no basis to compare", or None where nobody compared
    directory    where all of this is
    """

    status: str
    text: str
    requests: dict[str, int]
    messages: list[dict[str, Any]]
    state: dict[str, Any]
    permission: str
    started: bool
    exit_status: int | None
    output: str | None
    comparison: str | None
    directory: Path

    def lines(self) -> list[str]:
        """Return what is worth telling, without the directory."""
        counts = [f"{self.requests[who]} {who}" for who in (PARENT, SUB_AGENT, SUMMARY)]
        program = "no process was started"
        if self.started:
            ended = "stopped" if self.exit_status is None else f"exit status {self.exit_status}"
            program = f"a process was started ({ended}); output: {shown(self.output)}"
        return [
            f"status: {self.status}; requests: {' + '.join(counts)} = {sum(self.requests.values())}",
            f"permission: {self.permission}; {program}",
            f"comparison: {self.comparison or 'not made'}",
            f"{'answer' if self.status == 'answered' else 'reason'}: {self.text}",
        ]

    def __repr__(self) -> str:
        # Without the directory, which is another one in each run.
        return f"<Practice: {'; '.join(self.lines()[:3])}>"
