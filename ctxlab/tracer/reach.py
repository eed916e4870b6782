"""Which functions are traced: the entry function, functions of its own module or notebook that it names, the
methods of classes from there, and all of that from the reference package, also where it is an argument of the
call. Everything else is opaque: its calls are recorded, its lines are not."""

import ast
import types
from collections.abc import Iterable, Iterator
from typing import Any

from ctxlab.errors import TraceError
from ctxlab.tracer.heap import KINDS, is_message
from ctxlab.tracer.instrument import Traced, assigned_names, attribute_name
from ctxlab.tracer.objects import fields_of, has_fields
from ctxlab.tracer.source import find_source

TRACED_PACKAGE = "ctxlab.reference"
# Writing snapshots and tables is the work of the disk, which like a model stands outside of what is studied.
OUTSIDE = frozenset({"ctxlab.reference.archive", "ctxlab.reference.store"})
# Nobody asks for these by name: Python calls them where an attribute of an object is set, and where a class
# or an object is called.
FOR_ATTRIBUTES = "__setattr__"
FOR_CALLS = ("__init__", "__call__")


class Scope:
    """What belongs to the module or notebook of an entry function, or to the reference package."""

    def __init__(self, entry: types.FunctionType) -> None:
        self._globals = entry.__globals__

    def has_function(self, function: types.FunctionType) -> bool:
        """Say whether a function belongs to it."""
        return function.__globals__ is self._globals or is_reference(function)

    def has_class(self, kind: type) -> bool:
        """Say whether a class belongs to it."""
        module = _module_of(kind)
        return module == self._globals.get("__name__") or _in_reference(module)

    def shows(self, kind: type) -> bool:
        """Say whether objects of a class are shown with their fields."""
        return self.has_class(kind) and has_fields(kind)


def reachable(entry: types.FunctionType, arguments: Iterable[Any] = ()) -> tuple[list[Traced], list[str]]:
    """Return the functions to trace, the entry first, and notes on those that cannot be traced.

    Of the `arguments` of the call, those that are functions of the reference package are traced too, and the
    methods of those that are objects, or hold some.
    """
    search = _Search(entry)
    search.arguments(arguments)
    search.run()
    return list(search.found.values()), [*search.notes, *search.untraced_calls()]


def is_reference(value: Any) -> bool:
    """Say whether a value is a function of the reference package that works on a history in memory."""
    # By its type, since isinstance may ask an object for its __class__.
    return type(value) is types.FunctionType and _in_reference(value.__module__ or "")


def _module_of(kind: type) -> str:
    module = vars(kind).get("__module__")
    return module if type(module) is str else ""


def _in_reference(module: str) -> bool:
    return f"{module}.".startswith(f"{TRACED_PACKAGE}.") and module not in OUTSIDE


