"""Compare two texts: which lines changed, and which words in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_CONTEXT = 2
# Comparing takes quadratic time at least; what goes beyond this is marked as a whole.
_MAX_LINES, _MAX_WORDS, _MAX_PAIRS_OF_WORDS = 10_000, 1_000, 4_000_000
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
Kind = Literal["same", "inserted", "deleted"]


@dataclass(frozen=True)
class Piece:
    """A run of text that is in both versions, or only in one."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class DiffLine:
    """A line in pieces. `skipped` counts unchanged lines that are left out before it."""

    pieces: Sequence[Piece]
    skipped: int = 0

    @property
    def is_changed(self) -> bool:
        """Return whether anything in the line differs."""
        return any(piece.kind != "same" for piece in self.pieces)


def diff_text(old: str, new: str) -> list[DiffLine]:
    """Return the changed lines with two lines around them; an empty list if nothing changed.

    The last line may be empty, with the number of unchanged lines that follow.
    """
    lines = list(_diff_lines(old.split("\n"), new.split("\n")))
    changed = [at for at, line in enumerate(lines) if line.is_changed]
    kept = sorted(
        {
            at
            for center in changed
            for at in range(center - _CONTEXT, center + _CONTEXT + 1)
            if 0 <= at < len(lines)
        }
    )
    shown: list[DiffLine] = []
    following = 0
    for at in kept:
        shown.append(DiffLine(lines[at].pieces, skipped=at - following))
        following = at + 1
    if shown and following < len(lines):
        shown.append(DiffLine((), skipped=len(lines) - following))
    return shown


def _diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    pairs_left = _MAX_PAIRS_OF_WORDS
    for kind, a, b, c, d in _opcodes(old, new):
        if kind == "equal":
            yield from (DiffLine([Piece("same", line)]) for line in old[a:b])
            continue
        paired = min(b - a, d - c)
        for before, after in zip(old[a : a + paired], new[c : c + paired], strict=True):
            words = _WORDS.findall(before), _WORDS.findall(after)
            pairs_left -= len(words[0]) * len(words[1])
            if pairs_left < 0 or max(map(len, words)) > _MAX_WORDS:
                yield DiffLine([Piece(side, text) for side, text in _both(before, after) if text])
            else:
                yield DiffLine(list(_diff_words(*words)))
        yield from (DiffLine([Piece("deleted", line)]) for line in old[a + paired : b])
        yield from (DiffLine([Piece("inserted", line)]) for line in new[c + paired : d])


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """Return what to do with which lines. Of very long texts, only the ends are compared."""
    if max(len(old), len(new)) <= _MAX_LINES:
        return list(SequenceMatcher(None, old, new).get_opcodes())
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    return [
        ("equal", 0, start, 0, start),
        ("replace", start, len(old) - end, start, len(new) - end),
        ("equal", len(old) - end, len(old), len(new) - end, len(new)),
    ]


def _diff_words(before: Sequence[str], after: Sequence[str]) -> Iterator[Piece]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.3:  # word by word, unrelated lines are unreadable
        pairs = _both("".join(before), "".join(after))
        yield from (Piece(kind, text) for kind, text in pairs if text)
        return
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield Piece("same", "".join(before[a:b]))
            continue
        pairs = _both("".join(before[a:b]), "".join(after[c:d]))
        yield from (Piece(side, text) for side, text in pairs if text)


def _both(old: str, new: str) -> tuple[tuple[Kind, str], tuple[Kind, str]]:
    return ("deleted", old), ("inserted", new)
