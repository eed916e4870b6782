import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ctxlab.errors import CtxlabError, Refusal
from ctxlab.exercises.exercise import FOLDER, exercise, exercise_names, read_exercise
from ctxlab.scenarios import load_scenario
from ctxlab.tracer.run import trace

ORDER = """
    fits drop_oldest_exchange
    safe_cut my_split
    trimmable my_trim
    spend_summary my_prepare
    commit one_round
    message_tokens room_left
    orphans results_first
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of one exercise, to break."""
    return Path(shutil.copytree(FOLDER / "lesson_01" / "safe_cut", tmp_path / "lesson_01" / "safe_cut"))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def refusal(folder: Path) -> str:
    """The text of the error that reading the exercise ends with: always one line."""
    with pytest.raises(CtxlabError) as caught:
        read_exercise(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestNames:
    def test_come_in_teaching_order(self) -> None:
        assert exercise_names() == ORDER.split()

    def test_of_one_lesson(self) -> None:
        assert exercise_names("02") == ["trimmable", "my_trim"]
        assert exercise_names("99") == []

    @pytest.mark.parametrize(
        ("typo", "nearest"), [("safecut", "safe_cut"), ("MY_TRIM", "my_trim"), ("fit", "fits")]
    )
    def test_a_typo_gets_the_nearest(self, typo: str, nearest: str) -> None:
        with pytest.raises(
            CtxlabError, match=f"^there is no exercise '{typo}'; did you mean '{nearest}'[?]$"
        ):
            exercise(typo)

    def test_a_name_like_no_other_gets_them_all(self) -> None:
        with pytest.raises(CtxlabError, match=f"there are {', '.join(ORDER.split())}$"):
            exercise("zzz")

    @pytest.mark.parametrize(
        ("value", "kind"), [(None, "None"), (7, "an int"), (["fits"], "a list"), (b"fits", "a bytes")]
    )
    def test_what_is_no_text_is_refused(self, value: object, kind: str) -> None:
        with pytest.raises(CtxlabError, match=f"a name, not {kind}; give a string"):
            exercise(value)  # type: ignore[arg-type]


class TestExercise:
    def test_holds_what_its_files_say(self) -> None:
        found = exercise("safe_cut")

        assert (found.name, found.function, found.lesson, found.number) == ("safe_cut", "safe_cut", "01", 1)
        assert found.title == "Where may it be cut?"
        assert found.task.startswith("Return the place at which the recent part of a history begins")
        assert len(found.hints) == 3
        assert found.stub.endswith('raise NotImplementedError("not written yet")\n')
        assert found.solution.endswith("return 1 + 2 * older\n")
        assert [wrong.name for wrong in found.wrong] == [
            "counts_messages",
            "counts_older",
            "forgets_question",
            "from_the_front",
            "half",
            "negative",
            "no_refusal",
            "other_code",
            "question_too",
            "returns_refusal",
        ]

    def test_a_message_is_the_docstring_as_one_paragraph(self) -> None:
        (half,) = [wrong for wrong in exercise("safe_cut").wrong if wrong.name == "half"]

        assert half.message.startswith(
            "Your version cuts in the middle, wherever that is. In the scenario normal"
        )
        assert "\n" not in half.message
        assert half.text.startswith('"""Your version cuts in the middle')

    def test_its_scenarios_can_be_loaded(self) -> None:
        names = [load_scenario(name).name for name in exercise("safe_cut").scenarios]

        assert names == ["normal", "trim", "multi", "fit", "keep_more", "pending"]

    def test_a_case_is_a_scenario_with_another_stand_in(self) -> None:
        found = exercise("one_round")

        assert found.in_place
        assert (found.cases[0].scenario, found.cases[0].prepare, found.cases[0].answer) == (
            "fit",
            None,
            ["text"],
        )
        assert not exercise("safe_cut").in_place
        assert exercise("safe_cut").cases == ()

    def test_a_case_may_name_a_scenario_that_only_exercises_need(self, folder: Path) -> None:
        cases = "cases: [{scenario: keep_more, prepare: returns None}]\n"
        change(folder / "exercise.yaml", "hints:\n", f"{cases}hints:\n")
        path = folder.parents[1] / "scenarios" / "keep_more.yaml"

        assert [case.scenario for case in read_exercise(folder).cases] == [str(path)]

    def test_the_commonest_mistake_comes_first_and_the_others_keep_their_order(self) -> None:
        commit = exercise("commit")
        others = [wrong for wrong in commit.wrong if wrong.name != "clears_first"]

        assert commit.commonest_first()[0].name == "clears_first"
        assert commit.commonest_first()[1:] == others
        assert exercise("safe_cut").commonest_first() == list(exercise("safe_cut").wrong)

    def test_one_that_there_is_not_is_refused(self, folder: Path) -> None:
        change(folder / "exercise.yaml", "hints:\n", "common: nothing\nhints:\n")

        with pytest.raises(
            CtxlabError, match=r"exercise\.yaml: there is no wrong_nothing\.py; correct common$"
        ):
            read_exercise(folder)

    def test_folded_texts_are_one_paragraph(self) -> None:
        found = exercise("my_prepare")

        for text in (found.task, found.why, *found.hints):
            assert text == " ".join(text.split())


class TestVersions:
    def test_are_real_functions_of_their_files(self) -> None:
        found = exercise("safe_cut")
        run = trace(found.callable("solution"), scenario="pending")

        assert run.outcome.code == "pending"
        assert run.decisions[-1].sentence.startswith("Is the last call still waiting for its results? 0 == 0")
        assert run.data["sources"][0]["file"] == "safe_cut/solution.py"

    def test_the_stub_is_not_written(self) -> None:
        with pytest.raises(NotImplementedError, match=r"^not written yet$"):
            exercise("safe_cut").callable("stub")([], 1)

    def test_a_wrong_version_goes_by_its_name(self) -> None:
        assert exercise("safe_cut").callable("half")([1, 2, 3, 4, 5], 1) == 2

    def test_each_is_made_afresh(self, folder: Path) -> None:
        (folder / "solution.py").write_text(
            "calls = []\n\ndef safe_cut(messages, keep_recent):\n    calls.append(1)\n    return len(calls)\n"
        )
        found = read_exercise(folder)

        assert [found.callable("solution")([], 1), found.callable("solution")([], 1)] == [1, 1]

    def test_another_name_is_refused(self) -> None:
        with pytest.raises(
            CtxlabError, match="safe_cut has no version 'best'; it has stub, solution, counts_m"
        ):
            exercise("safe_cut").callable("best")

    def test_a_file_without_the_function_is_refused(self, folder: Path) -> None:
        change(folder / "stub.py", "def safe_cut(", "def cut(")

        with pytest.raises(CtxlabError, match=r"stub\.py defines no function safe_cut; name it so$"):
            read_exercise(folder).callable("stub")

    def test_leave_no_files_behind(self, folder: Path) -> None:
        before = sorted(folder.rglob("*"))
        read_exercise(folder).callable("solution")([1], 1)

        assert sorted(folder.rglob("*")) == before


class TestFaults:
    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            ("number: 1", "number: 0", "number: should be greater than or equal to 1"),
            ("number: 1", "", "number: is missing; add it"),
            ("title: Where may it be cut?", "title: ''", "title: "),
            ("title: Where", "titel: Where", "titel: is no field here; did you mean title?"),
            ("scenarios: [normal, ", "scenarios: [fit, ", "scenarios repeats an entry; keep one"),
            ("task: >", "task: >\n  " + "long " * 200, "task: String should have at most 1000 characters"),
            (
                "  - >\n    Count in",
                "  - ' '\n  - >\n    Count in",
                "hints: List should have at most 3 items",
            ),
            ("Count in", "long " * 60 + "Count in", "hints[0]: String should have at most 300 characters"),
        ],
    )
    def test_of_a_text_are_named_with_their_place(
        self, folder: Path, old: str, new: str, problem: str
    ) -> None:
        change(folder / "exercise.yaml", old, new)
        text = refusal(folder)

        assert text.startswith(f"{folder / 'exercise.yaml'}, line ")
        assert problem in text

    @pytest.mark.parametrize(
        ("cases", "problem"),
        [
            ("[{prepare: returns None}]", "cases[0].scenario: is missing; add it"),
            (
                "[{scenario: fit, prepare: return None}]",
                "cases[0].prepare: is no stand-in; did you mean 'returns None'?",
            ),
            ("[{scenario: fit, prepare: xyz}]", "cases[0].prepare: is no stand-in; one of 'returns a new q"),
            (
                "[{scenario: fit, answer: [text, fail]}]",
                "cases[0].answer[1]: should be 'text', 'works', 'fails', 'breaks', 'unknown' or",
            ),
            ("[{scenario: fit, answer: []}]", "cases[0].answer: should not be empty"),
            ("[{scenario: fit}, {scenario: fit}]", "cases repeats an entry; keep one"),
        ],
    )
    def test_of_a_case_are_named_too(self, folder: Path, cases: str, problem: str) -> None:
        change(folder / "exercise.yaml", "hints:\n", f"cases: {cases}\nhints:\n")
        assert problem in refusal(folder)

    @pytest.mark.parametrize("hint", ["''", "'  '"])
    def test_an_empty_hint(self, folder: Path, hint: str) -> None:
        with_hints(folder, [hint, "Second.", "Third."])
        assert "hints[0]: " in refusal(folder)

    def test_a_repeated_hint(self, folder: Path) -> None:
        with_hints(folder, ["First.", "Second.", "First."])
        assert "hints repeats an entry; keep one" in refusal(folder)

    def test_too_few_hints(self, folder: Path) -> None:
        with_hints(folder, ["First.", "Second."])
        assert "hints: " in refusal(folder)

    @pytest.mark.parametrize("name", ["exercise.yaml", "stub.py", "solution.py"])
    def test_a_missing_file(self, folder: Path, name: str) -> None:
        (folder / name).unlink()
        assert refusal(folder) == f"there is no file {folder / name}; add it"

    def test_a_file_that_is_not_python(self, folder: Path) -> None:
        change(folder / "wrong_half.py", "def safe_cut(", "def safe_cut")
        assert refusal(folder).startswith(f"{folder / 'wrong_half.py'} is not Python: ")

    def test_a_wrong_version_without_a_message(self, folder: Path) -> None:
        (folder / "wrong_half.py").write_text("def safe_cut(messages, keep_recent):\n    return 2\n")
        assert refusal(folder) == (
            f"{folder / 'wrong_half.py'} has no module docstring; write there what a learner should be told"
        )


def with_hints(folder: Path, hints: list[str]) -> None:
    head, rest = (folder / "exercise.yaml").read_text(encoding="utf-8").split("hints:\n")
    why = rest[rest.index("why:") :]
    lines = "".join(f"  - {hint}\n" for hint in hints)
    (folder / "exercise.yaml").write_text(f"{head}hints:\n{lines}{why}", encoding="utf-8")


def test_a_refusal_is_within_reach_of_a_learner() -> None:
    with pytest.raises(Refusal, match="no results yet"):
        exercise("safe_cut").callable("solution")([1, 2], 1)


def test_the_data_is_part_of_the_wheel(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(command, cwd=root, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("ctxlab/exercises/data/")}
    files = [path for path in FOLDER.rglob("*") if path.is_file()]

    assert packed == {str(path.relative_to(root)) for path in files}
    assert len(packed) > 80
