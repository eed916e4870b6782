"""`ctxlab list`, as a real process."""

import json

from ctxlab_command import ctxlab, unusable

from ctxlab.scenarios import load_scenario, scenario_names


class TestList:
    def test_each_scenario_with_its_promise(self) -> None:
        run = ctxlab("list")
        assert (run.returncode, run.stderr) == (0, "")
        lines = [line.split(maxsplit=1) for line in run.stdout.splitlines()]
        assert lines == [[name, load_scenario(name).promise] for name in scenario_names()]

    def test_json(self) -> None:
        run = ctxlab("list", "--json")
        assert run.returncode == 0
        assert json.loads(run.stdout) == [
            {"name": name, "promise": load_scenario(name).promise} for name in scenario_names()
        ]

    def test_those_of_one_system(self) -> None:
        run = ctxlab("list", "window")
        assert (run.returncode, run.stderr) == (0, "")
        lines = [line.split(maxsplit=1) for line in run.stdout.splitlines()]
        assert lines == [[name, load_scenario(name).promise] for name in scenario_names("window")]
        assert ["parallel_results", load_scenario("parallel_results").promise] in lines

    def test_a_system_that_is_none(self) -> None:
        assert "invalid choice: 'windows' (choose from 'window', " in unusable(ctxlab("list", "windows"))
