"""What takes the place of a model and of a directory in a scenario of a system."""

import atexit
import builtins
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from ctxlab.messages.copying import copied
from ctxlab.scenarios.fields import Part


class StandIn(Part):
    """What a function that asks a model does in its place."""

    answers: list[Any] | None = Field(
        default=None, description="Its answers, one for each time that it is asked; the last one repeats."
    )
    raises: str | None = Field(
        default=None, description="The name of the built-in exception that it raises, such as TimeoutError."
    )

    @model_validator(mode="after")
    def answers_or_raises(self) -> "StandIn":
        """Refuse a function that does both or nothing."""
        if (self.answers is None) == (self.raises is None) or self.answers == []:
            raise PydanticCustomError("stand_in", "needs either answers, at least one, or raises")
        if self.raises is not None and exception_class(self.raises) is None:
            problem = "should raise an exception of Python, such as TimeoutError"
            raise PydanticCustomError("stand_in_raises", problem)
        return self


def answering(stand_in: StandIn) -> Callable[[Any], Any]:
    """Return a function of one argument that answers, or raises, as the stand-in says."""
    numbers = count()

    def answer(_asked: Any) -> Any:
        if (raised := exception_class(stand_in.raises or "")) is not None:
            raise raised("the model gave no answer")
        answers = stand_in.answers or []
        return copied(answers[min(next(numbers), len(answers) - 1)])

    return answer


def exception_class(name: str) -> type[Exception] | None:
    """Return the built-in exception of that name, or None where there is none."""
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def fresh_directory() -> Path:
    """Return a new empty directory, which is removed when this process ends."""
    return Path(tempfile.mkdtemp(dir=_home()))


@cache
def _home() -> Path:
    home = Path(tempfile.mkdtemp(prefix="ctxlab-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home
