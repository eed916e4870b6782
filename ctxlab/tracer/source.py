"""Where a function's text comes from, whether it is still what is loaded, and what its comments say."""

import __future__

import ast
import inspect
import io
import linecache
import re
import textwrap
import tokenize
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ctxlab.errors import TraceError

LABEL = re.compile(r"\d+\. ")
# What is said to other programs says nothing to a reader.
PRAGMA = re.compile(r"(noqa|type:|fmt:|pragma:|pylint:|mypy:|ruff:|isort:|nosec)")
FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Source:
    """The text of one function, in the file or cell that holds it. A method's name is `Class.method`."""

    name: str
    file: str
    file_text: str
    node: ast.FunctionDef
    code: types.CodeType

    @property
    def first_line(self) -> int:
        """The line of the function's first decorator, or of its `def`."""
        return min([self.node.lineno, *(decorator.lineno for decorator in self.node.decorator_list)])

    @property
    def text(self) -> str:
        """The lines of the function, its decorators included, without common indentation."""
        # Not splitlines, which also ends a line where Python goes on, as at a form feed.
        lines = self.file_text.split("\n")[self.first_line - 1 : self.node.end_lineno]
        return textwrap.dedent("\n".join(lines))

    @property
    def comments(self) -> "Comments":
        """The comments of the whole file."""
        return _comments(self.file_text)


class Comments:
    """The comments of a file, by line: those on a line of their own, and those behind code."""

    def __init__(self, text: str) -> None:
        self.own: dict[int, str] = {}
        self.trailing: dict[int, str] = {}
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                alone = not token.line[: token.start[1]].strip()
                words = token.string.lstrip("#").strip()
                if PRAGMA.match(words):
                    words = ""
                (self.own if alone else self.trailing)[token.start[0]] = words

    def above(self, line: int) -> list[str]:
        """Return the comment lines directly above `line`, from the top."""
        found = []
        while (line := line - 1) in self.own:
            found.append(self.own[line])
        return [words for words in found[::-1] if words]

    def label(self, line: int) -> str:
        """Return the comment above `line` that numbers a step, such as "2. Archive a copy.", or ""."""
        return next((text for text in self.above(line) if LABEL.match(text)), "")

    def sentence(self, line: int) -> str:
        """Return the comment above `line` without numbered labels, or ""."""
        return " ".join(text for text in self.above(line) if not LABEL.match(text))

    def consequence(self, statements: list[ast.stmt], branch: int) -> str:
        """Return the comment on the first line of an arm: above its first statement, or behind it; or "".

        Above another branch stands that branch's own question, so there only a numbered label counts. An arm
        on the line of its own `branch` has that branch's question above it.
        """
        if not statements:
            return ""
        line = statements[0].lineno
        if line == branch:
            return self.trailing.get(line, "")
        if isinstance(statements[0], (ast.If, ast.While)):
            return self.label(line)
        return " ".join(self.above(line)) or self.trailing.get(line, "")


def following(branch: ast.stmt, block: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of `block` after `branch`."""
    return block[block.index(branch) + 1 :]


def leaves(statements: list[ast.stmt]) -> bool:
    """Say whether an arm ends by leaving, so that the code below it is the other arm."""
    return bool(statements) and isinstance(statements[-1], LEAVES)


def find_source(function: types.FunctionType) -> Source:
    """Return the source of `function`. Raises TraceError when it is missing, stale or of another kind."""
    name = function.__qualname__
    if function.__code__.co_name == "<lambda>":
        raise TraceError(f"{name}: a lambda cannot be traced; give it a name with def")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise TraceError(
            f"{name}: an async function cannot be traced; trace the plain function that it awaits"
        )
    if "@enter" in function.__code__.co_freevars:
        raise TraceError(
            f"{name}: it is being traced already; call trace from code that is not traced itself"
        )
    file = function.__code__.co_filename
    text = _file_text(file)
    if text is None:
        raise TraceError(f"{name}: there is no source text; define it with def in a file or a notebook cell")
    try:
        functions, codes = _parsed(text, file, function.__code__.co_flags & FUTURE_FLAGS)
    except SyntaxError as error:
        raise TraceError(
            f"{name}: its file {_shown(file)} has changed and is no longer Python: {error}"
        ) from error
    if function.__code__ not in codes:
        raise TraceError(
            f"{name}: its source has changed since it was loaded; run its cell, or import its module, again"
        )
    first_line = function.__code__.co_firstlineno
    for node in functions:
        lines = (node.lineno, *(decorator.lineno for decorator in node.decorator_list))
        if node.name == function.__code__.co_name and first_line in lines:
            # A method is told from others of its name by its class.
            name = function.__code__.co_qualname.split("<locals>.")[-1]
            return Source(name, public_file(function), text, node, function.__code__)
    raise TraceError(f"{name}: no def of that name stands at line {first_line} of {_shown(file)}")


@lru_cache(maxsize=64)
def _parsed(text: str, file: str, flags: int) -> tuple[list[ast.FunctionDef], frozenset[types.CodeType]]:
    """Return the functions of a source text, as trees and as code."""
    tree = ast.parse(text, file)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as in a notebook cell; it changes nothing else
    units = [tree]
    if _is_cell(file):
        # A notebook compiles each statement of a cell by itself. Python then writes other code for a call
        # such as `json.dumps(...)`, since it does not see that `json` is an imported module.
        units += [ast.Module([statement], []) for statement in tree.body]
    codes = (compile(unit, file, "exec", flags, dont_inherit=True) for unit in units)
    return functions, frozenset(nested for code in codes for nested in nested_codes(code))


@lru_cache(maxsize=64)
def _comments(text: str) -> "Comments":
    return Comments(text)


def public_file(function: types.FunctionType) -> str:
    """Return the file of a function as it is shown: relative to its package, or `<cell>`; never absolute."""
    file = function.__code__.co_filename
    if _is_cell(file):
        return "<cell>"
    stem = (function.__module__ or "").replace(".", "/")
    last = re.split(r"[/\\]", file)[-1]
    if last == "__init__.py":
        return f"{stem}/{last}"
    return f"{stem}.py" if last == f"{stem.split('/')[-1]}.py" else last


def _is_cell(file: str) -> bool:
    return file.startswith("<") or re.search(r"ipykernel_\d+", file) is not None


def _shown(file: str) -> str:
    return "<cell>" if _is_cell(file) else re.split(r"[/\\]", file)[-1]


def _file_text(file: str) -> str | None:
    """Return the text of a source file as it is now; a notebook cell's text is kept by `linecache`."""
    if _is_cell(file):
        return "".join(linecache.getlines(file)) or None
    try:
        with tokenize.open(file) as stream:
            return stream.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None


def nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of every function inside `code`, an outer one before those inside it."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from nested_codes(constant)
