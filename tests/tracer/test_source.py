"""Where the text of a function comes from: files, scripts, cells; or a clear word where there is none."""

import functools
import os
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from ctxlab.errors import TraceError
from ctxlab.reference.history import prepare_context
from ctxlab.tracer.run import trace
from ctxlab.tracer.source import Comments, find_source


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A real IPython shell, as in a notebook's kernel."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    quiet = Config()
    quiet.HistoryManager.enabled = False
    made = InteractiveShell.instance(config=quiet)
    yield made
    InteractiveShell.clear_instance()


def run_cell(shell, text):
    """Run a cell in a thread of its own: in this one, an event loop may be running for the browser tests."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(shell.run_cell, text, store_history=True).result().raise_error()


# Comments


def test_comments_are_read_by_line():
    comments = Comments(
        "def f(x):\n"
        "    # 1. First.\n"
        "    # Is it so?\n"
        "    if x:  # behind\n"
        "        return 1  # because\n"
        "    # noqa: E501\n"
        "    # type: ignore\n"
        "    y = '# no comment'\n"
        "    return y\n"
    )
    assert comments.above(4) == ["1. First.", "Is it so?"]
    assert comments.label(4) == "1. First."
    assert comments.sentence(4) == "Is it so?"
    assert comments.trailing[5] == "because"
    assert comments.sentence(8) == ""
    assert 8 not in comments.own


def test_a_line_ends_only_where_python_ends_it(module_of):
    module = module_of("TEXT = 'a\\x0cb'\n# form feed: \x0c and \u2028\n\ndef f(x):\n    return x + 1\n")
    assert find_source(module.f).text == "def f(x):\n    return x + 1"
    assert find_source(module.f).first_line == 4


# Files


def test_a_file_is_named_relative_to_its_package():
    source = find_source(prepare_context)
    assert source.file == "ctxlab/reference/history.py"
    assert source.text.startswith("def prepare_context(")


def test_a_file_that_changed_after_its_import_is_refused(module_of, tmp_path):
    module = module_of("def g(x):\n    if x > 1:\n        return 'old'\n    return 0\n")
    assert trace(module.g, 2).outcome.value == "old"
    path = tmp_path / "made.py"
    path.write_text(path.read_text().replace("> 1", "> 5"))
    with pytest.raises(TraceError, match="its source has changed since it was loaded"):
        trace(module.g, 2)
    path.write_text("# one line more\n\ndef g(x):\n    if x > 1:\n        return 'old'\n    return 0\n")
    with pytest.raises(TraceError, match="its source has changed"):
        trace(module.g, 2)
    path.write_text("def g(x:\n")
    with pytest.raises(TraceError, match=r"made\.py has changed and is no longer Python"):
        trace(module.g, 2)
    path.unlink()
    with pytest.raises(TraceError, match="there is no source text"):
        trace(module.g, 2)


def test_a_change_of_other_functions_is_no_change(module_of, tmp_path):
    module = module_of("def g(x):\n    return x\n\ndef h():\n    return 1\n")
    path = tmp_path / "made.py"
    path.write_text(path.read_text().replace("return 1", "return 2"))
    assert trace(module.g, 2).outcome.value == 2


def test_a_file_in_another_encoding(tmp_path):
    path = tmp_path / "latin.py"
    path.write_bytes(
        "# -*- coding: latin-1 -*-\ndef g(x):\n    # Ist es größer?\n    return 'ü' if x else ''\n".encode(
            "latin-1"
        )
    )
    g = runpy.run_path(str(path))["g"]
    assert trace(g, 1).outcome.value == "ü"


def test_a_function_of_a_script(tmp_path, monkeypatch):
    path = tmp_path / "script.py"
    path.write_text(
        "from ctxlab.tracer.run import trace\n"
        "def helper(x):\n    return x + 1\n"
        "def mine(x):\n    return helper(x) if x else 0\n"
        "if __name__ == '__main__':\n    TRACE = trace(mine, 1)\n"
    )
    made = runpy.run_path(str(path), run_name="__main__")["TRACE"]
    assert [(source["name"], source["file"]) for source in made.data["sources"]] == [
        ("mine", "script.py"),
        ("helper", "script.py"),
    ]


def test_no_absolute_path_is_told(module_of, tmp_path):
    module = module_of("def g(x):\n    return x\n")
    assert os.fspath(tmp_path) not in trace(module.g, 2).dumps()


def test_annotations_of_the_future_and_docstrings(module_of, same):
    module = module_of(
        "from __future__ import annotations\n"
        "def g(x: NotDefined, *, y: Unknown = 2) -> Missing:\n"
        '    """A docstring."""\n'
        "    z: AlsoMissing = x\n"
        "    return z * y\n"
    )
    assert same(module.g, 2).outcome.value == 4


if sys.version_info >= (3, 12):

    def test_type_parameters(module_of, same):
        module = module_of(
            "def g[T](x: T) -> list[T]:\n    type Pair = tuple[T, T]\n    return [x, T.__name__]\n"
        )
        assert same(module.g, 2, state=False).outcome.value == [2, "T"]


# No source


def plain_generator(x):
    yield x


async def plain_coroutine(x):
    return x


async def async_generator(x):
    yield x


class Callable:
    def __call__(self, x):
        return x


NOT_TRACED = [
    (lambda x: x, "a lambda cannot be traced; give it a name with def"),
    (len, "builtin_function_or_method len: only a function written in Python"),
    ([].append, "only a function written in Python"),
    (functools.partial(prepare_context, []), "partial: only a function written in Python"),
    (Callable, "type Callable: only a function written in Python"),
    (Callable(), "Callable: only a function written in Python"),
    (5, "int: only a function written in Python"),
    (None, "NoneType: only a function written in Python"),
    (plain_generator, "plain_generator: a generator runs only as it is read"),
    (plain_coroutine, "plain_coroutine: an async function cannot be traced"),
    (async_generator, "async_generator: an async function cannot be traced"),
]


@pytest.mark.parametrize(("function", "told"), NOT_TRACED, ids=[told[:30] for _, told in NOT_TRACED])
def test_what_has_no_traceable_source(function, told):
    with pytest.raises(TraceError, match=told):
        trace(function, 1)


def test_code_from_a_string_has_no_source():
    names = {}
    exec("def made(x):\n    return x\n", names)
    with pytest.raises(
        TraceError, match="made: there is no source text; define it with def in a file or a notebook cell"
    ):
        trace(names["made"], 1)


def inner(x):
    return x


def traces(x):
    return trace(inner, x)


def test_a_function_that_is_being_traced_is_not_called_changed():
    outcome = trace(traces, 1).outcome
    assert (outcome.type, outcome.message) == (
        "TraceError",
        "inner: it is being traced already; call trace from code that is not traced itself",
    )


# Notebook cells


def test_a_function_of_a_cell_uses_names_of_other_cells(shell):
    run_cell(shell, "LIMIT = 2\n\ndef helper(items):\n    return items[:LIMIT]")
    run_cell(
        shell,
        "def mine(items):\n"
        "    # Too many?\n"
        "    if len(items) > LIMIT:\n"
        "        return helper(items)\n"
        "    return items",
    )
    recorded = trace(shell.user_ns["mine"], [1, 2, 3])
    assert recorded.outcome.value == [1, 2]
    assert [(source["name"], source["file"]) for source in recorded.data["sources"]] == [
        ("mine", "<cell>"),
        ("helper", "<cell>"),
    ]
    assert recorded.decisions[0].comment == "Too many?"


def test_a_cell_that_is_run_again_brings_its_new_text(shell):
    run_cell(shell, "def mine(x):\n    # Old?\n    return 1 if x else 0")
    old = shell.user_ns["mine"]
    assert trace(old, 1).outcome.value == 1
    run_cell(shell, "def mine(x):\n    # New?\n    if x:\n        return 2\n    return 0")
    recorded = trace(shell.user_ns["mine"], 1)
    assert (recorded.outcome.value, recorded.decisions[0].comment) == (2, "New?")
    assert trace(old, 1).outcome.value == 1
    # Only the comment is another one.
    run_cell(shell, "def mine(x):\n    # Newer?\n    if x:\n        return 2\n    return 0")
    assert trace(shell.user_ns["mine"], 1).decisions[0].comment == "Newer?"


def test_a_cell_that_imports_what_its_function_calls(shell):
    run_cell(
        shell, "import json\nimport os.path as p\n\ndef size(x):\n    return len(json.dumps(x)) + len(p.sep)"
    )
    assert trace(shell.user_ns["size"], [1]).outcome.value == 4
    run_cell(shell, "if True:\n    import json\n    def inner(x):\n        return json.dumps(x)")
    assert trace(shell.user_ns["inner"], 1).outcome.value == "1"


def test_cells_with_magics_and_awaits(shell):
    run_cell(shell, "%pprint off\nbefore = 1\ndef mine(x):\n    if x:\n        return before\n    return 0")
    assert trace(shell.user_ns["mine"], 1).outcome.value == 1
    run_cell(shell, "import asyncio\nawait asyncio.sleep(0)\ndef waits(x):\n    return 3 if x else 0")
    assert trace(shell.user_ns["waits"], 1).outcome.value == 3
    run_cell(shell, "%%capture\ndef captured(x):\n    return 4 if x else 0")
    assert trace(shell.user_ns["captured"], 1).outcome.value == 4
    run_cell(shell, "%%time\ndef timed(x):\n    return 5 if x else 0")
    with pytest.raises(TraceError, match="timed: there is no source text"):
        trace(shell.user_ns["timed"], 1)


def test_the_same_name_in_a_notebook_and_in_the_reference(shell):
    run_cell(
        shell,
        "from ctxlab.reference import history_bytes, trim_results as reference_trim\n"
        "def trim_results(messages, receipt):\n"
        "    if history_bytes(messages) > 10:\n"
        "        return reference_trim(messages, receipt)\n"
        "    return messages",
    )
    recorded = trace(shell.user_ns["trim_results"], scenario="normal")
    assert recorded.outcome.kind == "returned"
    named = [
        (source["name"], source["file"])
        for source in recorded.data["sources"]
        if source["name"] == "trim_results"
    ]
    assert named == [("trim_results", "<cell>"), ("trim_results", "ctxlab/reference/history.py")]
    depths = [
        step.depth for step in recorded.steps if step.event == "call" and step.function == "trim_results"
    ]
    assert depths == [0, 1]
