"""The learner's copies of the lessons, in my-lessons/, which git ignores. A copy is never overwritten.

python tools/my_lessons.py copy       copies the lessons that are not there yet
python tools/my_lessons.py reset 01   renews lesson 01; the earlier copy is kept beside it under another name
python tools/my_lessons.py open ...   copies, then opens lesson 00; the arguments after it go to JupyterLab
"""

import os
import shutil
import sys
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "lessons"
COPIES = ROOT / "my-lessons"


def copy() -> list[Path]:
    """Copy each lesson that has no copy yet; the new copies, in order."""
    COPIES.mkdir(exist_ok=True)
    new = []
    for lesson in sorted(LESSONS.glob("*.ipynb")):
        target = COPIES / lesson.name
        if not target.exists():
            shutil.copyfile(lesson, target)
            new.append(target)
    return new


def reset(number: str) -> Path:
    """Renew the copy of the lesson with this number; the fresh copy. Exits where there is no such lesson."""
    found = sorted(LESSONS.glob(f"{number}_*.ipynb")) if number.isdecimal() else []
    if not found:
        numbers = ", ".join(lesson.name.partition("_")[0] for lesson in sorted(LESSONS.glob("*.ipynb")))
        sys.exit(
            f"reset: which lesson? {number!r} is none of {numbers}. Say for example: make reset LESSON=01"
        )
    target = COPIES / found[0].name
    if target.exists():
        names = (target.with_suffix(f".old-{n}.ipynb") for n in count(1))
        kept = next(name for name in names if not name.exists())
        target.rename(kept)
        print(f"Your earlier copy is now {kept.relative_to(ROOT)}.")
    COPIES.mkdir(exist_ok=True)
    shutil.copyfile(found[0], target)
    return target


def open_lab(options: list[str]) -> None:
    """Become JupyterLab, on the learner's copy of lesson 00."""
    # Its defaults ask for news and look for updates at the first start; these lessons need no network.
    own_settings = str(ROOT / "tools" / "jupyter")
    settings = [own_settings, *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    environment = os.environ | {"JUPYTER_CONFIG_PATH": os.pathsep.join(settings)}
    first = min(LESSONS.glob("*.ipynb")).name
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={COPIES}",
        # The page of every address that JupyterLab prints. A file to open would only reach a browser that it
        # starts itself.
        f"--LabApp.default_url=/lab/tree/{first}",
        *options,
    ]
    if os.geteuid() == 0:  # In a container one often is root, and JupyterLab then wants to be told so.
        command.append("--allow-root")
    os.execve(sys.executable, command, environment)  # noqa: S606 (no shell is what is wanted)


def main(arguments: list[str]) -> None:
    match arguments:
        case ["copy"]:
            new = copy()
            print(f"{len(new)} lessons copied to {COPIES.name}/; copies that were there stay as they are.")
        case ["reset", number]:
            print(f"{reset(number).relative_to(ROOT)} is fresh.")
        case ["open", *options]:
            copy()
            open_lab(options)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
