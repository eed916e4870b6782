"""The exercises as data: all are in order, each mistake gets its message, the checker sees each fault."""

import importlib.util
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.exercises.checking import check_exercise
from ctxlab.exercises.exercise import FOLDER, Exercise, exercise, exercise_names, read_exercise
from ctxlab.exercises.inputs import Input, Log, named_inputs
from ctxlab.exercises.stand_ins import Interruption
from ctxlab.reference import (
    check_pairs,
    count_request,
    history_bytes,
    prepare_context,
    run_loop,
    split_history,
    trim_results,
)
from ctxlab.scenarios import Scenario, load_scenario, scenario_names
from ctxlab.scenarios.stand_ins import count_tokens

EXERCISES = {name: exercise(name) for name in exercise_names()}
WRONG = [
    pytest.param(each, wrong.name, id=f"{each.name}-{wrong.name}")
    for each in EXERCISES.values()
    for wrong in each.wrong
]
OWN_SCENARIOS = sorted((FOLDER / "scenarios").glob("*.yaml"))


@pytest.fixture(scope="module")
def tool(root: Path) -> ModuleType:
    """The program tools/exercises.py, which is not installed."""
    spec = importlib.util.spec_from_file_location("exercises_tool", root / "tools" / "exercises.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=[*scenario_names(), *map(str, OWN_SCENARIOS)], ids=lambda name: Path(name).stem)
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return load_scenario(request.param)


# Every version, as a learner would submit it


@pytest.mark.parametrize("name", exercise_names())
def test_each_solution_passes(name: str) -> None:
    assert check_exercise(EXERCISES[name], EXERCISES[name].callable("solution")).passed


@pytest.mark.parametrize("name", exercise_names())
def test_each_stub_is_not_written(name: str) -> None:
    verdict = check_exercise(EXERCISES[name], EXERCISES[name].callable("stub"))

    assert (verdict.passed, verdict.kind) == (False, "not_written")


@pytest.mark.parametrize(("each", "name"), WRONG)
def test_each_wrong_version_gets_its_own_message(each: Exercise, name: str) -> None:
    (wrong,) = [wrong for wrong in each.wrong if wrong.name == name]
    verdict = check_exercise(each, each.callable(name))

    assert not verdict.passed
    assert verdict.message == wrong.message


@pytest.mark.parametrize(("each", "name"), WRONG)
def test_each_message_names_a_scenario_on_which_it_shows(each: Exercise, name: str) -> None:
    (wrong,) = [wrong for wrong in each.wrong if wrong.name == name]
    named = [given for given in named_inputs(each) if f"scenario {given.scenario.name}" in wrong.message]

    assert named
    differing = [given for given in named if outcome(each, name, given) != outcome(each, "solution", given)]
    assert differing


@pytest.mark.parametrize("name", exercise_names())
def test_no_two_versions_behave_alike_on_the_named_inputs(name: str) -> None:
    each = EXERCISES[name]
    versions = ["solution", *(wrong.name for wrong in each.wrong)]
    seen = {version: [outcome(each, version, given) for given in named_inputs(each)] for version in versions}

    alike = [pair for pair in combinations(versions, 2) if seen[pair[0]] == seen[pair[1]]]
    assert alike == []


def outcome(each: Exercise, version: str, given: Input) -> object:
    """How a run ends and what it leaves behind, told by plain comparison."""
    arguments: dict[str, Any] = given.arguments(
        inspect.signature(each.callable("solution")).parameters, Log()
    )
    messages = Counted(arguments["messages"]) if each.in_place else arguments["messages"]
    arguments["messages"] = messages
    calls: list[object] = []
    kept: list[object] = []

    def in_common(value: object) -> int:
        return len(mutables(value) & mutables(messages))

    def watched(stand_in: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            calls.append((stand_in.__name__, repr(given), repr(named), in_common(list(given))))
            kept.append(stand_in(*given, **named))
            return kept[-1]

        return call

    for name in {"archive", "summarize", "prepare", "ask"} & arguments.keys():
        arguments[name] = watched(arguments[name])
    for name, tool in arguments.get("tools", {}).items():
        arguments["tools"][name] = watched(tool)
    try:
        value = each.callable(version)(**arguments)
        ended = ("returned", value, in_common(value))
    except Refusal as refusal:
        ended = ("refused", refusal.code, 0)
    except (Exception, Interruption) as error:
        ended = ("error", type(error).__name__, 0)
    # The words of an error are no part of the outcome; that they say what went wrong is.
    after = re.sub(r"'content': ([^{}]*), 'is_error': True", told, repr(messages))
    steps = messages.changes if isinstance(messages, Counted) else 0
    return ended, after, in_common(kept), arguments.get("state"), calls, steps


def told(content: re.Match[str]) -> str:
    """What stands for the content of an error: that it is empty, or whether it says what went wrong."""
    reasons = ("cannot be read", "is broken", "no_such_tool")
    says = any(words in content[1] for words in reasons)
    return f"'empty': {content[1] == repr('')}, 'says what': {says}, 'is_error': True"


class Counted(list[Any]):
    """A list that counts how often it was changed. A copy of it is a plain list."""

    changes = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return deepcopy(list(self), memo)


def counting(method: Callable[..., Any]) -> Callable[..., Any]:
    def change(self: Counted, *arguments: Any) -> Any:
        self.changes += 1
        return method(self, *arguments)

    return change


for change_name in ("__setitem__", "__delitem__", "__iadd__", "append", "extend", "insert", "pop", "clear"):
    setattr(Counted, change_name, counting(getattr(list, change_name)))


def mutables(value: object) -> set[int]:
    """The identities of the lists and dicts in a value."""
    if not isinstance(value, (list, dict)):
        return set()
    parts = value.values() if isinstance(value, dict) else value
    return {id(value)}.union(*map(mutables, parts))


# The solutions and the reference


def ended(function: object, *arguments: object) -> object:
    """The value, or the code of the refusal, or the error."""
    try:
        return function(*arguments)  # type: ignore[operator]
    except Refusal as refusal:
        return refusal.code
    except (OSError, Interruption) as error:
        return type(error)


class TestSolutionsAgreeWithTheReference:
    def test_fits(self, scenario: Scenario) -> None:
        fits = exercise("fits").callable("solution")
        size = history_bytes(scenario.messages)

        assert [fits(scenario.messages, budget) for budget in (size - 1, size)] == [False, True]

    def test_drop_oldest_exchange(self, scenario: Scenario) -> None:
        drop = exercise("drop_oldest_exchange").callable("solution")
        parts = ended(split_history, scenario.messages)
        if isinstance(parts, dict):
            exchanges = parts["older"] + parts["recent"]
            kept = [message for exchange in exchanges[1:] for message in exchange]
            assert drop(scenario.messages) == [parts["question"], *kept]
        else:
            assert drop(scenario.messages)[:1] == scenario.messages[:1]

    @pytest.mark.parametrize("keep_recent", [1, 2, 3, 4])
    def test_safe_cut(self, scenario: Scenario, keep_recent: int) -> None:
        cut = ended(exercise("safe_cut").callable("solution"), scenario.messages, keep_recent)
        parts = ended(split_history, scenario.messages, keep_recent)
        if isinstance(parts, dict):
            recent = [message for exchange in parts["recent"] for message in exchange]
            assert scenario.messages[cut:] == recent  # type: ignore[misc]
        elif parts == "pending":
            assert cut == "pending"

    @pytest.mark.parametrize("keep_recent", [1, 2, 3, 4])
    def test_my_split(self, scenario: Scenario, keep_recent: int) -> None:
        found = ended(exercise("my_split").callable("solution"), scenario.messages, keep_recent)
        expected = ended(split_history, scenario.messages, keep_recent)

        # Of histories with other blocks, or in another order, the task says nothing.
        if expected not in ("unsupported_block", "not_a_history"):
            assert found == expected

    @pytest.mark.parametrize("max_chars", [10, 180, 600, 1200])
    def test_my_trim(self, scenario: Scenario, max_chars: int) -> None:
        mine = exercise("my_trim").callable("solution")
        arguments = (scenario.messages, scenario.arguments()["receipt"], 1, max_chars)

        assert ended(mine, *arguments) == ended(trim_results, *arguments)

    @pytest.mark.parametrize("max_chars", [180, 600, 1200])
    def test_trimmable(self, scenario: Scenario, max_chars: int) -> None:
        places = ended(exercise("trimmable").callable("solution"), scenario.messages, 1, max_chars)
        trimmed = ended(trim_results, scenario.messages, "receipt", 1, max_chars)
        if isinstance(trimmed, list):
            assert places == [
                [index, number]
                for index, (message, after) in enumerate(zip(scenario.messages, trimmed, strict=True))
                for number, block in enumerate(message["content"])
                if block != after["content"][number]
            ]
        else:
            assert places == trimmed

    @pytest.mark.parametrize("budget", [400, 1600, 3200])
    def test_my_prepare(self, scenario: Scenario, budget: int) -> None:
        mine, theirs = scenario.arguments(), scenario.arguments()
        theirs["state"]["max_summaries"] = 0  # where a summary would be tried, the solution refuses
        found = ended(
            exercise("my_prepare").callable("solution"),
            *(mine["messages"], mine["state"], mine["archive"], budget, mine["keep_recent"]),
        )
        expected = ended(
            prepare_context,
            *(theirs["messages"], theirs["question"], theirs["state"], theirs["archive"]),
            *(theirs["summarize"], budget, theirs["keep_recent"]),
        )

        if expected in ("recent_too_large", "summaries_spent"):
            expected = "over_budget"
        assert found == expected
        assert mine["state"]["archives"] == theirs["state"]["archives"]

    @pytest.mark.parametrize("name", ["summary", "bad_summary", "exhausted"])
    def test_spend_summary(self, name: str) -> None:
        mine, theirs = load_scenario(name).arguments(), load_scenario(name).arguments()
        found = ended(
            exercise("spend_summary").callable("solution"),
            *(mine["messages"], mine["state"], mine["summarize"]),
        )
        expected = ended(prepare_context, *(theirs[name] for name in PREPARE))

        assert mine["state"]["summaries"] == theirs["state"]["summaries"]
        if isinstance(expected, list):
            assert found in expected[0]["content"]
        else:
            assert found == expected

    @pytest.mark.parametrize("given", named_inputs(exercise("commit")), ids=lambda given: given.place)
    def test_commit(self, given: Input) -> None:
        mine, theirs = (given.arguments(["messages", "prepare"], Log()) for _ in range(2))
        found = ended(exercise("commit").callable("solution"), mine["messages"], mine["prepare"])
        expected = ended(lambda: run_loop(asks_nothing, {}, theirs["messages"], prepare=theirs["prepare"]))

        statuses = {"committed": "answered", "context_error": "context_error", Interruption: Interruption}
        assert statuses[found] == (expected["status"] if isinstance(expected, dict) else expected)
        assert mine["messages"] == theirs["messages"]

    @pytest.mark.parametrize("given", named_inputs(exercise("one_round")), ids=lambda given: given.place)
    def test_one_round(self, given: Input) -> None:
        mine, theirs = (given.arguments(["ask", "tools", "messages"], Log()) for _ in range(2))
        found = ended(exercise("one_round").callable("solution"), *(mine[name] for name in LOOP))
        expected = ended(lambda: run_loop(*(theirs[name] for name in LOOP), max_requests=1))

        if isinstance(expected, dict):
            assert found == (expected["text"] if expected["status"] == "answered" else None)
        else:
            assert found == expected
        assert without_reasons(mine["messages"]) == without_reasons(theirs["messages"])

    def test_message_tokens(self, scenario: Scenario) -> None:
        tokens = exercise("message_tokens").callable("solution")(scenario.messages, count_tokens)
        reference = count_request(scenario.messages, count_tokens, window=100_000)
        uncounted = {place["message"] for place in reference["uncounted"]}

        assert [at for at, found in enumerate(tokens) if found is None] == sorted(uncounted)
        for found, counted in zip(tokens, reference["messages"], strict=True):
            assert found in (None, counted)

    @pytest.mark.parametrize("window", [100, 900, 1600, 5000])
    def test_room_left(self, scenario: Scenario, window: int) -> None:
        names = inspect.signature(count_request).parameters
        arguments = {**scenario.arguments(), "window": window}
        given = {name: arguments[name] for name in names}
        found = ended(lambda: exercise("room_left").callable("solution")(**given))
        expected = ended(lambda: count_request(**given))

        assert found == (expected["left"] if isinstance(expected, dict) else expected)

    def test_orphans(self, scenario: Scenario) -> None:
        found = exercise("orphans").callable("solution")(scenario.messages)
        faults = check_pairs(scenario.messages)["faults"]

        assert [(message, block, "orphan_tool_result") for message, block, _ in found] == [
            fault for fault in faults if fault[2] == "orphan_tool_result"
        ]

    def test_results_first(self, scenario: Scenario) -> None:
        mended = exercise("results_first").callable("solution")(scenario.messages)
        codes = {code for _, _, code in check_pairs(mended)["faults"]}
        before = {code for _, _, code in check_pairs(scenario.messages)["faults"]}

        assert codes == before - {"tool_result_not_leading"}
        assert [sorted(map(repr, message["content"])) for message in mended] == [
            sorted(map(repr, message["content"])) for message in scenario.messages
        ]


LOOP = ("ask", "tools", "messages")


def asks_nothing(_messages: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "All is checked."}


def without_reasons(messages: list[dict[str, Any]]) -> list[Any]:
    """The roles, and the blocks without the texts of errors."""
    return [
        (message["role"], [{**block, "content": ""} if block.get("is_error") else block for block in blocks])
        for message in messages
        for blocks in [message["content"] if isinstance(message["content"], list) else []]
    ]


PREPARE = ("messages", "question", "state", "archive", "summarize", "budget", "keep_recent")


# The checker


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one exercise, to break."""
    data = tmp_path / "data"
    shutil.copytree(FOLDER / "lesson_00" / "fits", data / "lesson_00" / "fits")
    shutil.copy(FOLDER / "lesson_00" / "lesson.yaml", data / "lesson_00")
    (data / "scenarios").mkdir()
    for path in OWN_SCENARIOS:
        if str(path) in EXERCISES["fits"].scenarios:
            shutil.copy(path, data / "scenarios")
    return data


@pytest.fixture
def folder(data: Path) -> Path:
    return data / "lesson_00" / "fits"


@pytest.fixture
def quick(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The checker without what takes time: it does not run the versions."""
    monkeypatch.setattr(tool, "faults_of_versions", lambda exercise: iter(()))
    return tool


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def reword(path: Path, message: str) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(f'"""{message}"""' + text[text.index('"""', 3) + 3 :], encoding="utf-8")


def test_the_exercises_are_in_order(quick: ModuleType) -> None:
    # What the versions are told is tested above, one by one.
    assert list(quick.faults(FOLDER)) == []


class TestFaultsOfFiles:
    @pytest.mark.parametrize("name", ["exercise.yaml", "stub.py", "solution.py"])
    def test_a_missing_file(self, quick: ModuleType, data: Path, folder: Path, name: str) -> None:
        (folder / name).unlink()
        assert next(quick.faults(data)) == f"there is no file {folder / name}; add it"

    def test_a_missing_lesson_file(self, quick: ModuleType, data: Path) -> None:
        path = data / "lesson_00" / "lesson.yaml"
        path.unlink()
        assert list(quick.faults(data)) == [f"there is no file {path}; add it"]

    @pytest.mark.parametrize("name", ["notes.txt", "lesson_00/notes.txt", "lesson_00/fits/wrong.py"])
    def test_a_stray_file(self, quick: ModuleType, data: Path, name: str) -> None:
        (data / name).write_text("stray = 1\n")
        assert list(quick.faults(data)) == [f"{data / name} is no part of the exercises; remove it"]

    def test_a_scenario_that_no_exercise_uses(self, quick: ModuleType, data: Path, folder: Path) -> None:
        change(folder / "exercise.yaml", "tight, ", "")
        assert list(quick.faults(data)) == [
            f"{data / 'scenarios' / 'tight.yaml'} is used by no exercise; remove it"
        ]

    def test_one_that_only_a_case_uses_is_used(self, quick: ModuleType, data: Path, folder: Path) -> None:
        change(folder / "exercise.yaml", "tight, ", "")
        change(folder / "exercise.yaml", "hints:", "cases: [{scenario: tight}]\nhints:")
        assert list(quick.faults(data)) == []

    def test_a_name_that_stands_twice(self, quick: ModuleType, data: Path) -> None:
        shutil.copytree(data / "lesson_00", data / "lesson_01")
        assert list(quick.faults(data)) == [
            "fits: 2 exercises have this name; a name is for one exercise of the whole course"
        ]

    def test_a_number_that_stands_twice(self, quick: ModuleType, data: Path, folder: Path) -> None:
        shutil.copytree(folder, data / "lesson_00" / "fits_too")
        assert list(quick.faults(data)) == ["lesson 00: 2 exercises have the number 1; give each its own"]


class TestFaultsOfTexts:
    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            ("A character is not a byte. Make the text first", "''  # A", "hints[0]: "),
            ("task: >\n", f"task: >\n  {'long ' * 200}\n", "task: String should have at most 1000 char"),
        ],
    )
    def test_an_empty_hint_or_a_long_task(
        self, quick: ModuleType, data: Path, folder: Path, old: str, new: str, problem: str
    ) -> None:
        change(folder / "exercise.yaml", old, new)
        assert problem in next(quick.faults(data))

    def test_a_repeated_hint(self, quick: ModuleType, data: Path, folder: Path) -> None:
        path = folder / "exercise.yaml"
        head, rest = path.read_text(encoding="utf-8").split("hints:\n")
        why = rest[rest.index("why:") :]
        path.write_text(f"{head}hints: [First., Second., First.]\n{why}", encoding="utf-8")
        assert "hints repeats an entry; keep one" in next(quick.faults(data))

    def test_a_solution_that_is_too_long(self, quick: ModuleType, data: Path, folder: Path) -> None:
        more = "".join(f"    part_{number} = {number}\n" for number in range(8))
        change(folder / "solution.py", "    return", f"{more}    return")
        assert list(quick.faults(data)) == [
            "00/fits: the solution has 11 lines to write; at most 10 are allowed"
        ]

    def test_too_few_wrong_versions(self, quick: ModuleType, data: Path, folder: Path) -> None:
        for path in sorted(folder.glob("wrong_*.py"))[3:]:
            path.unlink()
        assert list(quick.faults(data)) == ["00/fits: 3 wrong versions; at least 4 are needed"]

    def test_a_wrong_version_without_a_message(self, quick: ModuleType, data: Path, folder: Path) -> None:
        path = folder / "wrong_strict.py"
        text = path.read_text(encoding="utf-8")
        path.write_text(text[text.index("import") :], encoding="utf-8")
        assert next(quick.faults(data)).startswith(f"{path} has no module docstring; ")

    @pytest.mark.parametrize(("message", "size"), [("", 0), ("long " * 100, 499)])
    def test_a_message_that_is_empty_or_long(
        self, quick: ModuleType, data: Path, folder: Path, message: str, size: int
    ) -> None:
        reword(folder / "wrong_strict.py", message)
        problem = f"00/fits: the message of strict has {size} characters, not 1 to 400"
        assert list(quick.faults(data)) == [problem]

    def test_a_message_that_is_said_twice(self, quick: ModuleType, data: Path, folder: Path) -> None:
        first = EXERCISES["fits"].wrong[0]
        reword(folder / "wrong_strict.py", first.message)
        assert list(quick.faults(data)) == [
            f"00/fits: strict has the message of {first.name}; give each its own"
        ]


