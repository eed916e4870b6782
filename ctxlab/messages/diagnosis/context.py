"""What a caller of diagnose knows besides the history."""

from dataclasses import dataclass, fields
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.wording import shown

THINKING_MODES = ("enabled", "adaptive", "disabled")

Position = tuple[int, int | None]


@dataclass(frozen=True)
class Context:
    """The checked context of a diagnosis; None or empty where the caller knows nothing.

    `thinking` says whether manual extended thinking is on. See `diagnose` for the others.
    """

    cut: int | None = None
    thinking: bool = False
    budget_tokens: int | None = None
    protected_from: int | None = None
    pinned: tuple[str, ...] = ()
    summary_messages: tuple[int, ...] = ()
    made_up_results: frozenset[Position] = frozenset()


def checked_context(given: dict[str, Any], count: int) -> Context:
    """Return the context of a history of `count` messages.

    Refuses (`bad_argument`) a name that is not known and a value that fits no use, and says what fits.
    """
    names = [field.name for field in fields(Context)]
    for name in given:
        if name not in names:
            raise Refusal("bad_argument", f"diagnose knows no {shown(name)}; it takes {', '.join(names)}")
    return Context(
        cut=_index("cut", given.get("cut"), count),
        thinking=_thinking(given.get("thinking")),
        budget_tokens=_budget(given.get("budget_tokens")),
        protected_from=_index("protected_from", given.get("protected_from"), count),
        pinned=tuple(_pinned(given.get("pinned"))),
        summary_messages=tuple(sorted(_messages(given.get("summary_messages"), count))),
        made_up_results=frozenset(map(_position, _listed("made_up_results", given.get("made_up_results")))),
    )


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _index(name: str, value: Any, count: int) -> int | None:
    if value is None:
        return None
    if not _is_int(value) or not 0 <= value <= count:
        raise Refusal("bad_argument", f"{name} is {shown(value)}; give an index from 0 to {count}")
    index: int = value
    return index


def _thinking(value: Any) -> bool:
    mode = value.get("type") if isinstance(value, dict) else value
    if mode is None or isinstance(mode, bool):
        return bool(mode)
    if mode not in THINKING_MODES:
        modes = ", ".join(map(repr, THINKING_MODES))
        raise Refusal("bad_argument", f"thinking is {shown(value)}; give one of {modes}")
    return bool(mode == "enabled")


def _budget(value: Any) -> int | None:
    if value is None:
        return None
    if not _is_int(value) or value < 1:
        raise Refusal("bad_argument", f"budget_tokens is {shown(value)}; give a number of tokens from 1")
    budget: int = value
    return budget


def _listed(name: str, value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise Refusal("bad_argument", f"{name} is {shown(value)}; give a list")
    return list(value)


def _pinned(value: Any) -> list[str]:
    texts = _listed("pinned", value)
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise Refusal("bad_argument", f"pinned holds {shown(text)}; give texts that are not blank")
    return texts


def _messages(value: Any, count: int) -> set[int]:
    indices = _listed("summary_messages", value)
    for index in indices:
        if not _is_int(index) or not 0 <= index < count:
            raise Refusal(
                "bad_argument", f"summary_messages holds {shown(index)}; the history has {count} messages"
            )
    return set(indices)


def _position(value: Any) -> Position:
    pair = (value.get("message"), value.get("block")) if isinstance(value, dict) else value
    if isinstance(pair, (list, tuple)) and len(pair) == 2:
        message, block = pair
        if _is_int(message) and (block is None or _is_int(block)):
            return message, block
    raise Refusal(
        "bad_argument",
        f'made_up_results holds {shown(value)}; give {{"message": index, "block": index or None}} for each',
    )
