"""Measure ctxlab against the figures to reach, in one process, and say of each whether it is reached.

python -m tools.bench [recorder] [reference] [peers] [player] [strategies]

Without a name, everything. Peers need the environment of `make bench`; recorder and reference need nothing.
Strategies are measured beside those of their peers that are installed.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterable
from importlib import import_module

from .report import Row, Table, closing

PARTS = ("recorder", "reference", "peers", "player", "strategies")


def main(names: list[str]) -> int:
    if unknown := set(names) - set(PARTS):
        print(f"bench: {', '.join(sorted(unknown))}: not one of {', '.join(PARTS)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; medians of interleaved runs\n")
    found: list[Row] = []
    for name in names or PARTS:
        measure: Callable[[], Iterable[Row | Table]] = import_module(f".{name}", __package__).rows
        print(f"{name}:")
        for row in measure():
            print("\n".join(row.lines()), flush=True)
            if isinstance(row, Row):
                found.append(row)
    if found:
        print(f"\n{closing(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
