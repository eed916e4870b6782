"""What a call shows in a notebook: one content as text and as HTML."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, repr=False)
class Shown:
    """The result of a call that is there to be read: plain text, and HTML that says the same."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def paragraphs(lines: list[str]) -> Shown:
    """Return lines of prose, one paragraph each."""
    return Shown("\n".join(lines), f"<div>{''.join(f'<p>{escape(line)}</p>' for line in lines)}</div>")
