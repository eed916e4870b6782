import json
from pathlib import Path

import pytest

from ctxlab.practice.state_file import replace, save_state

MESSAGES = [{"role": "user", "content": "größer\n?"}, {"role": "assistant", "content": []}]


def test_holds_the_state_and_the_history(tmp_path: Path) -> None:
    save_state(tmp_path, {"status": "running"}, MESSAGES)
    save_state(tmp_path, {"status": "answered"}, MESSAGES[:1])
    assert json.loads((tmp_path / "state.json").read_bytes()) == {"status": "answered"}
    lines = (tmp_path / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == MESSAGES[:1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.jsonl", "state.json"]


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_content_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path = tmp_path / "state.json"
    replace(path, b"old")

    def fail(*_arguments: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(type(error)):
            replace(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_draft_that_was_left_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.json"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: None)
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        replace(path, b"old")
    replace(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_gone_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        save_state(tmp_path / "gone", {}, [])
