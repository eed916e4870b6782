from pathlib import Path

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.practice.facts import LOGS, TO_REPORT_ON
from ctxlab.practice.workspace import HOST_FOLDER, TASK, make_workspace
from ctxlab.reference import history_bytes


def names(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("exists", [True, False])
def test_holds_the_files_of_the_task_and_a_folder_of_the_host(tmp_path: Path, exists: bool) -> None:
    directory = tmp_path / "a" / "b"
    if exists:
        directory.mkdir(parents=True)
    host = make_workspace(directory)
    assert host == directory / HOST_FOLDER
    assert list(host.iterdir()) == []
    assert names(directory) == {*LOGS, *TO_REPORT_ON}
    for name in names(directory):
        assert (directory / name).read_bytes() == (TASK / name).read_bytes()


def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CtxlabError, match="is not empty; give a new directory"):
        make_workspace(tmp_path)
    assert names(tmp_path) == {"mine.txt"}


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(CtxlabError, match="is no directory; give a new one"):
        make_workspace(file)
    with pytest.raises(CtxlabError, match="is no directory; give a new one"):
        make_workspace(file / "inside")


def test_a_name_that_no_directory_can_have(tmp_path: Path) -> None:
    with pytest.raises(CtxlabError, match="no run can be set up in"):
        make_workspace(tmp_path / ("x" * 300))
    with pytest.raises(CtxlabError, match="no run can be set up in"):
        make_workspace(Path("a\0b"))


def test_files_that_cannot_be_copied_are_told_in_one_reason(tmp_path: Path) -> None:
    task = tmp_path / "task"
    task.mkdir()
    for name in ("a", "b"):
        (task / name).symlink_to("gone")
    with pytest.raises(CtxlabError) as caught:
        make_workspace(tmp_path / "run", task)
    assert str(caught.value).count("No such file") == 1
    assert "[(" not in str(caught.value)


@pytest.mark.parametrize("log", LOGS)
def test_the_logs_are_long_and_the_last_is_shorter(log: str) -> None:
    text = (TASK / log).read_text(encoding="utf-8")
    size = history_bytes([{"content": text}])
    assert 1500 < size < 2000 if log == LOGS[-1] else 2200 < size < 2500


def test_no_log_shows_that_the_program_ran() -> None:
    texts = "".join((TASK / log).read_text(encoding="utf-8") for log in LOGS)
    assert "main.py" in texts
    assert not {"exit status", "main.py ran", "printed 42", "prints 42"} & set(texts.split("\n"))
    # The figure stands in one sentence only, which calls it made up.
    (line,) = [line for line in texts.splitlines() if "42" in line.replace("8421", "").replace("8422", "")]
    assert "without a start would be made up" in line
