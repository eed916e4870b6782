"""What `import ctxlab` offers, and that it stays quick."""

import json
import subprocess
import sys

import pytest

import ctxlab
import ctxlab.reference

# Imported where they are used, because each of them takes longer than everything else together.
HEAVY = {
    "anywidget",
    "hypothesis",
    "ipywidgets",
    "jupyter_client",
    "matplotlib",
    "pydantic",
    "sqlalchemy",
    "tiktoken",
    "yaml",
}

IMPORT = """
import json, sys
before = set(sys.modules)
import ctxlab
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def python(code: str) -> str:
    """What a new process prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_import_brings_in_no_heavy_package() -> None:
    modules = json.loads(python(IMPORT))
    assert "ctxlab" in modules
    assert not {name.split(".")[0] for name in modules} & HEAVY


@pytest.mark.parametrize("name", ctxlab.__all__)
def test_each_public_name_is_there_and_documented(name: str) -> None:
    namespace: dict[str, object] = {}
    exec(f"from ctxlab import {name}", namespace)
    assert namespace[name] is getattr(ctxlab, name)
    assert namespace[name].__doc__
    assert name in dir(ctxlab)


def test_another_name_is_an_attribute_error_that_lists_what_there_is() -> None:
    with pytest.raises(AttributeError, match="ctxlab has no 'traces'; it has Compare, Diagnosis, Lab, "):
        _ = ctxlab.traces  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        exec("from ctxlab import traces")


def test_a_reference_function_brings_in_no_heavy_package() -> None:
    code = IMPORT.replace("import ctxlab", "from ctxlab.reference import split_history")
    modules = json.loads(python(code))
    assert "ctxlab.reference.history" in modules
    assert not {name.split(".")[0] for name in modules} & HEAVY


@pytest.mark.parametrize("name", ctxlab.reference.__all__)
def test_each_name_of_the_reference_is_there_and_documented(name: str) -> None:
    namespace: dict[str, object] = {}
    exec(f"from ctxlab.reference import {name}", namespace)
    assert namespace[name] is getattr(ctxlab.reference, name)
    assert namespace[name].__doc__
    assert name in dir(ctxlab.reference)


def test_another_name_of_the_reference_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"ctxlab\.reference has no 'split'; it has AgentState, Caps, "):
        _ = ctxlab.reference.split  # type: ignore[attr-defined]


def test_submodules_stay_reachable_by_their_names() -> None:
    code = "import ctxlab.reference; print(ctxlab.reference.split_history.__name__, ctxlab.trace.__name__)"
    assert python(code) == "split_history trace\n"
