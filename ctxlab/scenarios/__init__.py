"""The named scenarios: small histories on which split, trim and prepare come out differently."""

from ctxlab.scenarios.loading import load_scenario, scenario_names
from ctxlab.scenarios.scenario import Scenario

__all__ = ["Scenario", "load_scenario", "scenario_names"]
