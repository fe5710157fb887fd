"""The pictures in the guide are those that its snippets draw."""

from __future__ import annotations

import re

from tools.guide_pictures import FOLDER, PAGE, draw


# A picture drawn by older code shows what no reader gets.
def test_guide_pictures_are_up_to_date() -> None:
    there = {path.name: path.read_text() for path in FOLDER.glob("*.svg")}
    fresh = draw()
    stale = sorted(name for name in {*there, *fresh} if there.get(name) != fresh.get(name))
    assert not stale, (
        f"{', '.join(stale)} in docs/guide/counting is not what the page draws. "
        "Run `make reference`, and commit the pictures with the code."
    )


def test_guide_page_shows_every_picture() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(counting/([^)]+)\)", PAGE.read_text())
    assert sorted(shown) == sorted(path.name for path in FOLDER.glob("*.svg"))
