"""Permissions: what a person allowed in this run. They are kept here and nowhere else.

Nothing in a history, in a summary or on the disk is a permission: texts say what somebody wrote.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ctxlab.errors import Refusal

NOT_ASKED, ALLOWED, DENIED, USED = "not asked", "allowed", "denied", "used"


@dataclass(frozen=True)
class PermissionRequest:
    """What a person is asked: may `command` start `program`, once, with the content it has now?

    `size` is that of the program's file in bytes, `sha256` that of its content, in hex.
    """

    command: str
    program: str
    size: int
    sha256: str

    def question(self) -> str:
        """Return the question in one line."""
        return (
            f"May {self.command} be started, once? "
            f"({self.program}: {self.size} bytes, SHA-256 {self.sha256[:12]}...)"
        )


Decide = Callable[[PermissionRequest], bool]


class Permissions:
    """The grants of one run. `status` is "not asked", "allowed", "denied" or "used"."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._granted: PermissionRequest | None = None
        self.status = NOT_ASKED

    def ask(self, request: PermissionRequest) -> bool:
        """Ask the person, and keep a grant for exactly this request. After a no, nobody is asked again."""
        self._granted = None
        if self.status != DENIED:
            self.status = DENIED  # what holds if the question is interrupted
            if self._decide(request) is True:
                self._granted, self.status = request, ALLOWED
        return self.status == ALLOWED

    def use(self, request: PermissionRequest) -> None:
        """Use up the grant, for one start. Refuses `no_permission` where none was given for this request."""
        granted, self._granted = self._granted, None
        if granted is None:
            raise Refusal("no_permission", f"nobody has allowed {request.command}; it was not started")
        self.status = USED
        if granted != request:
            raise Refusal(
                "no_permission",
                f"{request.program} is not what the person was asked about; it was not started",
            )
