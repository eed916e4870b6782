"""The style sheets of a widget as one text."""

from pathlib import Path

FOLDER = Path(__file__).parent


def joined_sheets(*names: str) -> str:
    """Return the colours that all widgets share, then these sheets: names in this folder, or whole paths."""
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("colours.css", *names))
