"""The transcript that a person names: a path, or `-` for standard input."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli.output import UsageError, complain
from ctxlab.errors import CtxlabError, Refusal
from ctxlab.messages.shapes import APIS
from ctxlab.messages.wording import visible

if TYPE_CHECKING:
    from ctxlab.messages.report import Report

STANDARD_INPUT = "-"
CHUNK_BYTES = 1_000_000


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options that say how a transcript is to be read."""
    command.add_argument(
        "--api", choices=APIS, help="the shape of the messages (default: recognised by what is in them)"
    )
    command.add_argument(
        "--session", metavar="ID", help="a session of a database (default: the one that was written to last)"
    )


@contextmanager
def opened(arguments: argparse.Namespace, file: str) -> Iterator[tuple["Report", Path]]:
    """Give the report on a transcript, and the path under which it can be read again.

    Raises CtxlabError, on one line, for what cannot be used.
    """
    from ctxlab.messages.report import report_on

    with _regular(file) as path:
        try:
            report = report_on(path, arguments.api, arguments.session)
        except (CtxlabError, Refusal) as error:
            text = str(error)
            if file == STANDARD_INPUT:
                text = text.replace(str(path), "standard input")
            raise CtxlabError(visible(text)) from error
        yield replace(report, name=file), path


def warn_of_secrets(report: "Report", remedy: str) -> None:
    """Say on standard error that a transcript holds what looks like secrets. None of them is quoted."""
    if warning := report.warning():
        complain(visible(f"ctxlab: {report.name}: {warning}; {remedy}"))


@contextmanager
def _regular(file: str) -> Iterator[Path]:
    """Give the path of a transcript. What comes from standard input is put into a temporary file."""
    if file != STANDARD_INPUT:
        with suppress(OSError):  # the reader says what is wrong with a path
            if Path(file).is_fifo():
                raise UsageError(f"{file} is a pipe; give - in its place, and send it to standard input")
        yield Path(file)
        return
    with tempfile.TemporaryDirectory(prefix="ctxlab-") as folder:
        path = Path(folder, "input")
        try:
            _copy_input(path)
        except OSError as error:
            raise UsageError(f"standard input cannot be kept in a file ({error.strerror})") from error
        yield path


def _copy_input(path: Path) -> None:
    from ctxlab.messages.readers.reading import MAX_LINES_BYTES

    if sys.stdin is None:
        raise UsageError("standard input is closed; give the path of a transcript in place of -")
    if sys.stdin.isatty():
        complain("ctxlab: reading the transcript from standard input; Ctrl-D ends it")
    size = 0
    with path.open("xb") as copy:
        # The reader refuses a longer one: what would follow has no end, perhaps.
        while size <= MAX_LINES_BYTES and (chunk := sys.stdin.buffer.read(CHUNK_BYTES)):
            size += copy.write(chunk)
