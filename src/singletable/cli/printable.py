"""Texts from a table as a terminal may show them: what it would obey is written out."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text in one line; line ends, escapes and the like stand as \\n, \\x1b and so on."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _written(one) for one in text)


def _written(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")
