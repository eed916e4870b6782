"""Looking for an input on which a function fails, and then for smaller ones, with hypothesis."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis._settings import local_settings
from hypothesis.configuration import set_hypothesis_home_dir, storage_directory
from hypothesis.errors import Flaky, NoSuchExample, Unsatisfiable
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

SETTINGS = settings(
    backend="hypothesis",
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
    verbosity=Verbosity.quiet,
)


class OutOfTime(BaseException):
    """The search has no time left. Not an Exception, so that hypothesis does not take it for a failure."""


def search(strategy: SearchStrategy[T], fails: Callable[[T], bool], most: int) -> bool:
    """Give `fails` up to `most` values, the same ones each time; when it says yes, ever smaller ones.

    Returns False if `fails` ended the search by raising `OutOfTime`. What was found is for `fails` to keep:
    an answer that is not the same twice ends the search too.
    """
    with _apart():
        try:
            find(strategy, fails, settings=settings(SETTINGS, max_examples=most))
        except (NoSuchExample, Unsatisfiable, Flaky):
            pass
        except OutOfTime:
            return False
    return True


@contextmanager
def _apart() -> Iterator[None]:
    """Keep the search apart from other uses of hypothesis: its folder, and a test that is running."""
    folder = storage_directory(intent_to_write=False).home_directory
    # No folder can be made there, so none is left behind where the learner works.
    set_hypothesis_home_dir(os.devnull)
    try:
        # Inside a test, hypothesis asks the settings of that test whether a search may run.
        with local_settings(SETTINGS):
            yield
    finally:
        set_hypothesis_home_dir(folder)
