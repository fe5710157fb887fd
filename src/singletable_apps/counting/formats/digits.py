"""Whole numbers in files: plain digits, and not so many that a machine chokes on them."""

from __future__ import annotations

import re

from singletable_apps.counting.errors import FormatError

_MOST_DIGITS = 1_000
# Python takes digits of every script, underscores and signs for a number; a ballot file has none.
_DIGITS = re.compile("[0-9]+")


def whole_number(text: str, line: int, what: str) -> int:
    """The number that the text is; `what` says what it is needed for."""
    text = text.strip()
    if not _DIGITS.fullmatch(text):
        raise FormatError(f"{what} is a whole number, and {shown(text)} is none.", line)
    if len(text) > _MOST_DIGITS:
        raise FormatError(
            f"{what} has {len(text):,} digits; {_MOST_DIGITS:,} are the most we read.", line
        )
    return int(text)


def shown(text: str) -> str:
    """The text in quotes, shortened if it is long."""
    return repr(text if len(text) <= 60 else f"{text[:57]}…")
