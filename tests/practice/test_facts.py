from ctxlab.practice.facts import LOGS, Facts
from ctxlab.practice.permission import PermissionRequest, Permissions

HEAD = "The host's plan, with what has really happened so far:"


def test_the_plan_before_anything_happened() -> None:
    assert Facts(Permissions(lambda _: True)).plan().splitlines() == [
        HEAD,
        "1. read the four logs: 0 of 4 read",
        "2. have the sub-agent report: no report",
        "3. ask the person: not asked",
        "4. run main.py, if allowed: not started",
        "5. compare its output: not compared",
    ]


def test_the_plan_after_everything() -> None:
    facts = Facts(Permissions(lambda _: True))
    request = PermissionRequest("python main.py", "main.py", 1, "ab")
    facts.read = {*LOGS, "rules.md"}
    facts.reported = facts.started = True
    facts.permissions.ask(request)
    facts.permissions.use(request)
    facts.exit_status, facts.output, facts.comparison = 0, "42\n", "the same"
    assert facts.plan().splitlines() == [
        HEAD,
        "1. read the four logs: 4 of 4 read",
        "2. have the sub-agent report: reported",
        "3. ask the person: used",
        "4. run main.py, if allowed: ended with exit status 0",
        "5. compare its output: the same",
    ]


def test_a_program_that_runs_or_was_stopped_has_not_ended() -> None:
    facts = Facts(Permissions(lambda _: True))
    facts.started = True
    assert "4. run main.py, if allowed: started\n" in facts.plan()
    facts.output = "4"
    assert "4. run main.py, if allowed: started, and stopped at a limit\n" in facts.plan()


def test_the_plan_of_the_sub_agent() -> None:
    facts = Facts(Permissions(lambda _: True))
    facts.read_by_sub_agent = {"main.py"}
    assert facts.plan_of_sub_agent().splitlines() == [
        HEAD,
        "1. read rules.md: not read",
        "2. read main.py: read",
        "3. read expected.txt: not read",
        "4. report: no report",
    ]
