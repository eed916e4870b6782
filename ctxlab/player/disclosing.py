"""What a saved page does with what looks like a secret: refuse to be written, mask it, or keep it."""

from collections import Counter
from collections.abc import Sequence

from ctxlab.errors import CtxlabError
from ctxlab.messages.secrets import Path, Secret
from ctxlab.messages.wording import shown
from ctxlab.tracer.tables import one_line

CHOICES = ("refuse", "mask", "keep")
MOST_PLACES = 5
MOST_PLACE_CHARS = 100


class SecretsError(CtxlabError):
    """A page that would show secrets was not written. `reason` is the text without the remedy."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}; give secrets='mask' to mask them on the page, or 'keep' to show them")
        self.reason = reason


def checked_choice(secrets: str) -> str:
    """Return one of CHOICES as it is. Raises CtxlabError for anything else."""
    if not isinstance(secrets, str) or secrets not in CHOICES:
        raise CtxlabError(f"secrets is {shown(secrets)}; give one of {', '.join(map(repr, CHOICES))}")
    return secrets


def must_mask(secrets: str, found: Sequence[Secret]) -> bool:
    """Return whether a page has to mask what was found in it. `secrets` is one of CHOICES.

    Raises CtxlabError for another choice, and SecretsError when something was found and the choice is
    "refuse". The text says how many there are, of which kinds and where, and never what they are.
    """
    choice = checked_choice(secrets)
    if choice == "refuse" and found:
        raise SecretsError(refusal(found))
    return choice == "mask" and bool(found)


def refusal(found: Sequence[Secret]) -> str:
    """Return why a page is not written: the number, kinds and places of what was found."""
    kinds = ", ".join(f"{kind}: {count}" for kind, count in Counter(secret.kind for secret in found).items())
    places = list(dict.fromkeys(place(secret.path) for secret in found))
    more = f"; and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
    return (
        f"the page is not written, for it would show what looks like a secret {len(found)} "
        f"time{'' if len(found) == 1 else 's'} ({kinds}), in {'; '.join(places[:MOST_PLACES])}{more}"
    )


def place(path: Path) -> str:
    """Return the path of a secret in words, such as "message 2, content[0].input.api_key".

    Below "named" stand the names of variables and the keys of dicts, below "values" other texts of a run.
    """
    first, *rest = path
    if first == "named":
        return one_line(f"the value of {path[-1]}", MOST_PLACE_CHARS)
    if first == "values":
        return "a value of the run"
    if first == "messages" and rest:
        first, rest = f"message {rest[0]}", rest[1:]
    inner = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in rest).removeprefix(".")
    return one_line(f"{first}, {inner}" if inner else str(first), MOST_PLACE_CHARS)
