"""SVG and HTML elements as text, with escaping; and the width of text without a font at hand."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from html import escape

from ranked_ballots.text import replace_control_characters

_NARROW = frozenset("ijlItfr.,:;'|!()[]/ -")
_BROAD = frozenset("mwMWQ@%—…")


def escape_text(text: str) -> str:
    """Escape text for content or attributes, so that nothing in it is read as markup."""
    return escape(replace_control_characters(text))


def format_length(value: float | Fraction) -> str:
    """Return a number of pixels with at most one decimal, the same on every machine."""
    text = f"{float(value):.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def element(tag: str, *content: str, **attributes: str | float | Fraction) -> str:
    """Return an element. `content` is markup; `class_` is class, text_anchor is text-anchor."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_format_attribute(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def tooltip(text: str) -> str:
    """Return a title element, which browsers show when the pointer is over its parent."""
    return element("title", escape_text(text))


def _format_attribute(value: str | float | Fraction) -> str:
    return escape_text(value) if isinstance(value, str) else format_length(value)


def text_width(text: str, size: float = 12) -> float:
    """Estimate the width in pixels, at most, of text in a common font of this size."""
    return size * sum(map(_character_width, text))


@cache
def _character_width(character: str) -> float:
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


def widest(texts: Iterable[str], size: float = 12) -> float:
    """Return the width of the widest text, or 0."""
    return max((text_width(text, size) for text in texts), default=0)


def shorten(text: str, room: float, size: float = 12) -> str:
    """Cut text with an ellipsis to fit the room in pixels."""
    if text_width(text, size) <= room:
        return text
    room -= text_width("…", size)
    kept = ""
    for character in text:
        room -= size * _character_width(character)
        if room < 0:
            break
        kept += character
    # A joiner at the cut would combine with the ellipsis.
    return kept.rstrip(" \u200d") + "…"


def shorten_names(names: Iterable[str], room: float) -> dict[str, str]:
    """Cut each name to fit; names that would look alike keep the part where they differ."""
    short = {name: shorten(name, room) for name in names}
    alike: dict[str, list[str]] = {}
    for name, cut in short.items():
        alike.setdefault(cut, []).append(name)
    for group in alike.values():
        if len(group) > 1:
            # Start with the word in which they begin to differ.
            start = _common_prefix(group).rfind(" ") + 1
            for name in group:
                head = shorten(name, room * 0.4)
                short[name] = head + shorten(name[start:], room - text_width(head))
    return short


def _common_prefix(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    differences = (at for at, character in enumerate(first) if last[at : at + 1] != character)
    return first[: next(differences, len(first))]


def wrap_text(text: str, room: float) -> list[str]:
    """Break text into lines that fit, between words where possible."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer) <= room:
            lines[-1] = longer
        else:
            lines.extend(_break_word(word, room))
    return lines


def _break_word(word: str, room: float) -> list[str]:
    pieces = [""]
    for character in word:
        if pieces[-1] and text_width(pieces[-1] + character) > room:
            pieces.append("")
        pieces[-1] += character
    return pieces
