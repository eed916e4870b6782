"""Scenarios of the window: messages that are added, one or all, and a search in its archive."""

from typing import Any

from pydantic import Field

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.counting import TokenCounter
from ctxlab.reference.window import ContextWindow, windowed
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.places import places_of
from ctxlab.scenarios.systems.system import System

History = list[dict[str, Any]]


class Given(Part):
    """The messages, in the form of Chat Completions, and the limits of the window."""

    messages: list[dict[str, Any]] = Field(description="The messages, in the order in which they are added.")
    next: dict[str, Any] = Field(
        default={"role": "user", "content": "And now?"},
        description="What `add` adds to a window that has all the messages.",
    )
    max_messages: int = Field(default=20, description="Limit of the window, in messages.")
    max_tokens: int = Field(default=8000, description="Limit of the window, in tokens.")
    keyword: str = Field(default="notes", description="What is searched for in the archive.")


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of the functions. `self` is a window with all messages added."""
    return {
        "messages": copied(given.messages),
        "max_messages": given.max_messages,
        "max_tokens": given.max_tokens,
        "self": filled(given),
        "message": copied(given.next),
        "keyword": given.keyword,
    }


def filled(given: Given) -> ContextWindow:
    """Return a window to which the messages were added, up to the first one that it refuses."""
    window = ContextWindow(given.max_messages, given.max_tokens)
    try:
        for message in given.messages:
            window.add(message)
    except Refusal:
        pass
    return window


def outcome(returned: History | None, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the places of the messages that came out, or that `add` left in the window, and their tokens."""
    found = arguments["self"].messages if returned is None else returned
    return {
        "places": places_of(found, [*arguments["messages"], arguments["message"]]),
        "tokens": sum(map(TokenCounter().count_message, found)),
    }


SYSTEM = System(
    name="window",
    functions={
        "window": windowed,
        "add": ContextWindow.add,
        "search": ContextWindow.search_archived,
    },
    given=Given,
    arguments=arguments,
    outcome=outcome,
)
