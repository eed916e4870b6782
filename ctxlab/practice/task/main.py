"""Adds up what the four stations counted, and leaves a mark that it ran."""

from pathlib import Path

COUNTS = {"north": 9, "east": 12, "south": 8, "west": 13}

Path("ran.txt").write_text("main.py ran\n", encoding="utf-8")
print(sum(COUNTS.values()))
