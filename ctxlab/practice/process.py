"""Running the program: a real process, with limits, that is gone when the call ends."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MAX_SECONDS = 10.0
MAX_OUTPUT_BYTES = 20_000
CHUNK = 65_536

# No variable of the caller is passed on: a key could be among them.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


@dataclass(frozen=True)
class Finished:
    """How a process ended.

    output       what it wrote to standard output and standard error, together
    exit_status  its exit status; negative for a signal, None where it was stopped here
    stopped      why it was stopped here, or ""; then the output is not whole
    """

    output: bytes
    exit_status: int | None
    stopped: str = ""

    def text(self) -> str:
        """Return the output as text. What is not UTF-8 is replaced."""
        return self.output.decode("utf-8", "replace")


def run_python(
    path: Path, started: Callable[[], None] = lambda: None, seconds: float = MAX_SECONDS
) -> Finished:
    """Run the Python program `path` in its own directory and return how it ended.

    `started` is called once the process exists. The process has a session of its own, no input, and at most
    `seconds`. Whatever ends this call, Ctrl-C included, ends the process and those that it started; not one
    that has given itself a session of its own, nor any where this process is killed by SIGKILL. Raises
    OSError where no process can be started.
    """
    # A signal waits until there is somebody who ends the process. Here the process would be nobody's.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", path.name],
            cwd=path.parent,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            started()
            return _watched(process, time.monotonic() + seconds, seconds)
        finally:
            # A second Ctrl-C, right after the first, may not come between.
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
            _end(process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watched(process: "subprocess.Popen[bytes]", deadline: float, seconds: float) -> Finished:
    """Collect the output until the process ends or meets a limit."""
    assert process.stdout is not None
    late = f"it was stopped after {seconds:g} s"
    output = b""
    while True:
        left = max(0.0, deadline - time.monotonic())
        if not select.select([process.stdout], [], [], left)[0]:
            return Finished(output, None, late)
        chunk = os.read(process.stdout.fileno(), CHUNK)
        output += chunk
        if len(output) > MAX_OUTPUT_BYTES:
            return Finished(
                output[:MAX_OUTPUT_BYTES], None, f"it was stopped at {MAX_OUTPUT_BYTES} bytes of output"
            )
        if not chunk:
            break
    # The output is closed. The process itself may still be at work.
    try:
        return Finished(output, process.wait(max(0.0, deadline - time.monotonic())))
    except subprocess.TimeoutExpired:
        return Finished(output, None, late)


def _end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdout is not None
    # The group is killed even when its first process is gone: that one may have left others behind.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
