"""Just enough Markdown to write documents with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]<>#&|~])")
_TICKS = re.compile(r"`+")


def plain(text: str) -> str:
    """A text that stands as it is, whatever Markdown would make of it."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """A text as code; a text with ticks in it stands between more of them."""
    text = " ".join(text.split())
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    # A bar would end a cell even in code; only the backslash before it is taken away again.
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table; the columns numbered in `right` hold numbers."""
    rules = ("---:" if at in right else "---" for at in range(len(titles)))
    lines = [f"| {' | '.join(titles)} |", f"|{'|'.join(rules)}|"]
    lines += [f"| {' | '.join(cells)} |" for cells in rows]
    return "\n".join(lines)


def lines(several: Iterable[str]) -> str:
    """Several lines in one cell."""
    return "<br>".join(several)
