import pytest

from ctxlab.errors import Refusal
from ctxlab.practice.permission import PermissionRequest, Permissions

REQUEST = PermissionRequest("python main.py", "main.py", 10, "ab" * 32)


def answering(*answers: object) -> tuple[Permissions, list[PermissionRequest]]:
    """Permissions of a person with these answers, and the questions that reached the person."""
    waiting, asked = list(answers), []

    def decide(request: PermissionRequest) -> bool:
        asked.append(request)
        return waiting.pop(0)  # type: ignore[return-value]

    return Permissions(decide), asked


def refused(permissions: Permissions, request: PermissionRequest = REQUEST) -> str:
    with pytest.raises(Refusal) as caught:
        permissions.use(request)
    assert caught.value.code == "no_permission"
    return str(caught.value)


def test_a_yes_is_good_for_one_start() -> None:
    permissions, asked = answering(True)
    assert permissions.status == "not asked"
    assert permissions.ask(REQUEST)
    assert permissions.status == "allowed"
    permissions.use(REQUEST)
    assert permissions.status == "used"
    assert "nobody has allowed python main.py" in refused(permissions)
    assert asked == [REQUEST]


def test_nothing_is_allowed_that_was_not_asked() -> None:
    permissions, asked = answering()
    assert "it was not started" in refused(permissions)
    assert (permissions.status, asked) == ("not asked", [])


def test_a_no_stays_a_no() -> None:
    permissions, asked = answering(False, True)
    assert not permissions.ask(REQUEST)
    assert not permissions.ask(REQUEST)
    assert asked == [REQUEST], "a person who has said no is not asked again"
    refused(permissions)
    assert permissions.status == "denied"


@pytest.mark.parametrize("answer", [1, "yes", "y", None, [True]])
def test_only_true_is_a_yes(answer: object) -> None:
    permissions, _ = answering(answer)
    assert not permissions.ask(REQUEST)
    refused(permissions)


@pytest.mark.parametrize(
    "other",
    [
        PermissionRequest("python main.py", "main.py", 10, "cd" * 32),
        PermissionRequest("python other.py", "other.py", 10, "ab" * 32),
    ],
)
def test_a_yes_is_for_what_was_asked(other: PermissionRequest) -> None:
    permissions, _ = answering(True)
    permissions.ask(REQUEST)
    assert "is not what the person was asked about" in refused(permissions, other)
    refused(permissions)  # and the grant is gone


def test_after_a_start_one_may_ask_again() -> None:
    permissions, asked = answering(True, True)
    permissions.ask(REQUEST)
    permissions.use(REQUEST)
    permissions.ask(REQUEST)
    permissions.use(REQUEST)
    assert len(asked) == 2


def test_a_question_that_is_interrupted_allows_nothing() -> None:
    def decide(_request: PermissionRequest) -> bool:
        raise KeyboardInterrupt

    permissions = Permissions(decide)
    with pytest.raises(KeyboardInterrupt):
        permissions.ask(REQUEST)
    assert permissions.status == "denied"
    refused(permissions)


def test_the_question_names_the_command_and_the_file() -> None:
    assert REQUEST.question() == (
        "May python main.py be started, once? (main.py: 10 bytes, SHA-256 abababababab...)"
    )
