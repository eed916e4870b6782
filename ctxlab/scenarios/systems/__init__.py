"""The systems that have scenarios of their own, each in its module here and its folder in `scenarios`."""

from functools import cache
from importlib import import_module

from ctxlab.scenarios.systems.system import System, SystemScenario

# In teaching order. A module is imported when its system is first asked for: some need a database.
NAMES = ("window", "packing", "shrinking", "folding", "policy", "state", "planning", "checkpoint")


@cache
def system(name: str) -> System:
    """Return the system of that name."""
    found: System = import_module(f"{__name__}.{name}").SYSTEM
    return found


__all__ = ["NAMES", "System", "SystemScenario", "system"]
