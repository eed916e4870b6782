"""The rebuilt methods of a program in the place of the originals, while a recording runs.

Classes and objects stay as they are: others may use them at the same time. It is at a call, or where a method
or property is asked for, that the rebuilt function gets the place of the original.
"""

import inspect
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from ctxlab.tracer.instrument import Traced
from ctxlab.tracer.objects import static
from ctxlab.tracer.reach import is_reference


def is_rebuilt(function: Any) -> bool:
    """Say whether a function reports what it does."""
    return type(function) is types.FunctionType and "@enter" in function.__code__.co_freevars


class Members:
    """The rebuilt methods by their originals. `caller` is always the number of the function that asks.

    A function of the reference gets those of the reference only: what others gave it stays opaque.
    """

    def __init__(self, functions: list[Traced], rebuilt: list[types.FunctionType]) -> None:
        pairs = [
            (traced.function, made)
            for traced, made in zip(functions, rebuilt, strict=True)
            if traced.methods or traced.properties
        ]
        every = {id(function): made for function, made in pairs}
        of_reference = {id(function): made for function, made in pairs if is_reference(function)}
        self._tables = [of_reference if is_reference(traced.function) else every for traced in functions]

    def method(self, caller: int, value: Any) -> Any:
        """Return the rebuilt form of a method or function, or None for anything else."""
        kind = type(value)
        if kind is types.MethodType:
            made = self._tables[caller].get(id(value.__func__))
            return made and types.MethodType(made, value.__self__)
        return self._tables[caller].get(id(value)) if kind is types.FunctionType else None

    def called(self, caller: int, value: Any) -> Any:
        """Return what to call in the place of a method, a function or a callable object, or None."""
        return self.method(caller, value) or self._bound(caller, value, static(type(value), "__call__"))

    def constructor(self, caller: int, value: Any) -> types.MethodType | None:
        """Return the `__init__` of a new object, to call in the place of its class, or None."""
        kind = type(value)
        if not issubclass(kind, type) or static(kind, "__call__") is not vars(type)["__call__"]:
            return None
        init = self._tables[caller].get(id(static(value, "__init__")))
        is_plain = static(value, "__new__") is vars(object)["__new__"] and not inspect.isabstract(value)
        return types.MethodType(init, object.__new__(value)) if init and is_plain else None

    def getter(self, caller: int, name: str, value: Any) -> Callable[[], Any]:
        """Return what gives the attribute `name` of an object when it is called."""
        found = static(type(value), name)
        made = self._bound(caller, value, found.fget) if type(found) is property else None
        return made or partial(getattr, value, name)

    def settable(self, caller: int, name: str, value: Any) -> Any:
        """Return an object, or what stands for it where setting its attribute `name` is traced."""
        made = self._bound(caller, value, static(type(value), "__setattr__"))
        if made:
            return _Settable(value, partial(made, name))
        found = static(type(value), name)
        made = self._bound(caller, value, found.fset) if type(found) is property else None
        return _Settable(value, made) if made else value

    def _bound(self, caller: int, value: Any, function: Any) -> Any:
        made = self._tables[caller].get(id(function))
        return made and types.MethodType(made, value)


class _Settable:
    """Stands for an object while an attribute of it is set: `set_value(value)` does that.

    In a traceback from there, it adds a line of its own.
    """

    __slots__ = ("_set_value", "_value")

    def __init__(self, value: Any, set_value: Callable[[Any], Any]) -> None:
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_set_value", set_value)

    def __getattribute__(self, name: str) -> Any:  # of `value.name += 1`
        return getattr(object.__getattribute__(self, "_value"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__getattribute__(self, "_set_value")(value)

    def __delattr__(self, name: str) -> None:
        delattr(object.__getattribute__(self, "_value"), name)
