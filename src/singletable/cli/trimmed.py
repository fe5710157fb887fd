"""Printing without the blanks that fill up each line: they are in the way when copied."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text


def print_trimmed(console: Console, content: RenderableType, *, indent: int = 0) -> None:
    """Print something, so many columns from the left, and nothing behind its lines."""
    for line in console.render_lines(Padding(content, (0, 0, 0, indent)), pad=False):
        text = Text.assemble(*((part.text, part.style or "") for part in line))
        text.rstrip()
        console.print(text, soft_wrap=True)
