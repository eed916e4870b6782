"""The code under study: plain functions that know nothing of tracers or players."""

from ctxlab.reference.archive import archive_writer, read_archive
from ctxlab.reference.counting import count_request
from ctxlab.reference.history import (
    checked_exchange,
    history_bytes,
    prepare_context,
    split_history,
    trim_results,
)
from ctxlab.reference.loop import preparer, run_loop
from ctxlab.reference.pairs import check_pairs

__all__ = [
    "archive_writer",
    "check_pairs",
    "checked_exchange",
    "count_request",
    "history_bytes",
    "prepare_context",
    "preparer",
    "read_archive",
    "run_loop",
    "split_history",
    "trim_results",
]
