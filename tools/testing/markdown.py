"""A minimal Markdown parser for the documentation tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^( *)```(\w*) *([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, its first line, and the file it names.

    `source` is what stands behind the language: the file that the block is quoted from.
    """

    language: str
    text: str
    line: int
    source: str = ""


def blocks(path: Path) -> Iterator[Block]:
    """Return the fenced blocks of a document, in order."""
    text = path.read_text()
    for match in _FENCE.finditer(text):
        indent, language, source, content = match.groups()
        lines = [line.removeprefix(indent) for line in content.splitlines(keepends=True)]
        yield Block(language, "".join(lines), text.count("\n", 0, match.start()) + 2, source)


def links(path: Path) -> Iterator[str]:
    """Return the targets of a document's links and images, except those inside code."""
    yield from _LINK.findall(_without_code(path))


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings."""
    headings = _HEADING.findall(_without_code(path))
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def _without_code(path: Path) -> str:
    return re.sub(r"`[^`\n]+`", "", _FENCE.sub("", path.read_text()))
