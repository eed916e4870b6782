"""What is written to standard output and standard error, whatever these are."""

import json
import os
import sys
from contextlib import suppress

from ctxlab.errors import CtxlabError


class UsageError(CtxlabError):
    """Arguments that cannot be used, or a place that cannot be written to."""


def write(text: str) -> None:
    """Write to standard output, whatever its encoding, and also when nobody reads to the end."""
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    encoding = sys.stdout.encoding
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        # A reader such as `head` has what it wanted. Python flushes again at its end, and must not fail then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise UsageError(f"standard output cannot be written ({error.strerror})") from error


def complain(line: str) -> None:
    """Write a line to standard error. The exit status speaks for itself where nobody can read it."""
    # Where standard error is closed, print would choose standard output.
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def as_json(value: object) -> str:
    """Return a value as one line of JSON: in ASCII, so that it stays JSON in any encoding of the output."""
    return json.dumps(value, separators=(",", ":")) + "\n"
