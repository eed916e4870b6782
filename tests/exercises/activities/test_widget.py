"""What the widgets of a lesson share."""

import re
from pathlib import Path

import pytest

from ctxlab.exercises.activities.widget import module

CLASS = re.compile(r"\.([a-z]+-[a-z][a-z-]*)")


def test_the_players_look_and_that_of_the_lessons_widgets_keep_apart(root: Path) -> None:
    """Both style sheets are in one page, so a class in both would be dressed by both."""
    player, activities = (
        set(CLASS.findall((root / "ctxlab" / path).read_text(encoding="utf-8")))
        for path in ("player/player.css", "exercises/activities/activities.css")
    )
    assert len(player) > 50
    assert len(activities) > 20
    assert player & activities == {"ctx-icon", "ctx-unseen"}


@pytest.mark.parametrize("name", ["recall.js", "explain.js", "order.js", "spot.js"])
def test_a_module_is_whole_and_small(name: str) -> None:
    text = module(name)
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert text.count("export default") == 1
    assert len(text) < 40_000, "every widget on a page carries its own copy"
