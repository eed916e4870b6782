"""A learner's file is executed, and whatever it does, one line says what is wrong with it."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.exercises import learner_file
from ctxlab.exercises.learner_file import definitions


@pytest.fixture(autouse=True)
def import_path() -> Iterator[None]:
    before, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = before
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def problem(file: Path, text: str | bytes | None = None) -> str:
    """The text of the error, without the path in front."""
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CtxlabError) as caught:
        definitions(file)
    (line,) = str(caught.value).splitlines()
    assert str(file) in line
    return line.replace(str(file), "FILE")


def test_gives_what_the_file_defines(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text("print('loading')\ndef f(x): return x + y\ny = 1\n", encoding="utf-8")
    assert definitions(file)["f"](1) == 2
    assert capfd.readouterr() == ("", "")
    assert sorted(path.name for path in file.parent.iterdir()) == ["mine.py"]


def test_the_file_is_not_main(file: Path) -> None:
    file.write_text("if __name__ == '__main__': exit()\n", encoding="utf-8")
    assert "exit" not in definitions(file)


def test_dataclasses_and_neighbours_work_now_and_later(file: Path) -> None:
    (file.parent / "neighbour.py").write_text("number = 7\n", encoding="utf-8")
    (file.parent / "later.py").write_text("number = 8\n", encoding="utf-8")
    file.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass, KW_ONLY\n"
        "from neighbour import number\n"
        "@dataclass\n"
        "class Pair:\n"
        "    left: int\n"
        "    _: KW_ONLY\n"
        "    right: int = number\n"
        "def f():\n"
        "    import later\n"
        "    return Pair(later.number).left, Pair(1).right\n",
        encoding="utf-8",
    )
    assert definitions(file)["f"]() == (8, 7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n1 / 0\n", "FILE, line 2: ZeroDivisionError: division by zero"),
        ("def f(:\n", "FILE, line 1: SyntaxError: invalid syntax"),
        ("x = '\x00'\n", "FILE: SyntaxError: source code string cannot contain null bytes"),
        ("\n\nexit(3)\n", "FILE, line 3: it ends the program when it is loaded; remove that call"),
        ("import sys\nsys.exit()\n", "FILE, line 2: it ends the program when it is loaded; remove that call"),
        ("raise BaseException\n", "FILE, line 1: BaseException"),
        ("import no_such_module\n", "FILE, line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        (
            "class E(Exception):\n def __str__(self): exit()\nraise E\n",
            "FILE, line 3: E: (the exception cannot",
        ),
        (b"\xff\xfe", "FILE, line 1: not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_file_that_cannot_be_executed(file: Path, text: str | bytes, said: str) -> None:
    assert problem(file, text).startswith(said)


def test_a_file_that_does_not_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learner_file, "SECONDS", 0.2)
    assert problem(file, "while True: pass\n").startswith("FILE was still running after ")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_ctrl_c_passes_through(file: Path) -> None:
    file.write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        definitions(file)


def test_what_is_no_file_to_execute(file: Path, tmp_path: Path) -> None:
    assert problem(file) == "there is no file FILE; check the path"
    assert problem(tmp_path).startswith("FILE is a directory")
    assert problem(file, b"#" * 1_000_001).startswith("FILE has over 1000000 bytes")
    assert problem(tmp_path / "01_split.ipynb", "{}").startswith("FILE is a notebook; save it as")
