"""An exercise: what a learner is asked to write, a solution, and the mistakes that people make in it.

Each exercise is a folder `data/lesson_NN/NAME/` with `exercise.yaml` (its texts), `stub.py` (what the learner
starts from), `solution.py`, one `wrong_*.py` for each common mistake (its module docstring is what a learner
who makes it is told). All versions define a function NAME. Scenarios that only exercises need are in
`data/scenarios/`.
"""

import ast
import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.exercises.fields import Case, ExerciseFile, read_fields
from ctxlab.messages.text_files import read_text
from ctxlab.messages.wording import shown, type_words
from ctxlab.scenarios import scenario_names

FOLDER = Path(__file__).with_name("data")
MAX_SOURCE_BYTES = 20_000


@dataclass(frozen=True)
class WrongVersion:
    """A mistake that people make: its name, what a learner who makes it is told, and its source text."""

    name: str
    message: str
    text: str = field(repr=False)


@dataclass(frozen=True)
class Exercise:
    """One function to write.

    name        also the name of the function
    lesson      two digits, such as "01"
    number      the place in the lesson, from 1
    title       one line
    task        what the function shall do, in plain words
    scenarios   each a name or a path for `load_scenario`; they are tried before any generated input
    cases       scenarios that are tried with other stand-ins than their own
    in_place    whether the function changes `messages` itself, so that what became of them is its result
    hints       three, of rising help: the idea, where in the code, nearly the line
    why         why the solution works, and what a common wrong version would have done
    stub        the text that the learner starts from
    solution    the text of the solution
    wrong       the known mistakes, by name
    common      the name of the one that is shown after a pass; "" for the first
    """

    name: str
    lesson: str
    number: int
    title: str
    task: str
    scenarios: tuple[str, ...]
    cases: tuple[Case, ...]
    in_place: bool
    hints: tuple[str, ...]
    why: str
    stub: str = field(repr=False)
    solution: str = field(repr=False)
    wrong: tuple[WrongVersion, ...] = field(repr=False)
    common: str
    folder: Path = field(repr=False)

    @property
    def function(self) -> str:
        """The name of the function that every version defines."""
        return self.name

    def commonest_first(self) -> list[WrongVersion]:
        """Return the known mistakes, the one to show after a pass before the others."""
        return sorted(self.wrong, key=lambda wrong: wrong.name != self.common)

    def callable(self, version: str) -> Callable[..., Any]:
        """Return the function of a version: "stub", "solution", or a wrong version by its name.

        It is made from its file afresh each time, so no version sees what an earlier call left behind.
        """
        texts = {
            "stub": ("stub.py", self.stub),
            "solution": ("solution.py", self.solution),
            **{wrong.name: (f"wrong_{wrong.name}.py", wrong.text) for wrong in self.wrong},
        }
        if version not in texts:
            raise CtxlabError(f"{self.name} has no version {shown(version)}; it has {', '.join(texts)}")
        file, text = texts[version]
        path = self.folder / file
        # Not imported in the usual way: that would leave compiled files in the data folder.
        module = ModuleType(f"{self.name}.{path.stem}")
        exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102 - a file of this package
        function = module.__dict__.get(self.function)
        if function is None:
            raise CtxlabError(f"{path} defines no function {self.function}; name it so")
        found: Callable[..., Any] = function
        return found


def exercise_names(lesson: str | None = None) -> list[str]:
    """Return the names of all exercises, or of those of one lesson ("01"), in teaching order."""
    found = [read_exercise(folder) for folder in exercise_folders(FOLDER)]
    in_order = sorted(found, key=lambda each: (each.lesson, each.number))
    return [each.name for each in in_order if lesson in (None, each.lesson)]


def exercise(name: str) -> Exercise:
    """Return the exercise of that name. Raises CtxlabError for a name that there is not."""
    if not isinstance(name, str):
        raise CtxlabError(f"an exercise has a name, not {type_words(name)}; give a string")
    folders = {folder.name: folder for folder in exercise_folders(FOLDER)}
    if name not in folders:
        nearest = difflib.get_close_matches(name.lower(), folders, n=1, cutoff=0.5)
        hint = f"did you mean {nearest[0]!r}?" if nearest else f"there are {', '.join(exercise_names())}"
        raise CtxlabError(f"there is no exercise {shown(name)}; {hint}")
    return read_exercise(folders[name])


def exercise_folders(data: Path) -> list[Path]:
    """Return the folders of the exercises in a data folder, by lesson and name."""
    return sorted(path.parent for path in data.glob("lesson_*/*/exercise.yaml"))


@lru_cache
def read_exercise(folder: Path) -> Exercise:
    """Return the exercise of a folder. Raises CtxlabError, which names the file and what to do."""
    file = folder / "exercise.yaml"
    fields = read_fields(file, ExerciseFile)
    wrong = tuple(map(_wrong_version, sorted(folder.glob("wrong_*.py"))))
    if fields.common and fields.common not in [each.name for each in wrong]:
        raise CtxlabError(f"{file}: there is no wrong_{fields.common}.py; correct common")
    return Exercise(
        name=folder.name,
        lesson=folder.parent.name.removeprefix("lesson_"),
        number=fields.number,
        title=fields.title,
        task=one_paragraph(fields.task),
        scenarios=tuple(_scenario(name, folder) for name in fields.scenarios),
        cases=tuple(
            case.model_copy(update={"scenario": _scenario(case.scenario, folder)}) for case in fields.cases
        ),
        in_place=fields.in_place,
        hints=tuple(map(one_paragraph, fields.hints)),
        why=one_paragraph(fields.why),
        stub=_source(folder / "stub.py"),
        solution=_source(folder / "solution.py"),
        wrong=wrong,
        common=fields.common,
        folder=folder,
    )


def _scenario(name: str, folder: Path) -> str:
    """Return what `load_scenario` takes: the name of one of ctxlab's scenarios, else the path of a file."""
    return name if name in scenario_names() else str(folder.parents[1] / "scenarios" / f"{name}.yaml")


def one_paragraph(text: str) -> str:
    """Return the text without the line breaks of its file."""
    return " ".join(text.split())


def _wrong_version(path: Path) -> WrongVersion:
    text = _source(path)
    message = ast.get_docstring(ast.parse(text))
    if message is None:
        raise CtxlabError(f"{path} has no module docstring; write there what a learner should be told")
    return WrongVersion(path.stem.removeprefix("wrong_"), one_paragraph(message), text)


def _source(path: Path) -> str:
    """Return the text of a Python file that can be compiled."""
    text = read_text(
        path,
        CtxlabError,
        kind=".py",
        most=MAX_SOURCE_BYTES,
        missing=lambda: "add it",
        too_large="write it shorter",
    )
    try:
        compile(text, str(path), "exec")
    except (SyntaxError, ValueError) as error:
        raise CtxlabError(f"{path} is not Python: {error}") from error
    return text
