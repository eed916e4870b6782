"""What is wrong with the history that came into a run, and with those that stood at its end."""

from typing import Any

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.tracer.histories import ACTIVE, CANDIDATE
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import message_value

# A longer history would make the page slow to open; `ctxlab diagnose` takes any length.
MOST_MESSAGES = 5000


def faults(trace: Trace) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Return the findings in the histories of a run, and which histories were looked at.

    Looked at are the active history as it came in and as it stood at the end, and the last candidate, each as
    (which, version): so many of its changes were made by then. An empty history is none, and one of more than
    5,000 messages is left out. A finding holds which, version, message, block, code, id, text and fix.
    """
    values: dict[int, Any] = {}
    found: list[dict[str, Any]] = []
    looked_at: list[list[int]] = []
    for which, version, indices in _versions(trace):
        if not 0 < len(indices) <= MOST_MESSAGES:
            continue
        looked_at.append([which, version])
        for index in set(indices) - values.keys():
            values[index] = message_value(trace.data["messages"][index], trace.data["strings"])
        for finding in diagnose([values[index] for index in indices]):
            found.append(
                {
                    "which": which,
                    "version": version,
                    "message": finding.message,
                    "block": finding.block,
                    "code": finding.code,
                    "id": finding.id,
                    "text": finding.text,
                    "fix": finding.fix,
                }
            )
    return found, looked_at


def _versions(trace: Trace) -> list[tuple[int, int, list[int]]]:
    """Return which, version and messages (their places in the pool) of the histories to look at."""
    rows = {
        which: [row for row in trace.data["histories"] if row[1] == which] for which in (ACTIVE, CANDIDATE)
    }
    wanted = {(ACTIVE, min(1, len(rows[ACTIVE]))), *((which, len(rows[which])) for which in rows)}
    return [(which, version, _messages(rows[which][:version])) for which, version in sorted(wanted)]


def _messages(rows: list[Any]) -> list[int]:
    """Return the history that these changes lead to."""
    indices: list[int] = []
    for _, _, at, removed, added, *_ in rows:
        indices[at : at + removed] = added
    return indices
