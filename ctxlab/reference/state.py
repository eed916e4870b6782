"""State: what is known of a task, kept beside the history, so that a short history is enough to go on.

`TaskState` is written into each request as a text. `AgentState` is what the host stores of a run: its phase,
its steps, and what each step found out. The history is in the form of OpenAI's Chat Completions, as in
`groups`.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationInfo, field_validator

from ctxlab.errors import Refusal
from ctxlab.messages.chat_grammar import HEAD_ROLES, check_chat
from ctxlab.messages.copying import copied
from ctxlab.messages.encoding import indented_json
from ctxlab.messages.json_fields import json_fault
from ctxlab.messages.texts import texts
from ctxlab.messages.wording import one_line, shown, type_words
from ctxlab.reference.argument_checks import check_text
from ctxlab.reference.groups import Group, groups_of, head_length

Message = dict[str, Any]
History = list[Message]
Phase = Literal["initializing", "analyzing", "executing", "verifying", "completed", "failed"]

MAX_RESULT_CHARS = 100
RECENT_MESSAGES = 10

# The lists of a TaskState, and what their entries are.
LISTS = {
    "completed_subtasks": "a SubTask or a text",
    "pending_subtasks": "a SubTask or a text",
    "key_findings": "a text",
    "blockers": "a text",
    "decisions_made": "a text",
}

# From each phase, those that may follow. Nothing follows the last two.
NEXT_PHASES: dict[str, tuple[str, ...]] = {
    "initializing": ("analyzing", "failed"),
    "analyzing": ("executing", "failed"),
    "executing": ("verifying", "failed"),
    "verifying": ("executing", "analyzing", "completed", "failed"),
    "completed": (),
    "failed": (),
}

ROLE = "You are an agent that works on one task over many turns. This is its state:"
GO_ON = (
    "Go on from this state, and do not begin again. When the current focus is done, update the state: move "
    "it to the completed steps with its result, and name the next focus. The goal never changes."
)


class TaskStatus(StrEnum):
    """How far a subtask is."""

    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass
class SubTask:
    """One part of a task. `result` says what came of it, `tool_used` with which tool."""

    id: str
    description: str
    status: TaskStatus = TaskStatus.IN_PROGRESS
    result: str | None = None
    tool_used: str | None = None


@dataclass
class TaskState:
    """What is known of a task. The goal never changes: assigning it refuses `bad_argument`.

    A subtask may be a plain text as long as it has no id. Refuses `bad_argument` for a blank goal, and for
    any field that is not what its type says, here and where the state is read: a list can change meanwhile.
    """

    goal: str
    current_focus: str = ""
    completed_subtasks: list[SubTask | str] = field(default_factory=list)
    pending_subtasks: list[SubTask | str] = field(default_factory=list)
    key_findings: list[str] = field(default_factory=list)
    blockers: list[str] = field(default_factory=list)
    decisions_made: list[str] = field(default_factory=list)

    def __setattr__(self, name: str, value: Any) -> None:
        # Is it the goal?
        if name == "goal":
            check_goal(value, is_set="goal" in vars(self))
        else:
            check_field(name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise cannot_delete(name)

    def to_context_string(self) -> str:
        """Return the state as a text for a request. A section without content is left out.

        The goal stands as it was given. Every other entry takes one line, so that no result can pass for a
        section. A result is cut at 100 characters; "..." says so. Refuses `bad_argument`.
        """
        for name, value in vars(self).items():
            check_field(name, value)
        sections = [
            f"Goal: {self.goal}",
            f"Current focus: {one_line(self.current_focus)}" if self.current_focus.strip() else "",
            section("Completed", [subtask_line(task, "completed") for task in self.completed_subtasks]),
            section("Pending", [subtask_line(task, "in_progress") for task in self.pending_subtasks]),
            section("Key findings", self.key_findings),
            section("Decisions made", self.decisions_made),
            section("Blockers", self.blockers),
        ]
        # Is there anything in this section?
        return "\n\n".join(text for text in sections if text)


def check_goal(goal: Any, *, is_set: bool) -> None:
    """Refuse (`bad_argument`) a goal that says nothing, and a second one."""
    # Is there a goal already?
    if is_set:
        # A goal that changes on the way is how a long task loses its purpose.
        raise Refusal("bad_argument", "the goal of a task never changes; make a new state for a new goal")
    check_text("the goal", goal)


def check_field(name: str, value: Any) -> None:
    """Refuse (`bad_argument`) what a field of a TaskState cannot be."""
    # Is the focus anything but a text?
    if name == "current_focus" and not isinstance(value, str):
        raise Refusal("bad_argument", f"{name} is {shown(value)}, not a text")
    # Is it one of the lists?
    if name in LISTS:
        # Is the value anything else?
        if not isinstance(value, list):
            # A text would become a list of its letters.
            raise Refusal("bad_argument", f"{name} is {shown(value)}, not a list")
        for index, entry in enumerate(value):
            fault = entry_fault(entry, LISTS[name])
            # Is it no entry of this list?
            if fault:
                raise Refusal("bad_argument", f"{name}[{index}] {fault}")


def entry_fault(entry: Any, kind: str) -> str:
    """Return why a value cannot be an entry of a list of this kind, as the rest of a sentence, or ""."""
    # Is it a plain text?
    if isinstance(entry, str):
        return ""
    # Is it no subtask either, or one in a list of texts?
    if kind == "a text" or not isinstance(entry, SubTask):
        return f"is {shown(entry)}, not {kind}"
    # Is it in no status that there is?
    if entry.status not in list(TaskStatus):
        return f"has the status {shown(entry.status)}; a status is one of {', '.join(TaskStatus)}"
    for name in ("id", "description", "result", "tool_used"):
        value = getattr(entry, name)
        # Is it no text, where one must be?
        if not isinstance(value, str) and not (value is None and name in ("result", "tool_used")):
            return f"has {shown(value)} as its {name}, not a text"
    return ""


def cannot_delete(name: str) -> Refusal:
    """Return the refusal to delete a field: it could be set anew behind the back of every check."""
    return Refusal("bad_argument", f"{name} cannot be deleted from a state; make a new state")


def section(title: str, entries: Iterable[str]) -> str:
    """Return a title and a line for each entry, or "" where there is none."""
    lines = [f"- {one_line(entry)}" for entry in entries]
    # Is there an entry?
    return "\n".join([f"{title}:", *lines]) if lines else ""


def subtask_line(task: SubTask | str, usual: str) -> str:
    """Return a subtask as a line of its section. Its status is said where it is not the `usual` one."""
    # Is it a plain text?
    if isinstance(task, str):
        return task
    line = f"{task.id}: {task.description}"
    # Is it in another status than its neighbours?
    if task.status != usual:
        line += f" [{task.status}]"
    # Was a tool used?
    if task.tool_used:
        line += f" (with {task.tool_used})"
    # Is there a result?
    if task.result:
        line += f" -> {shortened(task.result)}"
    return line


def shortened(text: str) -> str:
    """Return the first 100 characters of a text, and "..." where there are more."""
    # Is it short enough?
    return text if len(text) <= MAX_RESULT_CHARS else f"{text[:MAX_RESULT_CHARS]}..."


def build_messages(state: TaskState, user_input: str, history: History) -> History:
    """Return the messages of the next request: the state, the newest part of the history, the user's input.

    Of the history stay its own system messages, which hold the host's rules, and about the last 10 of the
    others: as many whole groups as have at most 10 messages, and the newest in any case. A group whose calls
    and results do not match is left out, one that is still open too: behind it the user's input would leave
    its calls without results for good. Then the system message names the calls. What the model is to know of
    older messages must be in the state.

    The result may come back as the history of the next request: a system message that begins with the line
    `ROLE` holds an earlier state, and the new one takes its place. Refuses `bad_argument`, `not_a_history`.
    """
    # Is the state anything but a TaskState?
    if not isinstance(state, TaskState):
        raise Refusal("bad_argument", f"state is {type_words(state)}, not a TaskState")
    check_text("user_input", user_input)
    check_chat(history)
    # Is it anything but an earlier state?
    history = [message for message in history if not is_state(message)]

    # 1. Take whole groups, the newest first.
    groups = groups_of(history)
    head = head_length(history)
    recent, torn = recent_groups(groups[head:])

    # 2. Say what the task is about, and what is missing below.
    parts = [ROLE, state.to_context_string(), GO_ON]
    # Was a group left out?
    if torn:
        # The model must not take a call without a result for one that was never made.
        names = [tool_of(call) for group in torn for call in history[group.start].get("tool_calls") or []]
        parts.append(
            f"Exchanges left out below, since their calls and results do not match: {len(torn)}. "
            f"Nobody knows how these calls ended; look before you make one again: {shown(names)}"
        )
    messages = [{"role": "system", "content": "\n\n".join(parts)}, *history[:head]]

    # 3. Put the groups in order, and the input at the end.
    for group in recent:
        messages.extend(history[group.start : group.stop])
    return copied([*messages, {"role": "user", "content": user_input}])


def is_state(message: Message) -> bool:
    """Say whether a message is a state that `build_messages` has made."""
    # Is it the system's, and begins it with this line?
    return message["role"] in HEAD_ROLES and any(
        text.startswith(f"{ROLE}\n") for text in texts(message.get("content"))
    )


def recent_groups(groups: list[Group]) -> tuple[list[Group], list[Group]]:
    """Return the newest sound groups, in order, and those that were passed over because of a fault."""
    recent: list[Group] = []
    torn: list[Group] = []
    count = 0
    for group in reversed(groups):
        size = group.stop - group.start
        # Do its calls and results not match?
        if group.fault:
            torn.append(group)
        # Would it be too much, beside newer ones?
        elif recent and count + size > RECENT_MESSAGES:
            # An older one that fits is not taken in its place: the messages would have a hole.
            break
        else:
            recent.append(group)
            count += size
    return recent[::-1], torn[::-1]


def tool_of(call: dict[str, Any]) -> Any:
    """Return the name of the tool that a call calls, or None where it has none."""
    called = call.get("function") or call.get("custom")
    return called.get("name") if isinstance(called, dict) else None


class AgentState(BaseModel):
    """What the host stores of a run: `task_id` and goal, the phase, and the steps by name.

    `observed_facts` maps the name of a finished step to its result, a JSON value; `retry_counters` maps a
    name to a number. A phase is entered by `enter_phase`, or by assigning it, and only where `NEXT_PHASES`
    allows it (else Refusal `bad_transition`); the goal cannot be assigned, and no field can be deleted
    (`bad_argument`). Fields of another type, a blank goal or task id, facts that JSON cannot hold, and a step
    that is listed twice, raise pydantic's ValidationError.
    """

    model_config = ConfigDict(extra="forbid", strict=True, validate_assignment=True)

    task_id: str = Field(min_length=1)
    phase: Phase = "initializing"
    goal: str = Field(min_length=1)
    completed_steps: list[str] = []
    pending_steps: list[str] = []
    observed_facts: dict[str, JsonValue] = {}
    retry_counters: dict[str, int] = {}
    requires_human_approval: bool = False
    last_error: str | None = None

    @field_validator("task_id", "goal")
    @classmethod
    def not_blank(cls, text: str) -> str:
        """Refuse a text that says nothing."""
        # Does it say nothing?
        if not text.strip():
            raise ValueError(f"it is {shown(text)}, not a text that says something")
        return text

    @field_validator("observed_facts")
    @classmethod
    def storable(cls, facts: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Refuse facts that JSON cannot hold, such as NaN: the state could not be stored."""
        fault = json_fault(facts)
        # Can they not be stored?
        if fault:
            raise ValueError(f"it {fault}")
        return facts

    @field_validator("completed_steps", "pending_steps")
    @classmethod
    def each_step_once(cls, steps: list[str], info: ValidationInfo) -> list[str]:
        """Refuse a step that is listed twice: as pending and completed, it would be done and not done."""
        other = "pending_steps" if info.field_name == "completed_steps" else "completed_steps"
        for name, times in Counter([*steps, *info.data.get(other, [])]).items():
            # Is it listed again?
            if times > 1:
                raise ValueError(f"the step {shown(name)} is listed twice; give each step a name of its own")
        return steps

    def __setattr__(self, name: str, value: Any) -> None:
        # Is it the goal?
        if name == "goal":
            check_goal(value, is_set=True)
        # Is it the phase?
        if name == "phase":
            check_transition(self.phase, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise cannot_delete(name)

    def enter_phase(self, phase: Phase) -> "AgentState":
        """Return a new state in this phase. Refuses `bad_transition`."""
        check_transition(self.phase, phase)
        return self.model_copy(update={"phase": phase}, deep=True)

    def advance_step(self, name: str, result: Any) -> "AgentState":
        """Return a new state in which a pending step is completed and its result is an observed fact.

        Refuses `bad_argument` (there is no such step, it is completed, or there is a fact of its name
        already), `bad_result` (a result that JSON cannot give back equal) and `bad_transition` (the run is
        over).
        """
        # Is the run over?
        if not NEXT_PHASES[self.phase]:
            raise Refusal("bad_transition", f"the phase is {self.phase}: no step can be completed any more")
        # Is the step completed already?
        if name in self.completed_steps:
            # A second entry would overwrite what the first found out.
            raise Refusal("bad_argument", f"the step {shown(name)} is completed already; name a pending one")
        # Is there no such step?
        if name not in self.pending_steps:
            pending = shown(self.pending_steps)
            raise Refusal("bad_argument", f"there is no step {shown(name)}; pending are {pending}")
        # Is there a fact of this name?
        if name in self.observed_facts:
            # The result would overwrite it.
            problem = f"is {shown(self.observed_facts[name])} already; keep it under another name"
            raise Refusal("bad_argument", f"the fact {shown(name)} {problem}")
        fact = json_fact(name, result)
        state = self.model_copy(deep=True)
        state.pending_steps.remove(name)
        state.completed_steps.append(name)
        state.observed_facts[name] = fact
        return state


def check_transition(phase: str, following: Any) -> None:
    """Refuse (`bad_transition`) a phase that may not follow."""
    allowed = NEXT_PHASES[phase]
    # May it not follow?
    if following not in allowed:
        raise Refusal(
            "bad_transition",
            f"{shown(following)} cannot follow the phase {phase!r}; "
            + (f"{' or '.join(allowed)} can" if allowed else "it is the last one: begin a new run"),
        )


def json_fact(name: str, result: Any) -> JsonValue:
    """Return a copy of the result of a step. Refuses `bad_result` where it could not be stored."""
    try:
        fact: JsonValue = json.loads(indented_json(result))
    except ValueError as error:
        problem = f"has no JSON form: {error}"
        raise Refusal("bad_result", f"the result of the step {shown(name)} {problem}; give a text") from error
    # Would another value come back, such as a list for a tuple?
    if fact != result:
        problem = f"is {shown(result)}, and from JSON came back {shown(fact)}"
        raise Refusal("bad_result", f"the result of the step {shown(name)} {problem}; give the latter")
    return fact
