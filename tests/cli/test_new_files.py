"""Writing new files: what is in the way, and what comes in the way at the last moment."""

import shutil
from pathlib import Path

import pytest

from ctxlab.cli.new_files import write_new_files
from ctxlab.cli.output import UsageError


def test_a_file_that_somebody_made_in_the_meantime_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "source.json", tmp_path / "out.json"
    source.write_text("[]", encoding="utf-8")

    def overtaken(*_arguments: object) -> None:
        out.write_text("theirs", encoding="utf-8")

    # The last thing that is done before the new file is put in its place.
    monkeypatch.setattr(shutil, "copymode", overtaken)
    with pytest.raises(UsageError, match=r"out\.json' cannot be written \(File exists\)"):
        write_new_files({str(out): b"ours"}, source, force=False)
    assert out.read_text(encoding="utf-8") == "theirs"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "source.json"]
    write_new_files({str(out): b"ours"}, source, force=True)
    assert out.read_text(encoding="utf-8") == "ours"


def test_one_that_cannot_be_written_keeps_the_others_from_being_written(tmp_path: Path) -> None:
    source = tmp_path / "source.json"
    source.write_text("[]", encoding="utf-8")
    contents = {str(tmp_path / "one.json"): b"1", str(tmp_path / "none" / "two.json"): b"2"}
    with pytest.raises(UsageError, match="No such file or directory"):
        write_new_files(contents, source, force=False)
    assert [path.name for path in tmp_path.iterdir()] == ["source.json"]
