"""Progress: one line for each request, at the moment before it is sent."""

from collections.abc import Callable
from dataclasses import dataclass

PARENT, SUB_AGENT, SUMMARY = "parent", "sub-agent", "summary"

AS_IS, TRIMMED, SUMMARISED = "as is", "trimmed", "summarised"


def way(archived: bool, summarised: bool) -> str:
    """Return how a preparation that succeeded made the history smaller."""
    if summarised:
        return SUMMARISED
    return TRIMMED if archived else AS_IS


@dataclass(frozen=True)
class Progress:
    """A request that is about to be sent, or (`after` is None) one that is not sent.

    who      "parent", "sub-agent" or "summary"
    number   counted from 1 for each of them
    before   bytes of the history before its preparation; after: those of the history that is sent
    how      "as is", "trimmed", "summarised"; or why there is no history to send: the code of the refusal, or
             the class of another exception
    receipt  the snapshot that the preparation wrote, or None
    """

    who: str
    number: int
    before: int
    after: int | None
    how: str
    receipt: str | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the line in parts: who, number, before, after, how, receipt."""
        after = "not sent" if self.after is None else str(self.after)
        return (self.who, str(self.number), str(self.before), after, self.how, self.receipt or "")

    def line(self) -> str:
        """Return the line."""
        who, number, before, after, how, receipt = self.cells()
        bytes_after = after if self.after is None else f"{after} bytes"
        return f"{who:9} {number:>2}  {before:>5} -> {bytes_after:10}  {how:10}  {receipt}".rstrip()


Report = Callable[[Progress], None]
