"""The terminal pictures in the README show what the commands print."""

from __future__ import annotations

import html
import re

from rich.text import Text

from tools.terminal_pictures import FOLDER, outputs


# Compares text, not bytes: another version of Rich may draw the same text differently.
def test_terminal_pictures_are_up_to_date() -> None:
    for name, output in outputs().items():
        drawn = html.unescape(re.sub(r"<[^>]+>", "", (FOLDER / name).read_text()))
        shown = _without_spaces(drawn)
        for line in Text.from_ansi(output).plain.splitlines():
            assert _without_spaces(line) in shown, (
                f"docs/pictures/{name} does not show {line.strip()!r}. "
                "Run `make reference`, and commit the picture."
            )


def _without_spaces(text: str) -> str:
    return re.sub(r"\s", "", text)
