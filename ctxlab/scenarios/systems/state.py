"""Scenarios of state: a task or a run as it stands, and one call."""

from typing import Any, Literal

from pydantic import Field

from ctxlab.messages.copying import copied
from ctxlab.reference.state import AgentState, SubTask, TaskState, TaskStatus, build_messages
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.places import places_of
from ctxlab.scenarios.systems.system import History, System

GOAL = "Move the museum's catalogue to the new database"


class Subtask(Part):
    """A subtask."""

    id: str = Field(description="The name of the subtask.")
    description: str = Field(description="What is to be done.")
    status: Literal["in_progress", "blocked", "completed", "failed"] = Field(
        default="in_progress", description="How far it is."
    )
    result: str | None = Field(default=None, description="What came of it.")
    tool_used: str | None = Field(default=None, description="The tool that it was done with.")

    def subtask(self) -> SubTask:
        """Return a new subtask with these fields."""
        return SubTask(**self.model_dump() | {"status": TaskStatus(self.status)})


class Task(Part):
    """The fields of a TaskState."""

    goal: str = Field(default=GOAL, description="What is to be reached.")
    current_focus: str = Field(default="", description="What is being done.")
    completed_subtasks: list[Subtask] = Field(default=[], description="What is over.")
    pending_subtasks: list[Subtask] = Field(default=[], description="What is still to be done.")
    key_findings: list[str] = Field(default=[], description="What was found out.")
    blockers: list[str] = Field(default=[], description="What is in the way.")
    decisions_made: list[str] = Field(default=[], description="What was decided.")

    def state(self) -> TaskState:
        """Return a new state with these fields."""
        return TaskState(
            goal=self.goal,
            current_focus=self.current_focus,
            completed_subtasks=[one.subtask() for one in self.completed_subtasks],
            pending_subtasks=[one.subtask() for one in self.pending_subtasks],
            key_findings=list(self.key_findings),
            blockers=list(self.blockers),
            decisions_made=list(self.decisions_made),
        )


class Run(Part):
    """The fields of an AgentState."""

    task_id: str = Field(default="catalogue", description="The name of the task.")
    phase: str = Field(default="executing", description="The phase that the run is in.")
    goal: str = Field(default=GOAL, description="What is to be reached.")
    completed_steps: list[str] = Field(default=[], description="The steps that are done.")
    pending_steps: list[str] = Field(default=[], description="The steps that are still to be done.")
    observed_facts: dict[str, Any] = Field(default={}, description="The result of each step that is done.")


class Given(Part):
    """The state, and the arguments of the call."""

    task: Task = Field(default=Task(), description="The state of the task.")
    run: Run | None = Field(default=None, description="The state of the run, for the methods of AgentState.")
    messages: History = Field(default=[], description="The history, as Chat messages.")
    user_input: str = Field(default="Go on.", description="What the user says now.")
    name: str = Field(default="", description="The step that is done.")
    result: Any = Field(default=None, description="What came of the step.")
    as_set: bool = Field(default=False, description="Whether the result is a set of what is listed in it.")
    phase: str = Field(default="", description="The phase that is to be entered.")


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of the functions."""
    state = given.task.state()
    return {
        "self": AgentState(**copied(given.run.model_dump())) if given.run else state,
        "state": state,
        "user_input": given.user_input,
        "history": copied(given.messages),
        "name": given.name,
        "result": set(given.result) if given.as_set else copied(given.result),
        "phase": given.phase,
    }


def outcome(returned: Any, arguments: dict[str, Any]) -> Any:
    """Return what came back: the lines of a text, which messages were taken, or what changes in a run."""
    if isinstance(returned, str):
        return returned.splitlines()
    if isinstance(returned, AgentState):
        return returned.model_dump(include={"phase", "completed_steps", "pending_steps", "observed_facts"})
    return {
        "places": places_of(returned[1:-1], arguments["history"]),
        "input_last": returned[-1]["content"] == arguments["user_input"],
        "left_out_told": "left out below" in returned[0]["content"],
    }


SYSTEM = System(
    name="state",
    functions={
        "to_context_string": TaskState.to_context_string,
        "build_messages": build_messages,
        "advance_step": AgentState.advance_step,
        "enter_phase": AgentState.enter_phase,
    },
    given=Given,
    arguments=arguments,
    outcome=outcome,
)
