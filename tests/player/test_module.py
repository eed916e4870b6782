"""One module made of many: nothing is lost, and each part stands after those that it needs."""

import re
from graphlib import CycleError
from pathlib import Path

import pytest

from ctxlab.player import module
from ctxlab.player.module import FOLDER, joined_module

ENTRIES = ("main.js", "compare.js", "diagnose.js", "strategies.js")


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_holds_every_line_of_every_module_but_its_imports() -> None:
    expected = []
    for path in FOLDER.rglob("*.js"):
        text = re.sub(r"(?m)^import [^;]*;\n", "", path.read_text(encoding="utf-8"))
        expected.extend(text.splitlines())
    joined = {line for name in ENTRIES for line in joined_module(name).splitlines()}
    assert set(expected) - joined == set()
    assert not any(line.startswith("import ") for line in joined)


def test_no_name_stands_in_two_modules() -> None:
    home: dict[str, Path] = {}
    for path in sorted(FOLDER.rglob("*.js")):
        for line in lines(path):
            declared = re.match(r"(?:export )?(?:const|let|function|class) (\w+)", line)
            if declared and not (path.name in ENTRIES and declared[1] == "render"):
                assert home.setdefault(declared[1], path) == path, declared[1]


def test_a_module_stands_after_those_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "views").mkdir()
    (tmp_path / "start.js").write_text(
        'import { b } from "./views/b.js";\nimport { a } from "./a.js";\nb(a);\n'
    )
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    (tmp_path / "views" / "b.js").write_text(
        'import {\n  a,\n} from "../a.js";\nexport const b = (x) => x + a;\n'
    )
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    assert joined_module("start.js") == "export const a = 1;\n\nexport const b = (x) => x + a;\n\nb(a);\n"


def test_a_circle_of_imports_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.js").write_text('import { b } from "./two.js";\nexport const a = 1;\n')
    (tmp_path / "two.js").write_text('import { a } from "./one.js";\nexport const b = 1;\n')
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(CycleError):
        joined_module("one.js")