class _Search:
    """Follows names, methods and properties from function to function."""

    def __init__(self, entry: types.FunctionType) -> None:
        self.entry = entry
        self.scope = Scope(entry)
        self.found = {entry: Traced(entry, find_source(entry), {})}
        self.todo = [entry]
        self.notes: list[str] = []
        self.skipped: set[types.FunctionType] = set()
        # Both are ordered, so that the functions are too.
        self.classes: dict[type, bool] = {}  # whether the class may be called, and its objects too
        self.attributes: dict[str, None] = {}  # all that a found function asks an object for

    def run(self) -> None:
        """Find everything that can be reached from what is found."""
        for function in self.todo:
            traced = self.found[function]
            self.follow_names(function, traced)
            for name in _attributes(traced):
                self.ask_for(name)

    def ask_for(self, name: str) -> None:
        """Find what the classes define under the name of an attribute."""
        if name not in self.attributes:
            self.attributes[name] = None
            for kind in self.classes:
                self.add_member(kind, name)

    def follow_names(self, function: types.FunctionType, traced: Traced) -> None:
        """Find the functions and classes that a function names."""
        own = assigned_names(traced.source)
        for name in _named(traced.source.node):
            value = None if name in own else _resolved(function, name)
            # What a function of the reference was given by someone else stays opaque, as any argument does.
            is_ours = function.__globals__ is self.entry.__globals__
            if type(value) is types.FunctionType:
                is_own = value.__globals__ is self.entry.__globals__ and is_ours
                if (is_own or is_reference(value)) and self.add(value, name):
                    traced.callees[name] = list(self.found).index(value)
            else:
                kind: Any = value if issubclass(type(value), type) else type(value)
                if is_ours or _in_reference(_module_of(kind)):
                    self.add_class(kind, is_called=True)

    def arguments(self, arguments: Iterable[Any]) -> None:
        """Find the functions of the reference among the arguments of the call, and the classes of objects."""
        arguments = list(arguments)
        for argument in arguments:
            if is_reference(argument):
                self.add(argument, argument.__name__)
        for kind, is_called in self.classes_in(arguments):
            self.add_class(kind, is_called)

    def classes_in(self, arguments: list[Any]) -> Iterator[tuple[type, bool]]:
        """Yield each class among the arguments and that of each object, or inside one; messages hold none.

        Objects that can be called are opaque then, as a function is that is an argument.
        """
        waiting = arguments[::-1]
        seen: set[int] = set()
        while waiting:
            value = waiting.pop()
            kind = type(value)
            if kind is types.MethodType and is_reference(value.__func__):
                self.ask_for(value.__func__.__name__)
                value, kind = value.__self__, type(value.__self__)
            if issubclass(kind, type):
                yield value, True
            elif kind in KINDS and id(value) not in seen and not is_message(value):
                seen.add(id(value))
                waiting.extend(dict.values(value) if issubclass(kind, dict) else value)
            elif id(value) not in seen and self.scope.shows(kind):
                seen.add(id(value))
                yield kind, _in_reference(_module_of(kind))
                waiting.extend(fields_of(value).values())

    def add_class(self, kind: type, is_called: bool) -> None:
        """Find the methods of a class, and of its bases, that are asked for or that Python calls itself."""
        for base in filter(self.scope.has_class, kind.__mro__):
            names: list[str] = []
            if base not in self.classes:
                names += [FOR_ATTRIBUTES, *self.attributes]
            if is_called and not self.classes.get(base) and has_fields(base):
                names += FOR_CALLS
            self.classes[base] = is_called or self.classes.get(base, False)
            for name in names:
                self.add_member(base, name)

    def add_member(self, kind: type, name: str) -> None:
        """Find what a class itself defines under a name, if it is a method or a property."""
        value: Any = vars(kind).get(name)
        functions = [value]
        if type(value) is property:
            functions = [value.fget, value.fset]
        elif type(value) in (staticmethod, classmethod):
            functions = [value.__func__]
        for function in functions:
            if self.is_written_here(function) and self.add(function, f"{kind.__name__}.{name}"):
                traced = self.found[function]
                (traced.properties if type(value) is property else traced.methods).add(name)

    def add(self, function: types.FunctionType, name: str) -> bool:
        """Say whether a function is traced; one met for the first time is found, or skipped with a note."""
        if function not in self.found and function not in self.skipped:
            try:
                if hasattr(function, "__wrapped__"):
                    raise TraceError(f"{name}: a decorated function is called as it is")
                self.found[function] = Traced(function, find_source(function), {})
                self.todo.append(function)
            except TraceError as error:
                self.skipped.add(function)
                self.notes.append(f"not traced: {error}")
        return function in self.found

    def is_written_here(self, function: Any) -> bool:
        """Say whether something in a class is a function that belongs here and stands in its source."""
        # What dataclass adds to a class has no source.
        is_function = type(function) is types.FunctionType and function.__code__.co_filename != "<string>"
        return is_function and self.scope.has_function(function)

    def untraced_calls(self) -> Iterator[str]:
        """Yield a note for each class with methods that Python calls where no call is written."""
        for kind in filter(has_fields, self.classes):
            names = [
                name
                for name, function in vars(kind).items()
                if name.startswith("__") and name.endswith("__") and name not in FOR_CALLS
                if self.is_written_here(function) and not hasattr(function, "__wrapped__")
                if function not in self.found and function not in self.skipped
            ]
            if names:
                yield f"not traced: {kind.__name__}: Python itself calls {', '.join(names)}"


def _attributes(traced: Traced) -> list[str]:
    """Return the names of the attributes that the body of a function asks for, in the order of their use."""
    nodes = _loaded(traced.source.node, ast.Attribute)
    return [attribute_name(node.attr, traced.source.code) for node in nodes]


def _named(function: ast.FunctionDef) -> list[str]:
    """Return the names that the body of a function reads, in the order of their first use."""
    return list(dict.fromkeys(node.id for node in _loaded(function, ast.Name)))


def _loaded(function: ast.FunctionDef, kind: type[Any]) -> list[Any]:
    """Return the names or attributes that the body of a function reads, in the order of the source."""
    nodes = [node for statement in function.body for node in ast.walk(statement) if isinstance(node, kind)]
    nodes.sort(key=lambda node: (node.end_lineno, node.end_col_offset))
    return [node for node in nodes if isinstance(node.ctx, ast.Load)]


def _resolved(function: types.FunctionType, name: str) -> Any:
    """Return what a name means to a function, or None."""
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if name in closure:
        try:
            return closure[name].cell_contents
        except ValueError:  # not bound yet
            return None
    return function.__globals__.get(name)
