"""The named scenarios: histories for split, trim and prepare, and calls of the other systems."""

from ctxlab.scenarios.loading import load_history, load_scenario, scenario_names
from ctxlab.scenarios.scenario import Scenario
from ctxlab.scenarios.systems import SystemScenario

__all__ = ["Scenario", "SystemScenario", "load_history", "load_scenario", "scenario_names"]
