"""Compaction by a policy as it is often written: fixed positions, and one event that says too little."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from naive.shrinking import trim_single_observation

Message = dict[str, Any]
History = list[Message]


@dataclass
class CompactionPolicy:
    """When a history is compacted, and how far."""

    window: int = 128_000
    trigger_ratio: float = 0.60
    keep_recent_turns: int = 4
    max_single_obs_ratio: float = 0.10
    summarize: Callable[[str], str] | None = None


@dataclass
class Step:
    """One call with its result."""

    turn: int
    tool: str
    status: str
    brief: str = ""
    result_fingerprint: str | None = None
    full_output: str | None = None


def compact(messages: History, steps: list[Step], policy: CompactionPolicy) -> tuple[History, str]:
    """Return a shorter history, and what was done."""
    limit = int(policy.window * policy.max_single_obs_ratio * 2)
    for message in messages:
        if message["role"] == "tool":
            message["content"] = trim_single_observation(message["content"], limit)

    event = "nothing to do"
    keep = policy.keep_recent_turns
    if size_of(messages) > policy.window * policy.trigger_ratio and len(steps) > keep:
        summary = {"role": "user", "content": structured_summary(steps[:-keep])}
        messages = [*messages[:3], summary, *messages[-2 * keep :]]
        for step in steps[:-keep]:
            step.full_output = None
        event = "old steps summarised"

    confirmed = [f"{step.tool}: {step.brief}" for step in steps if step.status == "ok" and step.brief]
    if confirmed:
        messages.insert(2, {"role": "user", "content": "Pinned:\n" + "\n".join(confirmed[-10:])})
    return messages, event


def structured_summary(steps: list[Step], summarize: Callable[[str], str] | None = None) -> str:
    """Return what was done and what failed."""
    done = [f"{step.tool}: {step.brief}" for step in steps if step.status == "ok"]
    failed = [f"{step.tool}: {step.status}" for step in steps if step.status != "ok"]
    text = f"Done: {len(done)}\n" + "\n".join(done) + f"\nFailed: {len(failed)}\n" + "\n".join(failed)
    return summarize(text) if summarize else text


def size_of(messages: History) -> int:
    """Return about how many tokens the history has."""
    return sum(len(message["content"] or "") for message in messages) // 2
