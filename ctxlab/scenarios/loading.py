"""Load a scenario by its name or its path: a history, perhaps built on another, or a call of a system."""

import difflib
import os
from pathlib import Path
from typing import Any

from ctxlab.errors import ScenarioError
from ctxlab.messages.wording import type_words
from ctxlab.scenarios.fields import Change, Settings
from ctxlab.scenarios.files import ReadFile, checked_file, read_source
from ctxlab.scenarios.history import change_history, history_of, written_out
from ctxlab.scenarios.scenario import Scenario
from ctxlab.scenarios.stand_ins import SUMMARY
from ctxlab.scenarios.systems import NAMES, SystemScenario
from ctxlab.scenarios.systems.loading import is_system_file, system_scenario
from ctxlab.scenarios.yaml_source import shown

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"

TEACHING_ORDER = [
    "normal",
    "old",
    "pending",
    "mismatch",
    "multi",
    "error",
    "recent",
    "fit",
    "trim",
    "summary",
    "bad_summary",
    "archive_error",
    "exhausted",
    "recent_large",
    "source_code",
    "json_rows",
    "chinese_notes",
    "many_tools",
    "image",
    "text_first",
    "interrupted",
    "split_results",
]


def scenario_names(system: str | None = None) -> list[str]:
    """Return the names of ctxlab's histories in teaching order; others in the folder come last, by name.

    With the name of a system, such as "window", return those of its scenarios, by name. Raises ScenarioError
    for another name.
    """
    if system is not None:
        if system not in NAMES:
            raise ScenarioError(f"there is no system {shown(system)}; there are {', '.join(NAMES)}")
        return _stems(FOLDER / system)
    found = _stems(FOLDER)
    known = [name for name in TEACHING_ORDER if name in found]
    return known + [name for name in found if name not in known]


def load_scenario(name_or_path: str | os.PathLike[str]) -> Scenario | SystemScenario:
    """Return a scenario of ctxlab by its name, or one of your own by the path of its file.

    It is a history with its settings, or a call of one of the systems. A string that ends in .yaml or holds a
    separator is a path. Raises ScenarioError, which names the file, the field and what to do.
    """
    path = _path_of(name_or_path)
    source = read_source(path)
    if is_system_file(source):
        return system_scenario(path, source)
    return _built(checked_file(path, source))


def load_history(name_or_path: str | os.PathLike[str]) -> Scenario:
    """Return a scenario that is a history. Raises ScenarioError, also for one of a system."""
    return _built(_history_file(_path_of(name_or_path)))


def _history_file(path: Path) -> ReadFile:
    source = read_source(path)
    if is_system_file(source):
        found = shown(path.stem)
        raise ScenarioError(f"{found} is a call of a system, not a history; replay it, or trace its function")
    return checked_file(path, source)


def _built(file: ReadFile) -> Scenario:
    """Return the scenario of a file, made from that of its base where it has one."""
    chain = [file]
    seen = {chain[0].path.resolve()}
    while chain[-1].fields.base is not None:
        base = _read_base(chain[-1], chain[-1].fields.base)
        if base.path.resolve() in seen:
            loop = " -> ".join(file.path.name for file in [*chain, base])
            problem = f"leads back to itself: {loop}; one of these files needs messages"
            raise chain[-1].source.error(("base",), problem)
        seen.add(base.path.resolve())
        chain.append(base)

    scenario = _from_messages(chain.pop())
    while chain:
        scenario = _from_base(chain.pop(), scenario)
    return scenario


def _path_of(name_or_path: str | os.PathLike[str]) -> Path:
    if isinstance(name_or_path, os.PathLike):
        return Path(name_or_path)
    if not isinstance(name_or_path, str):
        raise ScenarioError(f"a scenario has a name or a path, not {type_words(name_or_path)}; give a string")
    if _is_path(name_or_path):
        return Path(name_or_path)
    for folder in (FOLDER, *(FOLDER / system for system in NAMES)):
        if name_or_path in _stems(folder):
            return folder / f"{name_or_path}.yaml"
    raise ScenarioError(f"there is no scenario {shown(name_or_path)}; {_suggestion(name_or_path)}")


def _read_base(file: ReadFile, base: str) -> ReadFile:
    """Read the base of `file`: one of ctxlab's scenarios by its name, else a file beside this one."""
    folder = file.path.parent
    try:
        if _is_path(base):
            return _history_file(folder / base)
        if base not in scenario_names() and base in _stems(folder):
            return _history_file(folder / f"{base}.yaml")
        return _history_file(_path_of(base))
    except ScenarioError as error:
        raise file.source.error(("base",), str(error)) from error


def _stems(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml"))


def _is_path(text: str) -> bool:
    return text.endswith(".yaml") or "/" in text or os.sep in text


def _suggestion(name: str) -> str:
    if name in _stems(Path()):
        return f"did you mean the file {name}.yaml?"
    if name.endswith(".yml"):
        return "a scenario file needs a name that ends in .yaml"
    names = scenario_names()
    known = [*names, *(name for system in NAMES for name in scenario_names(system))]
    nearest = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return f"did you mean {nearest[0]!r}?" if nearest else f"there are {', '.join(names)}"


def _from_messages(file: ReadFile) -> Scenario:
    fields = file.fields
    question = written_out(fields.question or "")
    scenario = Scenario(
        name=fields.name,
        promise=fields.promise,
        question=question,
        settings=fields.settings,
        must_survive=tuple(fields.must_survive or ()),
        expect=fields.expect,
        history=history_of(question, fields.messages or []),
        summary=SUMMARY,
        archive_fails=False,
        system=written_out(fields.system or ""),
        tool_definitions=tuple(fields.tool_definitions or ()),
    )
    return _with_true_facts(scenario, file)


def _from_base(file: ReadFile, base: Scenario) -> Scenario:
    fields = file.fields
    change = fields.change or Change()
    question = base.question if fields.question is None else written_out(fields.question)
    history = base.messages
    history[0] = {"role": "user", "content": question}
    change_history(history, change, file.source)
    scenario = Scenario(
        name=fields.name,
        promise=fields.promise,
        question=question,
        settings=_merged(base.settings, fields.settings, change),
        must_survive=base.must_survive if fields.must_survive is None else tuple(fields.must_survive),
        expect=fields.expect,
        history=history,
        summary=base.summary if change.summarize is None else written_out(change.summarize),
        archive_fails=base.archive_fails or change.archive == "fails",
        summarizer_fails=base.summarizer_fails or change.summarizer == "fails",
        receipt=base.receipt if change.receipt is None else change.receipt,
        summaries=base.summaries if change.summaries is None else change.summaries,
        archives=base.archives if change.archives is None else tuple(change.archives),
        system=base.system if fields.system is None else written_out(fields.system),
        tool_definitions=(
            base.tool_definitions if fields.tool_definitions is None else tuple(fields.tool_definitions)
        ),
    )
    return _with_true_facts(scenario, file)


def _merged(base: Settings, given: Settings, change: Change) -> Settings:
    update: dict[str, Any] = {name: getattr(given, name) for name in given.model_fields_set}
    if change.max_summaries is not None:
        update["max_summaries"] = change.max_summaries
    return base.model_copy(update=update)


def _with_true_facts(scenario: Scenario, file: ReadFile) -> Scenario:
    """Return the scenario, or refuse a fact that its own history does not say."""
    true = scenario.surviving(scenario.history)
    for number, fact in enumerate(scenario.must_survive):
        if fact not in true:
            problem = f"no text of the history holds {shown(fact.text)}; correct or remove the fact"
            raise file.source.error(("must_survive", number, "text"), problem)
    return scenario
