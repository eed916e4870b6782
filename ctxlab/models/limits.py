"""What bounds one attempt: the time and the size of an answer, and the pause that it may ask for.

Only `provider` imports this, when a request is sent: it needs the HTTP client of both SDKs.
"""

import math
import time
from collections.abc import Callable, Iterator
from email.utils import mktime_tz, parsedate_tz

import httpx2

from ctxlab.models.interface import ModelError

MAX_WAIT_SECONDS = 120
MAX_ANSWER_BYTES = 1_000_000

Hooks = dict[str, list[Callable[[httpx2.Response], None]]]


def event_hooks(provider: str, seconds: float) -> Hooks:
    """Return the hooks for an HTTP client. With them, each answer ends within `seconds` of its beginning.

    An answer that breaks a limit raises ModelError. The SDKs pass it on as the cause of an error of theirs.
    """

    def limit(response: httpx2.Response) -> None:
        # It would be unpacked before anybody sees how large it gets.
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":
            raise ModelError(f"{provider}'s answer is packed ({packed!r}), and none was asked for; try again")
        assert isinstance(response.stream, httpx2.SyncByteStream), "the clients here are synchronous"
        response.stream = Limited(provider, response.stream, seconds)
        # JSON is UTF-8, whatever the headers say.
        response.encoding = "utf-8"
        if _wait(response.headers) > MAX_WAIT_SECONDS:
            # An SDK would sleep through hours of it.
            response.headers["x-should-retry"] = "false"

    return {"response": [limit]}


class Limited(httpx2.SyncByteStream):
    """The body of an answer, up to its limits. The timeout of the client is for each piece of it."""

    def __init__(self, provider: str, stream: httpx2.SyncByteStream, seconds: float) -> None:
        self._provider = provider
        self._stream = stream
        self._seconds = seconds

    def __iter__(self) -> Iterator[bytes]:
        end = time.monotonic() + self._seconds
        size = 0
        for piece in self._stream:
            size += len(piece)
            if size > MAX_ANSWER_BYTES:
                raise ModelError(f"{self._provider}'s answer has over {MAX_ANSWER_BYTES} bytes; try again")
            if time.monotonic() > end:
                raise ModelError(f"{self._provider}'s answer did not end in {self._seconds:g} s; try again")
            yield piece

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()


def _wait(headers: httpx2.Headers) -> float:
    """Return the seconds that an answer asks to wait, as a number or as a date; 0 where it does not say."""
    asked = headers.get("retry-after", "")
    try:
        if "retry-after-ms" in headers:
            return float(headers["retry-after-ms"]) / 1000
        date = parsedate_tz(asked)
        return mktime_tz(date) - time.time() if date else float(asked or 0)
    except OverflowError:  # a date that no clock reaches
        return math.inf
    except ValueError:  # neither
        return 0
