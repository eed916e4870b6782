"""Help with an exercise: three levels of hint, and a solution that stays folded."""

from html import escape

from ctxlab.errors import CtxlabError
from ctxlab.exercises.exercise import exercise
from ctxlab.exercises.progress_file import read, record_hint
from ctxlab.exercises.shown import Shown, paragraphs
from ctxlab.messages.wording import shown


def hint(name: str, *, level: int | None = None) -> Shown:
    """Show the next hint of an exercise under those before it, and remember that it was shown.

    `level`, 1 to 3, shows the hints up to that one. Raises CtxlabError for an exercise or a level that there
    is not.
    """
    hints = exercise(name).hints
    if level is not None and (type(level) is not int or not 1 <= level <= len(hints)):
        raise CtxlabError(f"level is {shown(level)}; {name} has the hints 1 to {len(hints)}")
    so_far, notice = read()
    level = level or min(so_far.exercise(name).hints + 1, len(hints))
    notice = record_hint(name, level) or notice
    lines = [f"Hint {number} of {len(hints)}: {text}" for number, text in enumerate(hints[:level], start=1)]
    return paragraphs([*lines, _left(name, level, len(hints)), *([notice] if notice else [])])


def _left(name: str, level: int, count: int) -> str:
    if level == count:
        return f'No hint is left. solution("{name}") shows a solution.'
    left = "1 more hint" if count - level == 1 else f"{count - level} more hints"
    return f'{left}: hint("{name}", level={level + 1}) shows the next.'


def solution(name: str) -> Shown:
    """Show a solution of an exercise: folded where HTML is shown, plain as text. Raises CtxlabError."""
    found = exercise(name)
    heading = f"A solution of {name}"
    code = f"<pre><code>{escape(found.solution)}</code></pre>"
    folded = f"<details><summary>{escape(heading)}</summary>{code}</details>"
    return Shown(f"{heading}:\n\n{found.solution.rstrip()}", folded)
