"""The player's JavaScript: modules in `js/`, joined into the one text that a widget and a page carry.

A widget is sent as one text, and a page that may fetch nothing cannot import a second file.
"""

import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

FOLDER = Path(__file__).parent / "js"
IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";\n', re.MULTILINE)


@cache
def joined_module(entry: str = "main.js") -> str:
    """Return the module `entry` and all that it imports, as one: each stands after those that it needs.

    The modules import each other's names unchanged, and no name stands in two of them. So nothing has to be
    rewritten: the import lines are left out.
    """
    texts: dict[Path, str] = {}
    needs: dict[Path, list[Path]] = {}
    found = [(FOLDER / entry).resolve()]
    for path in found:
        texts[path] = path.read_text(encoding="utf-8")
        needs[path] = [(path.parent / name).resolve() for name in IMPORT.findall(texts[path])]
        found.extend(needed for needed in needs[path] if needed not in found)
    return "\n".join(IMPORT.sub("", texts[path]) for path in TopologicalSorter(needs).static_order())
