"""Write environment.yml, the way in with conda: Python, pip, and the dependencies and extras as locked.

python tools/environment.py           writes the file
python tools/environment.py --check   fails where writing it would change it
"""

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "environment.yml"
HEADER = """\
# Made from pyproject.toml and requirements.lock by `make environment`: do not edit.
name: ctxlab
channels:
  - conda-forge
dependencies:
  - python{python}
  - pip
  - pip:
"""


def normal_name(requirement: str) -> str:
    """The project name at the start of a requirement, in the spelling that locks use."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    if name is None:
        raise ValueError(f"not a requirement: {requirement!r}")
    return re.sub(r"[-_.]+", "-", name.group()).lower()


def locked_pins(lock: str) -> dict[str, list[str]]:
    """Project name -> its pins: several, each with a marker, where the version depends on the Python."""
    pins: dict[str, list[str]] = {}
    for line in lock.splitlines():
        if re.match(r"[a-z0-9]", line):
            pins.setdefault(normal_name(line), []).append(line.removesuffix("\\").strip())
    return pins


def render(project: dict[str, Any], lock: str) -> str:
    """The text of environment.yml for the [project] table of pyproject.toml and the text of the lock."""
    extras = project["optional-dependencies"].values()
    dependencies = list(chain(project["dependencies"], *extras))
    pins = locked_pins(lock)
    lines = [pin for dependency in dependencies for pin in pins[normal_name(dependency)]]
    return HEADER.format(python=project["requires-python"]) + "".join(
        f"      - {line}\n" for line in [*lines, "-e ."]
    )


def main(arguments: list[str]) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = render(project, (ROOT / "requirements.lock").read_text(encoding="utf-8"))
    if arguments == ["--check"]:
        if not ENVIRONMENT.exists() or ENVIRONMENT.read_text(encoding="utf-8") != text:
            print("environment.yml is not what pyproject.toml and the lock say: run `make environment`.")
            return 1
        return 0
    ENVIRONMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
