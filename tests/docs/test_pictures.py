"""The pictures in the guide and in the README show what the code draws and prints."""

from __future__ import annotations

import html
import re

from rich.text import Text

from tools import guide_pictures, terminal_pictures


# A picture drawn by older code shows what no reader gets.
def test_guide_pictures_are_up_to_date() -> None:
    there = {path.name: path.read_text() for path in guide_pictures.FOLDER.glob("*.svg")}
    fresh = guide_pictures.draw()
    stale = sorted(name for name in {*there, *fresh} if there.get(name) != fresh.get(name))
    assert not stale, (
        f"{', '.join(stale)} in docs/guide/counting is not what the page draws. "
        "Run `make reference`, and commit the pictures with the code."
    )


def test_guide_page_shows_every_picture() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(counting/([^)]+)\)", guide_pictures.PAGE.read_text())
    assert sorted(shown) == sorted(path.name for path in guide_pictures.FOLDER.glob("*.svg"))


# Compares text, not bytes: another version of Rich may draw the same text differently.
def test_terminal_pictures_are_up_to_date() -> None:
    for name, output in terminal_pictures.outputs().items():
        drawn = html.unescape(re.sub(r"<[^>]+>", "", (terminal_pictures.FOLDER / name).read_text()))
        shown = _without_spaces(drawn)
        for line in Text.from_ansi(output).plain.splitlines():
            assert _without_spaces(line) in shown, (
                f"docs/pictures/{name} does not show {line.strip()!r}. "
                "Run `make reference`, and commit the picture."
            )


def _without_spaces(text: str) -> str:
    return re.sub(r"\s", "", text)