class TestFaultsOfVersions:
    def test_a_scenario_that_there_is_not(self, tool: ModuleType, folder: Path) -> None:
        change(folder / "exercise.yaml", "tight", "thight")
        (problem,) = tool.faults_of_versions(read_exercise(folder))
        assert problem.endswith("thight.yaml; did you mean tight.yaml?")

    def test_a_file_that_defines_another_function(self, tool: ModuleType, folder: Path) -> None:
        change(folder / "wrong_strict.py", "def fits(", "def fit(")
        (problem,) = tool.faults_of_versions(read_exercise(folder))
        assert problem.endswith("wrong_strict.py defines no function fits; name it so")

    def test_different_parameters(self, tool: ModuleType, folder: Path) -> None:
        change(folder / "stub.py", "(messages, budget)", "(budget, messages)")
        assert list(tool.faults_of_versions(read_exercise(folder))) == [
            "00/fits: the versions take different parameters: (budget, messages), (messages, budget)"
        ]

    def test_a_function_that_works_in_place_without_messages(self, tool: ModuleType, folder: Path) -> None:
        change(folder / "exercise.yaml", "hints:", "in_place: true\nhints:")
        for path in folder.glob("*.py"):
            path.write_text(path.read_text(encoding="utf-8").replace("messages", "history"), encoding="utf-8")
        assert list(tool.faults_of_versions(read_exercise(folder))) == [
            "00/fits: it works in place, but takes no messages; name the parameter so"
        ]

    def test_a_stub_that_passes(self, tool: ModuleType, folder: Path) -> None:
        shutil.copy(folder / "solution.py", folder / "stub.py")
        assert next(tool.faults_of_versions(read_exercise(folder))) == (
            "00/fits: the stub should be not_written, and is passed"
        )

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("messages.clear()", "changes its input on the scenario normal"),
            ("return messages[0]", "returns a part of its input on the scenario normal"),
            ("raise KeyError(budget)", "ends with KeyError on the scenario normal"),
            ('raise NotImplementedError("not written yet")', "ends with NotImplementedError on the scenario"),
            ("exit()", "ends with SystemExit on the scenario normal"),
        ],
    )
    def test_a_solution_that_fails(self, tool: ModuleType, folder: Path, line: str, problem: str) -> None:
        change(folder / "solution.py", "    # 1. ", f"    {line}\n    # 1. ")
        found = list(tool.faults_of_versions(read_exercise(folder)))
        assert found[0].startswith(f"00/fits: the solution {problem}")

    def test_a_solution_that_leaves_the_history_with_a_stand_in(self, tool: ModuleType, data: Path) -> None:
        folder = data / "lesson_04" / "commit"
        shutil.copytree(FOLDER / "lesson_04" / "commit", folder)
        change(folder / "solution.py", "deepcopy(prepare(deepcopy(messages)))", "prepare(deepcopy(messages))")
        assert next(tool.faults_of_versions(read_exercise(folder))) == (
            "04/commit: the solution leaves a part of the history with a stand-in on the scenario trim"
        )

    def test_a_solution_that_changes_the_history_in_several_steps(self, tool: ModuleType, data: Path) -> None:
        folder = data / "lesson_04" / "commit"
        shutil.copytree(FOLDER / "lesson_04" / "commit", folder)
        change(folder / "solution.py", "messages[:] = ", "messages.clear()\n    messages[:] = ")
        assert next(tool.faults_of_versions(read_exercise(folder))) == (
            "04/commit: the solution changes the history in several steps on the scenario trim"
        )

    def test_a_case_of_a_scenario_that_there_is_not(self, tool: ModuleType, folder: Path) -> None:
        change(folder / "exercise.yaml", "hints:", "cases: [{scenario: thight}]\nhints:")
        (problem,) = tool.faults_of_versions(read_exercise(folder))
        assert problem.endswith("thight.yaml; did you mean tight.yaml?")

    def test_a_wrong_version_that_passes(self, tool: ModuleType, folder: Path) -> None:
        leave_one(folder, "strict")
        change(folder / "wrong_strict.py", "< budget", "<= budget")
        assert list(tool.faults_of_versions(read_exercise(folder))) == [
            "00/fits: strict passes; correct it, or add a scenario that it fails"
        ]

    def test_a_wrong_version_that_behaves_like_another(self, tool: ModuleType, folder: Path) -> None:
        text = (folder / "wrong_spaces.py").read_text(encoding="utf-8")
        leave_one(folder, "strict")
        (folder / "wrong_first.py").write_text(text, encoding="utf-8")
        (folder / "wrong_strict.py").write_text(text, encoding="utf-8")
        reword(folder / "wrong_first.py", "Said by the first.")
        assert list(tool.faults_of_versions(read_exercise(folder))) == [
            "00/fits: strict does not get its own message, but: Said by the first."
        ]


def leave_one(folder: Path, name: str) -> None:
    """Remove all wrong versions but one, so that the others take no time."""
    for path in folder.glob("wrong_*.py"):
        if path.stem != f"wrong_{name}":
            path.unlink()


class TestTheProgram:
    def run(self, root: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, root / "tools" / "exercises.py", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    def test_names_each_fault_and_ends_with_1(self, root: Path, data: Path, folder: Path) -> None:
        (data / "lesson_00" / "notes.txt").write_text("remember")
        (folder / "stub.py").unlink()
        run = self.run(root, data)

        assert run.returncode == 1
        assert run.stdout.splitlines() == [
            f"there is no file {folder / 'stub.py'}; add it",
            f"{data / 'lesson_00' / 'notes.txt'} is no part of the exercises; remove it",
            *(f"{path} is used by no exercise; remove it" for path in sorted((data / "scenarios").iterdir())),
        ]

    def test_is_content_with_a_sound_folder(self, root: Path, data: Path) -> None:
        run = self.run(root, data)
        assert (run.returncode, run.stdout) == (0, "the exercises are in order\n")
