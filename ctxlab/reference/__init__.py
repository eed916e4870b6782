"""The code under study: plain functions that know nothing of tracers or players."""

from ctxlab.reference.archive import archive_writer, read_archive
from ctxlab.reference.history import (
    checked_exchange,
    history_bytes,
    prepare_context,
    split_history,
    trim_results,
)
from ctxlab.reference.loop import preparer, run_loop

__all__ = [
    "archive_writer",
    "checked_exchange",
    "history_bytes",
    "prepare_context",
    "preparer",
    "read_archive",
    "run_loop",
    "split_history",
    "trim_results",
]
