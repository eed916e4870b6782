"""A history of any shape as messages for Chat Completions."""

from typing import Any

from ctxlab.messages.conversion.fields import checked_messages
from ctxlab.messages.conversion.leaving import Conversion
from ctxlab.messages.conversion.responses_to_chat import responses_to_chat
from ctxlab.messages.conversion.to_chat import anthropic_to_chat
from ctxlab.messages.copying import copied
from ctxlab.messages.shapes import Api, shape_of


def in_chat(messages: Any, api: Api | None = None, system: Any = None) -> Conversion:
    """Return a history, and the system text beside it, as messages for Chat Completions.

    `api` is the shape of the messages, recognised where it is not given. A history that is in Chat already
    comes back as an equal copy, behind a message with the system text where there is one.

    Refuses `bad_argument` an api that does not exist, and whatever the conversion refuses.
    """
    shape = shape_of(messages, api)
    if shape == "anthropic-messages":
        return anthropic_to_chat(messages, system)
    if shape == "openai-responses":
        return responses_to_chat(messages, system)
    first = [] if system is None else [{"role": "system", "content": copied(system)}]
    return Conversion([*first, *(message for _, message in checked_messages(messages))], [])
