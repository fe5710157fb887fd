"""How wide words will be, as well as that can be known without the font; and words cut to fit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

_NARROW = frozenset("ijlItfr.,:;'|!()[]/ -")
_BROAD = frozenset("mwMWQ@%—…")


def width(words: str, size: float = 12) -> float:
    """How many pixels the words take at most, in a usual font of that size."""
    return size * sum(map(_width, words))


@cache
def _width(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.38
    if character in _BROAD:
        return 0.95
    if not character.isalnum():
        return 0.85
    return 0.72 if character.isupper() else 0.6


def widest(words: Iterable[str], size: float = 12) -> float:
    """How many pixels the widest takes; 0 if there are none."""
    return max((width(each, size) for each in words), default=0)


def shortened(words: str, room: float, size: float = 12) -> str:
    """The words, if there is room for them; otherwise as many of them as fit, and an ellipsis."""
    if width(words, size) <= room:
        return words
    room -= width("…", size)
    kept = ""
    for character in words:
        room -= size * _width(character)
        if room < 0:
            break
        kept += character
    # A joiner at the cut would reach for the ellipsis.
    return kept.rstrip(" \u200d") + "…"


def distinct(names: Iterable[str], room: float, size: float = 12) -> dict[str, str]:
    """Each name cut to fit; of those that would look alike, more of what tells them apart."""
    short = {name: shortened(name, room, size) for name in names}
    alike: dict[str, list[str]] = {}
    for name, cut in short.items():
        alike.setdefault(cut, []).append(name)
    for group in alike.values():
        if len(group) > 1:
            # From the word in which they begin to differ.
            start = _alike(group).rfind(" ") + 1
            for name in group:
                head = shortened(name, room * 0.4, size)
                short[name] = head + shortened(name[start:], room - width(head, size), size)
    return short


def _alike(words: list[str]) -> str:
    """How they all begin."""
    first, last = min(words), max(words)
    same = (at for at, character in enumerate(first) if last[at : at + 1] != character)
    return first[: next(same, len(first))]


def wrapped(words: str, room: float, size: float = 12) -> list[str]:
    """The words in lines that have room, broken between words."""
    lines: list[str] = []
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
