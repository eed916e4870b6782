"""What `ctxlab.exercises` offers a learner, and that nothing heavy comes with it before it is used."""

import json
import subprocess
import sys

import pytest

import ctxlab.exercises

LOADED = """
import json, sys
import ctxlab.exercises
print(json.dumps(sorted(name.split(".")[0] for name in sys.modules)))
"""


@pytest.mark.parametrize("name", ctxlab.exercises.__all__)
def test_each_name_is_there_and_documented(name: str) -> None:
    found = getattr(ctxlab.exercises, name)
    assert callable(found)
    assert found.__doc__
    assert name in dir(ctxlab.exercises)


def test_no_module_stands_in_the_place_of_a_function() -> None:
    """Importing a module puts it into its package, over a function of the same name."""
    modules = {name.removeprefix("ctxlab.exercises.") for name in sys.modules}
    assert "progress_file" in modules
    assert not modules & set(ctxlab.exercises.__all__)


def test_another_name_is_an_attribute_error_that_lists_what_there_is() -> None:
    with pytest.raises(AttributeError, match=r"ctxlab.exercises has no 'chek'; it has check, explain, hint"):
        _ = ctxlab.exercises.chek  # type: ignore[attr-defined]


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    command = [sys.executable, "-c", LOADED]
    loaded = json.loads(
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    )
    assert "ctxlab" in loaded
    assert not {"anywidget", "hypothesis", "pydantic", "yaml"} & set(loaded)
