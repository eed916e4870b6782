"""What has really happened in a run, as the host saw it, and the plan that follows from it.

No history holds it: so no trim, no summary and no sentence of a model can change it.
"""

from dataclasses import dataclass, field

from ctxlab.practice.permission import Permissions

LOGS = tuple(f"logs/day{number}.log" for number in (1, 2, 3, 4))
PROGRAM = "main.py"
TO_REPORT_ON = ("rules.md", PROGRAM, "expected.txt")


@dataclass
class Facts:
    """The facts of one run.

    permissions  what the person said
    read         the files that the parent has read; read_by_sub_agent: those of the sub-agent
    reported     whether the sub-agent's report came back
    started      whether a process was started; exit_status and output (text) are those of the last one,
                 None before it ended
    comparison   the verdict of the last comparison, None before the first
    """

    permissions: Permissions
    read: set[str] = field(default_factory=set)
    read_by_sub_agent: set[str] = field(default_factory=set)
    reported: bool = False
    started: bool = False
    exit_status: int | None = None
    output: str | None = None
    comparison: str | None = None

    def plan(self) -> str:
        """Return the parent's plan, each step with what has really happened."""
        if not self.started:
            ran = "not started"
        elif self.output is None:
            ran = "started"
        elif self.exit_status is None:
            ran = "started, and stopped at a limit"
        else:
            ran = f"ended with exit status {self.exit_status}"
        return _plan(
            [
                ("read the four logs", f"{_count(self.read, LOGS)} of {len(LOGS)} read"),
                ("have the sub-agent report", "reported" if self.reported else "no report"),
                ("ask the person", self.permissions.status),
                (f"run {PROGRAM}, if allowed", ran),
                ("compare its output", self.comparison or "not compared"),
            ]
        )

    def plan_of_sub_agent(self) -> str:
        """Return the sub-agent's plan."""
        states = [
            (f"read {name}", "read" if name in self.read_by_sub_agent else "not read")
            for name in TO_REPORT_ON
        ]
        return _plan([*states, ("report", "no report")])


def _plan(steps: list[tuple[str, str]]) -> str:
    lines = [f"{number}. {step}: {state}" for number, (step, state) in enumerate(steps, start=1)]
    return "\n".join(["The host's plan, with what has really happened so far:", *lines])


def _count(read: set[str], wanted: tuple[str, ...]) -> int:
    return len(read.intersection(wanted))
