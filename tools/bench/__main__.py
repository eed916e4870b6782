"""Measure ctxlab against the figures to reach, in one process, and say of each whether it is reached.

python -m tools.bench [recorder] [reference] [peers] [player]

Without a name, everything. Peers need the environment of `make bench`; recorder and reference need nothing.
"""

import os
import platform
import sys
from collections.abc import Callable
from importlib import import_module

from .report import Row, closing

PARTS = ("recorder", "reference", "peers", "player")


def main(names: list[str]) -> int:
    if unknown := set(names) - set(PARTS):
        print(f"bench: {', '.join(sorted(unknown))}: not one of {', '.join(PARTS)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; medians of interleaved runs\n")
    found: list[Row] = []
    for name in names or PARTS:
        measure: Callable[[], list[Row]] = import_module(f".{name}", __package__).rows
        print(f"{name}:")
        rows = measure()
        for row in rows:
            print("\n".join(row.lines()), flush=True)
        found += rows
    print(f"\n{closing(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
