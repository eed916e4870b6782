import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxlab.practice import process
from ctxlab.practice.process import MAX_OUTPUT_BYTES, run_python


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "main.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def is_gone(is_running: Callable[[int], bool]) -> Callable[[int], bool]:
    """is_gone(pid) -> whether the process ends within a second."""

    def wait(pid: int) -> bool:
        for _ in range(100):
            if not is_running(pid):
                return True
            time.sleep(0.01)
        return False

    return wait


def test_output_and_exit_status(program: Callable[[str], Path]) -> None:
    finished = run_python(program("import sys\nprint('out')\nsys.stdout.flush()\nsys.exit('err')"))
    assert finished.output == b"out\nerr\n"
    assert (finished.exit_status, finished.stopped) == (1, "")


def test_runs_in_its_own_directory_with_its_own_environment(
    program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "secret")
    path = program("import os, sys\nprint(os.getcwd(), *sorted(os.environ), sys.flags.isolated)")
    words = run_python(path).text().split()
    assert words[0] == os.path.realpath(path.parent)
    assert words[-1] == "1"
    assert {"LC_ALL", "PATH"} <= set(words[1:-1]) <= {"LC_ALL", "PATH", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}


def test_has_no_input(program: Callable[[str], Path]) -> None:
    assert run_python(program("import sys\nprint(repr(sys.stdin.read()))")).output == b"''\n"


def test_output_that_is_no_text(program: Callable[[str], Path]) -> None:
    finished = run_python(program("import os\nos.write(1, b'\\xff\\n')"))
    assert finished.output == b"\xff\n"
    assert finished.text() == "\ufffd\n"


@pytest.mark.parametrize(
    "last_word", ["time.sleep(60)", "sys.stdout.close(); os.close(1); os.close(2); time.sleep(60)"]
)
def test_a_program_that_does_not_end_is_stopped(
    program: Callable[[str], Path], is_gone: Callable[[int], bool], last_word: str
) -> None:
    path = program(f"import os, sys, time\nprint(os.getpid(), flush=True)\n{last_word}")
    began = time.monotonic()
    finished = run_python(path, seconds=0.5)
    assert time.monotonic() - began < 5
    assert finished.exit_status is None
    assert finished.stopped == "it was stopped after 0.5 s"
    assert is_gone(int(finished.output))


def test_endless_output_is_cut_and_the_program_stopped(program: Callable[[str], Path]) -> None:
    finished = run_python(program("while True: print('x' * 1000)"))
    assert len(finished.output) == MAX_OUTPUT_BYTES
    assert finished.stopped == f"it was stopped at {MAX_OUTPUT_BYTES} bytes of output"


def test_what_it_started_is_ended_with_it(
    program: Callable[[str], Path], is_gone: Callable[[int], bool]
) -> None:
    path = program(
        "import subprocess, sys\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "child = subprocess.Popen(sleep, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(child.pid)"
    )
    finished = run_python(path)
    assert finished.exit_status == 0
    assert is_gone(int(finished.output))


def test_ctrl_c_ends_it(program: Callable[[str], Path], is_gone: Callable[[int], bool]) -> None:
    path = program("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)")
    pid_file = path.with_name("pid")

    def press_when_it_runs() -> None:
        while not (pid_file.exists() and pid_file.read_text()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press_when_it_runs)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        run_python(path)
    presser.join()
    assert is_gone(int(pid_file.read_text()))


def test_ctrl_c_while_it_starts_waits_until_it_can_be_ended(
    program: Callable[[str], Path], is_gone: Callable[[int], bool]
) -> None:
    """The signal comes before the process is in anybody's hands. Nothing may be left then either."""
    path = program("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)")
    script = f"""
import os, signal, subprocess, sys
from pathlib import Path
from ctxlab.practice.process import run_python
real = subprocess.Popen
def popen(*args, **kwargs):
    process = real(*args, **kwargs)
    print(process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGINT)
    return process
subprocess.Popen = popen
run_python(Path({str(path)!r}))
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False
    )
    assert "KeyboardInterrupt" in run.stderr
    assert is_gone(int(run.stdout))


def test_a_second_ctrl_c_does_not_keep_the_first_from_the_process(
    program: Callable[[str], Path], is_gone: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    pids: list[int] = []
    end = process._end

    def interrupted_end(running: "subprocess.Popen[bytes]") -> None:
        pids.append(running.pid)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        end(running)

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "_end", interrupted_end)
    with pytest.raises(KeyboardInterrupt):
        run_python(program("import time\ntime.sleep(30)"), interrupt)
    assert is_gone(pids[0])


def test_the_signals_are_as_they_were(program: Callable[[str], Path]) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    run_python(program("print(1)"))
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_started_is_called_once_there_is_a_process(program: Callable[[str], Path]) -> None:
    calls: list[int] = []
    run_python(program("print(1)"), lambda: calls.append(1))
    assert calls == [1]


def test_a_failure_in_started_ends_the_process(program: Callable[[str], Path]) -> None:
    path = program("import os, time\ntime.sleep(1)\nopen('late', 'w').close()")

    def fail() -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        run_python(path, fail)
    time.sleep(1.3)
    assert not path.with_name("late").exists()


def test_has_a_session_of_its_own(program: Callable[[str], Path]) -> None:
    """So that neither Ctrl-C nor the end of the terminal reaches it before its limits are looked after."""
    assert run_python(program("import os\nprint(os.getsid(0) == os.getpid())")).output == b"True\n"
