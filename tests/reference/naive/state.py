"""State as it is often written: the last ten messages, and a run whose fields anyone may set."""

from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]
History = list[Message]


@dataclass
class SubTask:
    """One part of a task."""

    id: str
    description: str
    status: str = "in_progress"
    result: str | None = None
    tool_used: str | None = None


@dataclass
class TaskState:
    """What is known of a task."""

    goal: str
    current_focus: str = ""
    completed_subtasks: list[SubTask] = field(default_factory=list)
    pending_subtasks: list[SubTask] = field(default_factory=list)
    key_findings: list[str] = field(default_factory=list)
    blockers: list[str] = field(default_factory=list)
    decisions_made: list[str] = field(default_factory=list)

    def to_context_string(self) -> str:
        """Return the state as a text."""
        done = [f"- {task.description}: {(task.result or '')[:100]}..." for task in self.completed_subtasks]
        parts = [
            f"Goal: {self.goal}",
            f"Current focus: {self.current_focus}",
            "Completed:\n" + "\n".join(done),
            "Pending:\n" + "\n".join(f"- {task.description}" for task in self.pending_subtasks),
            "Key findings:\n" + "\n".join(f"- {finding}" for finding in self.key_findings),
        ]
        return "\n\n".join(parts)


def build_messages(state: TaskState, user_input: str, history: History) -> History:
    """Return the messages of the next request."""
    system = f"You are an agent that works on one task.\n\n{state.to_context_string()}\n\nGo on."
    recent = history[-10:]
    return [{"role": "system", "content": system}, *recent, {"role": "user", "content": user_input}]


@dataclass
class AgentState:
    """What is stored of a run."""

    task_id: str
    goal: str
    phase: str = "initializing"
    completed_steps: list[str] = field(default_factory=list)
    pending_steps: list[str] = field(default_factory=list)
    observed_facts: dict[str, Any] = field(default_factory=dict)

    def advance_step(self, name: str, result: Any) -> "AgentState":
        """Complete a step."""
        if name in self.pending_steps:
            self.pending_steps.remove(name)
        self.completed_steps.append(name)
        self.observed_facts[name] = result
        return self
