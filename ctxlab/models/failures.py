"""What all providers have in common in going wrong: each failure as a ModelError that says what to do."""

import json
import os
from collections.abc import Mapping
from typing import Any

from ctxlab.messages.grammar import answer_fault
from ctxlab.messages.wording import shown
from ctxlab.models.interface import Message, ModelError

MAX_QUOTED_CHARS = 300

# What to do about a status. Any status of 500 or more is the provider's own trouble.
REMEDIES = {
    400: "see what the request lacks, or whether the model can do what is asked",
    401: "check the key",
    403: "check what the key is allowed to use",
    404: "check the model's name",
    413: "send a smaller history",
    429: "wait, or look at the limits and the credit of the account",
}

CUT_OFF = "it was cut off at its limit of tokens; give a larger max_tokens"
DECLINED = "the model declined to answer; change what is asked, or take another model"
ENDS = {
    "max_tokens": CUT_OFF,
    "length": CUT_OFF,
    "model_context_window_exceeded": "the model's context window is full; send a smaller history",
    "refusal": DECLINED,
    "content_filter": DECLINED,
}
OTHER_END = "nothing in it is used"


def missing_sdk(package: str) -> ModelError:
    """Return the error for an SDK that is not installed."""
    return ModelError(
        f"the package {package} is not installed; it comes with the extra `live`: "
        "run `pip install -e '.[live]'` in the project's folder"
    )


def found_key(given: str | None, variable: str) -> str:
    """Return the key that was given, or that the environment holds. Raises ModelError where there is none."""
    key = (given or os.environ.get(variable, "")).strip()
    if not key:
        raise ModelError(f"there is no key; put one in the environment variable {variable}")
    if not key.isascii() or not key.isprintable():
        raise ModelError(f"the key holds a character that no key has; check {variable}")
    return key


def request_failure(provider: str, error: Exception) -> ModelError:
    """Return the error for what an SDK raised, after all its attempts.

    Both SDKs are made from one mould: an exception has a `request`, and a `response` where there was one.
    """
    if isinstance(error.__cause__, ModelError):
        return error.__cause__  # a limit of ours
    request, response = getattr(error, "request", None), getattr(error, "response", None)
    if request is None:
        return ModelError(f"{provider}: no request could be sent: {_one_line(str(error))}")
    # The SDKs count their attempts in this header, from 0.
    attempts = int(request.headers.get("x-stainless-retry-count", 0)) + 1
    tried = f" after {attempts} attempts" if attempts > 1 else ""
    if response is None:
        cause = _one_line(str(error.__cause__ or error))
        if "Timeout" in type(error).__name__:
            return ModelError(f"{provider} gave no answer in time{tried}; try again later")
        return ModelError(f"{provider} cannot be reached{tried} ({cause}); check the network and try again")
    status = response.status_code
    parts = [f"{provider} answered with status {status}{tried}"]
    if status != 401:  # that one is about the key, and may quote it in part
        parts.append(_error_text(getattr(error, "body", None)))
    if wait := response.headers.get("retry-after"):
        parts.append(f"retry after {_one_line(wait)} s")
    if request_id := getattr(error, "request_id", None):
        parts.append(f"request {_one_line(request_id)}")
    said = f"{', '.join(filter(None, parts))}; {_remedy(status)}"
    return ModelError(_without_key(said, request.headers))


def answer_object(provider: str, text: str) -> dict[str, Any]:
    """Return the JSON object that a provider's answer is. Raises ModelError for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{provider}'s answer is not JSON: {_quoted(text)}; try again") from error
    if not isinstance(value, dict) or value.get("type") == "error" or value.get("error"):
        raise ModelError(f"{provider} sent an error instead of an answer: {_quoted(text)}; try again")
    return value


def check_end(provider: str, reason: Any, normal: tuple[str, ...]) -> None:
    """Raise ModelError unless the reason for which a provider stopped is one of the normal ones."""
    if reason in normal:
        return
    said = ENDS.get(reason) if isinstance(reason, str) else None
    raise ModelError(f"{provider}'s answer did not end normally ({shown(reason)}): {said or OTHER_END}")


def usable_answer(provider: str, message: Message, at: int) -> Message:
    """Return `message`, which is to be message `at` of a history. Raises ModelError if it cannot be that."""
    fault = answer_fault(message, at)
    if fault:
        raise ModelError(f"{provider}'s answer cannot be used: {fault.text}; try again")
    return message


def usable_summary(provider: str, message: Message) -> str:
    """Return the text of a summary. Raises ModelError for a message that calls a tool."""
    if any(block["type"] != "text" for block in message["content"]):
        raise ModelError(f"{provider} answered a summary request with a call; there is no summary")
    return "\n\n".join(block["text"] for block in message["content"])


def _without_key(text: str, headers: Mapping[str, str]) -> str:
    """Return a text without the key of the request. The text goes into files and on screens."""
    key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    return text.replace(key, "(the key)") if key else text


def _remedy(status: int) -> str:
    if status >= 500:
        return "the trouble is the provider's: try again later"
    return REMEDIES.get(status, "see the provider's documentation of this status")


def _error_text(body: Any) -> str:
    """Return what an error body says. OpenAI's SDK has taken the error out of it, Anthropic's has not."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return _one_line(f"{error.get('type')}: {error['message']}")
    return _quoted(str(error)) if error else ""


def _quoted(text: str) -> str:
    return shown(_one_line(text))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_QUOTED_CHARS else f"{line[:MAX_QUOTED_CHARS]}..."
