"""A real run: a scripted or a live model works on a task in a directory, under the loop with its commit.

`PracticePanel` is imported when it is used, since it needs the widgets of a notebook.
"""

from typing import TYPE_CHECKING, Any

from ctxlab.practice.permission import PermissionRequest
from ctxlab.practice.progress import Progress
from ctxlab.practice.result import PracticeResult
from ctxlab.practice.run import run_practice
from ctxlab.practice.script import Models, scripted_models

if TYPE_CHECKING:
    from ctxlab.practice.panel import PracticePanel

__all__ = [
    "Models",
    "PermissionRequest",
    "PracticePanel",
    "PracticeResult",
    "Progress",
    "run_practice",
    "scripted_models",
]


def __getattr__(name: str) -> Any:
    if name != "PracticePanel":
        raise AttributeError(f"ctxlab.practice has no {name!r}; it has {', '.join(__all__)}")
    from ctxlab.practice.panel import PracticePanel

    return PracticePanel
