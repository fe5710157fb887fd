"""Sort keys as a tree: what several begin with is written once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

DIVIDER = "#"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the tree: its branches, its text, and the number of the item, if it is one."""

    branches: str
    text: str
    item: int | None


@dataclass(frozen=True, slots=True)
class _Key:
    parts: tuple[str, ...]
    item: int


def tree(sort_keys: Sequence[str], *, drawn: bool = True) -> list[Line]:
    """The lines for sort keys in their order; `drawn` with lines that not every terminal has."""
    keys = [_Key(tuple(text.split(DIVIDER)), at) for at, text in enumerate(sort_keys)]
    glyphs = ("├─ ", "└─ ", "│  ", "   ") if drawn else ("|- ", "`- ", "|  ", "   ")
    return list(_lines(keys, "", glyphs))


def _lines(keys: Sequence[_Key], before: str, glyphs: tuple[str, str, str, str]) -> Iterator[Line]:
    groups = [list(group) for _, group in groupby(keys, key=lambda key: key.parts[:1])]
    for at, group in enumerate(groups):
        last = at == len(groups) - 1
        fork, inner = (glyphs[1], glyphs[3]) if last else (glyphs[0], glyphs[2])
        common = _common(group)
        text = DIVIDER.join(group[0].parts[:common])
        # An item whose key is what the others begin with stands on the line itself.
        own = group[0] if len(group[0].parts) == common else None
        rest = [_Key(key.parts[common:], key.item) for key in group if key is not own]
        yield Line(before + fork, text, None if own is None else own.item)
        yield from _lines(rest, before + inner, glyphs)


def _common(group: Sequence[_Key]) -> int:
    """How many parts all keys of a group begin with."""
    first, rest = group[0].parts, group[1:]
    for count in range(len(first), 1, -1):
        if all(key.parts[:count] == first[:count] for key in rest):
            return count
    return 1
