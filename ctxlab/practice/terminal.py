"""The practice on a terminal: its questions, its lines, and how it ends."""

import json
import math
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.practice import live
from ctxlab.practice.permission import PermissionRequest
from ctxlab.practice.process import SIGNALS
from ctxlab.practice.progress import Progress
from ctxlab.practice.result import PracticeResult
from ctxlab.practice.run import BUDGET, SUMMARY_LIMIT, run_practice
from ctxlab.practice.script import Models
from ctxlab.practice.state_file import STATE
from ctxlab.practice.workspace import HOST_FOLDER

Write = Callable[[str], None]

YES = ("y", "yes")
MAX_ANSWER_CHARS = 100
AT_ONCE_SECONDS = 1.0


@dataclass(frozen=True)
class Options:
    """What was asked for. None means: the default, or no such wish."""

    decision: str | None = None
    summary_limit: int | None = None
    budget: int | None = None
    live: str | None = None
    model: str | None = None
    directory: str | None = None
    yes: bool = False
    json: bool = False


def practise(options: Options, write: Write, complain: Write) -> bool:
    """Run the practice and say whether it was answered.

    `write` writes to standard output at once, `complain` a line to standard error. Raises CtxlabError for
    what cannot be used. KeyboardInterrupt passes through, after a line that says where the state is.
    """
    # A program that reads the JSON must find nothing else on standard output.
    say = _to_stderr if options.json else write
    models = None
    limit = SUMMARY_LIMIT if options.summary_limit is None else options.summary_limit
    budget = options.budget or (live.BUDGET if options.live else BUDGET)
    if options.live:
        models = live.live_models(options.live, options.model)
        say(printable(live.consent(options.live, str(options.model), budget, limit)))
        if not options.yes and not _asked("Send them?", say):
            say("Nothing was sent.\n")
            return False
    elif options.model or options.yes:
        raise CtxlabError("--model and --yes are for a live run; leave them out, or say --live PROVIDER")
    if options.directory == "":
        raise CtxlabError("--directory is empty; name a directory, or leave it out")
    directory = _temporary() if options.directory is None else Path(options.directory)
    if not options.json:
        write(f"directory: {printable(str(directory))}\n")
    told: list[Progress] = []

    def report(progress: Progress) -> None:
        told.append(progress)
        if not options.json:
            write(f"{progress.line()}\n")

    def decide(request: PermissionRequest) -> bool:
        if options.decision:
            if not options.json:
                write(f"{request.question()} {options.decision} (--decision)\n")
            return options.decision == "allow"
        return _asked(request.question(), say)

    result = _run(directory, decide, report, models, budget, limit, complain)
    write(_json(result, told) if options.json else printable("".join(f"{line}\n" for line in result.lines())))
    return result.status == "answered"


def _run(
    directory: Path,
    decide: Callable[[PermissionRequest], bool],
    report: Callable[[Progress], None],
    models: Models | None,
    budget: int,
    limit: int,
    complain: Write,
) -> PracticeResult:
    with _ending_as_ctrl_c():
        try:
            return run_practice(
                directory, decide, models=models, budget=budget, summary_limit=limit, report=report
            )
        except KeyboardInterrupt:
            state = directory / HOST_FOLDER / STATE
            if state.exists():
                complain(printable(f"ctxlab: interrupted; no process is left, and the state is in {state}"))
            raise


def printable(text: str) -> str:
    """Return the text without what could steer a terminal: control characters are written as escapes."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def _temporary() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="ctxlab-practice-"))
    except OSError as error:
        raise CtxlabError(
            f"no directory can be made for the run ({error.strerror}); name one with --directory"
        ) from error


def _asked(question: str, say: Write) -> bool:
    """Ask a person. Only "y" or "yes" is a yes; the end of the input is a no."""
    say(f"{question} [y/N] ")
    try:
        answer = sys.stdin.readline(MAX_ANSWER_CHARS) if sys.stdin else ""
    except (OSError, ValueError):  # closed, or not text
        answer = ""
    if not (answer and sys.stdin.isatty()):
        say("\n")  # nobody has typed a line end
    return answer.strip().lower() in YES


def _to_stderr(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


@contextmanager
def _ending_as_ctrl_c() -> Iterator[None]:
    """Have the other polite ways to end a process end the run as Ctrl-C does: SIGTERM, a closed terminal.

    Some programs send two signals at once, and some people press a key twice. One that comes right after
    another is left out: it would cut off the ending, which leaves no process and a whole state.
    """
    last = -math.inf

    def interrupt(*_: object) -> None:
        nonlocal last
        now = time.monotonic()
        again, last = now - last < AT_ONCE_SECONDS, now
        if not again:
            raise KeyboardInterrupt

    # One that is ignored, as under nohup, stays ignored.
    usual = (signal.SIG_DFL, signal.default_int_handler)
    before = {number: handler for number in SIGNALS if (handler := signal.getsignal(number)) in usual}
    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _json(result: PracticeResult, told: list[Progress]) -> str:
    fields: dict[str, Any] = asdict(result) | {
        "directory": str(result.directory),
        "progress": [asdict(progress) for progress in told],
    }
    # ASCII, so that it stays JSON whatever the encoding of standard output.
    return json.dumps(fields, separators=(",", ":")) + "\n"
