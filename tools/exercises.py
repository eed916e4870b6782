"""Check the exercises: their files, their texts, and what a learner is told about each version.

python tools/exercises.py [FOLDER]

FOLDER is a data folder such as ctxlab/exercises/data, which is the default. Each fault is one line, and with
any the exit status is 1.
"""

import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ctxlab.errors import CtxlabError
from ctxlab.exercises.activities.lesson import read_lesson
from ctxlab.exercises.activities.spot import read_spot
from ctxlab.exercises.checking import check_exercise
from ctxlab.exercises.exercise import FOLDER, Exercise, read_exercise
from ctxlab.exercises.inputs import named_inputs
from ctxlab.exercises.observing import observe
from ctxlab.scenarios import load_scenario

FILES = {"exercise.yaml", "stub.py", "solution.py"}
MOST_LINES_TO_WRITE = 10
LEAST_WRONG_VERSIONS = 4
MOST_MESSAGE_CHARS = 400
SECONDS = 1.0  # for one run of a solution
COMPILED = "__pycache__"


def faults(data: Path) -> Iterator[str]:
    """Yield what is wrong with a data folder, one line for each fault."""
    exercises = []
    yield from strays(data, folders(data, "lesson_*"), {"scenarios"})
    for lesson in folders(data, "lesson_*"):
        try:
            read_lesson(lesson / "lesson.yaml")
            if (lesson / "spot.yaml").exists():
                read_spot(lesson / "spot.yaml")
        except CtxlabError as error:
            yield str(error)
        for folder in folders(lesson):
            yield from strays(folder, folder.glob("wrong_*.py"), FILES)
            try:
                exercises.append(read_exercise(folder))
            except CtxlabError as error:
                yield str(error)
        yield from strays(lesson, folders(lesson), {"lesson.yaml", "spot.yaml"})
    for exercise in exercises:
        yield from faults_of_texts(exercise)
        yield from faults_of_versions(exercise)
    yield from faults_of_all(data, exercises)


def folders(parent: Path, pattern: str = "*") -> list[Path]:
    return sorted(path for path in parent.glob(pattern) if path.is_dir() and path.name != COMPILED)


def strays(folder: Path, known: Iterator[Path] | list[Path], names: set[str]) -> Iterator[str]:
    """Yield each file of a folder that nothing reads."""
    allowed = {path.name for path in known} | names | {COMPILED}
    for path in sorted(folder.iterdir()):
        if path.name not in allowed:
            yield f"{path} is no part of the exercises; remove it"


def faults_of_texts(exercise: Exercise) -> Iterator[str]:
    """Yield what is wrong with the texts of an exercise, as far as reading it has not refused them."""
    place = f"{exercise.lesson}/{exercise.name}"
    count = lines_to_write(exercise)
    if count > MOST_LINES_TO_WRITE:
        yield f"{place}: the solution has {count} lines to write; at most {MOST_LINES_TO_WRITE} are allowed"
    if len(exercise.wrong) < LEAST_WRONG_VERSIONS:
        yield f"{place}: {len(exercise.wrong)} wrong versions; at least {LEAST_WRONG_VERSIONS} are needed"
    said: dict[str, str] = {}
    for wrong in exercise.wrong:
        if not 0 < len(wrong.message) <= MOST_MESSAGE_CHARS:
            size = len(wrong.message)
            yield f"{place}: the message of {wrong.name} has {size} characters, not 1 to {MOST_MESSAGE_CHARS}"
        if wrong.message in said:
            yield f"{place}: {wrong.name} has the message of {said[wrong.message]}; give each its own"
        said[wrong.message] = wrong.name


def lines_to_write(exercise: Exercise) -> int:
    """Return how many lines of code the solution has beyond the stub."""
    return (lines_of_code(exercise.solution) - lines_of_code(exercise.stub)).total()


def lines_of_code(text: str) -> Counter[str]:
    lines = (line.strip() for line in text.splitlines())
    return Counter(line for line in lines if line and not line.startswith("#"))


def faults_of_versions(exercise: Exercise) -> Iterator[str]:
    """Yield each version that a learner would hear something else about than intended."""
    place = f"{exercise.lesson}/{exercise.name}"
    try:
        for name in scenarios_of(exercise):
            load_scenario(name)
        functions = {
            version: exercise.callable(version)
            for version in ("solution", "stub", *(wrong.name for wrong in exercise.wrong))
        }
    except CtxlabError as error:
        yield f"{place}: {error}"
        return
    parameters = {str(inspect.signature(function)) for function in functions.values()}
    if len(parameters) > 1:
        yield f"{place}: the versions take different parameters: {', '.join(sorted(parameters))}"
        return
    if exercise.in_place and "messages" not in inspect.signature(functions["solution"]).parameters:
        yield f"{place}: it works in place, but takes no messages; name the parameter so"
        return

    found = [f"{place}: the solution {fault}" for fault in faults_of_solution(exercise)]
    if found:
        yield from found
        return
    verdict = check_exercise(exercise, functions["stub"])
    if verdict.kind != "not_written":
        yield f"{place}: the stub should be not_written, and is {verdict.kind}"
    for wrong in exercise.wrong:
        verdict = check_exercise(exercise, functions[wrong.name])
        if verdict.passed:
            yield f"{place}: {wrong.name} passes; correct it, or add a scenario that it fails"
        elif verdict.message != wrong.message:
            yield f"{place}: {wrong.name} does not get its own message, but: {verdict.message or 'none'}"


def scenarios_of(exercise: Exercise) -> list[str]:
    """Return the scenarios that an exercise uses, those of its cases included."""
    return [*exercise.scenarios, *(case.scenario for case in exercise.cases)]


def faults_of_solution(exercise: Exercise) -> Iterator[str]:
    """Yield what a solution may not do. A check cannot tell: it compares with the solution itself."""
    solution = exercise.callable("solution")
    names = list(inspect.signature(solution).parameters)
    for given in named_inputs(exercise):
        seen = observe(solution, given, names, SECONDS, in_place=exercise.in_place)
        where = f"on {given.place}"
        if seen.kind not in ("returned", "refused") and not seen.raised:
            yield f"ends with {seen.name or seen.kind} {where}"
        if seen.changed:
            yield f"changes its input {where}"
        if seen.shared:
            yield f"returns a part of its input {where}"
        if seen.between is not None:
            yield f"changes the history in several steps {where}"
        if seen.held:
            yield f"leaves a part of the history with a stand-in {where}"


def faults_of_all(data: Path, exercises: list[Exercise]) -> Iterator[str]:
    """Yield what no exercise shows alone: names and numbers given twice, scenarios that none uses."""
    for name, count in Counter(exercise.name for exercise in exercises).items():
        if count > 1:
            yield f"{name}: {count} exercises have this name; a name is for one exercise of the whole course"
    for (lesson, number), count in Counter((each.lesson, each.number) for each in exercises).items():
        if count > 1:
            yield f"lesson {lesson}: {count} exercises have the number {number}; give each its own"
    used = {name for exercise in exercises for name in scenarios_of(exercise)}
    for path in sorted((data / "scenarios").glob("*")):
        if str(path) not in used:
            yield f"{path} is used by no exercise; remove it"


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        print(__doc__)
        return 2
    found = list(faults(Path(arguments[0]) if arguments else FOLDER))
    print("\n".join(found) or "the exercises are in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
