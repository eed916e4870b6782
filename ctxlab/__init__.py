"""Learn how the history of a tool-calling agent is made smaller without being broken.

Everything public is reached from here and loaded when it is first used, so that `import ctxlab` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.errors import Refusal as Refusal
    from ctxlab.exercises.checking import check as check
    from ctxlab.messages.diagnosis.examining import diagnose as diagnose
    from ctxlab.messages.repairing import repair as repair
    from ctxlab.player.compare import Compare as Compare
    from ctxlab.player.diagnosis import Diagnosis as Diagnosis
    from ctxlab.player.lab import Lab as Lab
    from ctxlab.player.losses import losses as losses
    from ctxlab.player.strategies import Strategies as Strategies
    from ctxlab.player.widget import Player as Player
    from ctxlab.scenarios import load_scenario as load_scenario
    from ctxlab.scenarios import scenario_names as scenario_names
    from ctxlab.tracer.run import trace as trace
    from ctxlab.tracer.traces import Trace as Trace

HOMES = {
    "Compare": "ctxlab.player.compare",
    "Diagnosis": "ctxlab.player.diagnosis",
    "Lab": "ctxlab.player.lab",
    "Player": "ctxlab.player.widget",
    "Refusal": "ctxlab.errors",
    "Strategies": "ctxlab.player.strategies",
    "Trace": "ctxlab.tracer.traces",
    "check": "ctxlab.exercises.checking",
    "diagnose": "ctxlab.messages.diagnosis.examining",
    "load_scenario": "ctxlab.scenarios",
    "losses": "ctxlab.player.losses",
    "repair": "ctxlab.messages.repairing",
    "scenario_names": "ctxlab.scenarios",
    "trace": "ctxlab.tracer.run",
}

__all__ = [
    "Compare",
    "Diagnosis",
    "Lab",
    "Player",
    "Refusal",
    "Strategies",
    "Trace",
    "check",
    "diagnose",
    "load_scenario",
    "losses",
    "repair",
    "scenario_names",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"ctxlab has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
