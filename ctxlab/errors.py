"""The errors that ctxlab raises on purpose."""


class CtxlabError(Exception):
    """A misuse of ctxlab. The text names the place and the remedy."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the text alone, since it says all that a traceback could."""
        return [f"{type(self).__name__}: {self}"]


class ScenarioError(CtxlabError):
    """A scenario that does not exist or whose file cannot be used."""


class TraceError(CtxlabError):
    """A function that cannot be traced, or trace data that cannot be read."""


class HistoryError(CtxlabError):
    """A file or value that does not hold a history."""


class Refusal(ValueError):  # noqa: N818 - a deliberate "no" is an outcome, not an error
    """A deliberate, named "no".

    `code` is one word that a program can act on, such as "pending" or "mismatch". The text names the message
    and block (both counted from 0), the id, the limit and the actual figure, where there is one.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
