"""The code under study: plain functions that know nothing of tracers or players.

Everything is loaded when it is first used: folding needs a database, and splitting a history does not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.reference.archive import archive_writer as archive_writer
    from ctxlab.reference.archive import read_archive as read_archive
    from ctxlab.reference.checkpoint import Checkpoint as Checkpoint
    from ctxlab.reference.checkpoint import idempotent_side_effect as idempotent_side_effect
    from ctxlab.reference.checkpoint import resume as resume
    from ctxlab.reference.counting import count_request as count_request
    from ctxlab.reference.folding import build_summary_note as build_summary_note
    from ctxlab.reference.folding import find_cutoff as find_cutoff
    from ctxlab.reference.folding import maybe_fold as maybe_fold
    from ctxlab.reference.folding import persist_fold as persist_fold
    from ctxlab.reference.history import checked_exchange as checked_exchange
    from ctxlab.reference.history import history_bytes as history_bytes
    from ctxlab.reference.history import prepare_context as prepare_context
    from ctxlab.reference.history import split_history as split_history
    from ctxlab.reference.history import trim_results as trim_results
    from ctxlab.reference.loop import preparer as preparer
    from ctxlab.reference.loop import run_loop as run_loop
    from ctxlab.reference.packing import ContextManager as ContextManager
    from ctxlab.reference.pairs import check_pairs as check_pairs
    from ctxlab.reference.planning import checkpoint_plan as checkpoint_plan
    from ctxlab.reference.planning import create_execution_plan as create_execution_plan
    from ctxlab.reference.policy import CompactionPolicy as CompactionPolicy
    from ctxlab.reference.policy import Step as Step
    from ctxlab.reference.policy import compact as compact
    from ctxlab.reference.policy import fingerprint as fingerprint
    from ctxlab.reference.policy import structured_summary as structured_summary
    from ctxlab.reference.session import Caps as Caps
    from ctxlab.reference.session import Session as Session
    from ctxlab.reference.shrinking import compress_tool_result as compress_tool_result
    from ctxlab.reference.shrinking import trim_single_observation as trim_single_observation
    from ctxlab.reference.state import AgentState as AgentState
    from ctxlab.reference.state import SubTask as SubTask
    from ctxlab.reference.state import TaskState as TaskState
    from ctxlab.reference.state import TaskStatus as TaskStatus
    from ctxlab.reference.state import build_messages as build_messages
    from ctxlab.reference.window import ContextWindow as ContextWindow
    from ctxlab.reference.window import windowed as windowed

HOMES = {
    "AgentState": "ctxlab.reference.state",
    "Caps": "ctxlab.reference.session",
    "Checkpoint": "ctxlab.reference.checkpoint",
    "CompactionPolicy": "ctxlab.reference.policy",
    "ContextManager": "ctxlab.reference.packing",
    "ContextWindow": "ctxlab.reference.window",
    "Session": "ctxlab.reference.session",
    "Step": "ctxlab.reference.policy",
    "SubTask": "ctxlab.reference.state",
    "TaskState": "ctxlab.reference.state",
    "TaskStatus": "ctxlab.reference.state",
    "archive_writer": "ctxlab.reference.archive",
    "build_messages": "ctxlab.reference.state",
    "build_summary_note": "ctxlab.reference.folding",
    "check_pairs": "ctxlab.reference.pairs",
    "checked_exchange": "ctxlab.reference.history",
    "checkpoint_plan": "ctxlab.reference.planning",
    "compact": "ctxlab.reference.policy",
    "compress_tool_result": "ctxlab.reference.shrinking",
    "count_request": "ctxlab.reference.counting",
    "create_execution_plan": "ctxlab.reference.planning",
    "find_cutoff": "ctxlab.reference.folding",
    "fingerprint": "ctxlab.reference.policy",
    "history_bytes": "ctxlab.reference.history",
    "idempotent_side_effect": "ctxlab.reference.checkpoint",
    "maybe_fold": "ctxlab.reference.folding",
    "persist_fold": "ctxlab.reference.folding",
    "prepare_context": "ctxlab.reference.history",
    "preparer": "ctxlab.reference.loop",
    "read_archive": "ctxlab.reference.archive",
    "resume": "ctxlab.reference.checkpoint",
    "run_loop": "ctxlab.reference.loop",
    "split_history": "ctxlab.reference.history",
    "structured_summary": "ctxlab.reference.policy",
    "trim_results": "ctxlab.reference.history",
    "trim_single_observation": "ctxlab.reference.shrinking",
    "windowed": "ctxlab.reference.window",
}

__all__ = [
    "AgentState",
    "Caps",
    "Checkpoint",
    "CompactionPolicy",
    "ContextManager",
    "ContextWindow",
    "Session",
    "Step",
    "SubTask",
    "TaskState",
    "TaskStatus",
    "archive_writer",
    "build_messages",
    "build_summary_note",
    "check_pairs",
    "checked_exchange",
    "checkpoint_plan",
    "compact",
    "compress_tool_result",
    "count_request",
    "create_execution_plan",
    "find_cutoff",
    "fingerprint",
    "history_bytes",
    "idempotent_side_effect",
    "maybe_fold",
    "persist_fold",
    "prepare_context",
    "preparer",
    "read_archive",
    "resume",
    "run_loop",
    "split_history",
    "structured_summary",
    "trim_results",
    "trim_single_observation",
    "windowed",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"ctxlab.reference has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
