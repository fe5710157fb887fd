"""Format names and numbers for sentences, and make untrusted text safe to display."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

# Control characters, characters that XML cannot contain, and bidirectional overrides, which would
# reverse the text around them.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]"
)

# Text that spreadsheets may run as a formula. They skip leading spaces and invisible characters,
# and some accept full-width signs. Quotes are skipped here so that escaping can be undone.
_SKIPPED = "[\\s\x00-\x1f\u200b-\u200f\u2060\ufeff'\"`]"
_SIGN = "[=+\\-@＝＋－＠]"
_FORMULA = re.compile(f"{_SKIPPED}*{_SIGN}|'*[\t\r\n]")
# Where semicolons separate cells, as in many countries, a cell can start inside another one, even
# in quotes. Only the last separator before a sign counts, so this takes linear time.
_CELL = f"(?<=[;\t\r\n])%s(?=(?:(?![\t\r\n]){_SKIPPED})*{_SIGN})"
_INNER_FORMULA = re.compile(_CELL % "")
_ESCAPED_INNER_FORMULA = re.compile(_CELL % "'")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may run this text as a formula."""
    return _FORMULA.match(text) is not None


def escape_formula(text: str) -> str:
    """Return the text of a CSV cell, with an apostrophe before each formula.

    A formula can start the text, or follow a semicolon, tab or line break. Existing apostrophes get
    one more, so that `unescape_formula` is the inverse.
    """
    escaped = _INNER_FORMULA.sub("'", text)
    return f"'{escaped}" if is_formula(text) else escaped


def unescape_formula(text: str) -> str:
    """Return the text without the apostrophes that `escape_formula` added."""
    if text.startswith("'") and is_formula(text):
        text = text[1:]
    return _ESCAPED_INNER_FORMULA.sub("", text)


def join_names(names: Sequence[str]) -> str:
    """Return the names as a list in a sentence: Ada, Ben and Cy."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def format_number(value: int | Fraction) -> str:
    """Return the number with thousands separators and an exact fraction: 1,234 1/2."""
    whole, rest = divmod(Fraction(value), 1)
    if not rest:
        return f"{whole:,}"
    return f"{whole:,} {rest}" if whole else str(rest)


def format_decimal(value: int | Fraction) -> str:
    """Return the number rounded to five decimals: 0.16670. Hundredths are short: 1,234.5."""
    whole, rest = divmod(round(Fraction(value) * 10**5), 10**5)
    text = f"{whole:,}.{rest:05}"
    return text if rest % 1000 else text.rstrip("0").rstrip(".")


def pluralize(value: int | Fraction, noun: str) -> str:
    """Return the number with its noun: 1 ballot, 2 ballots."""
    return f"{format_number(value)} {noun}" if value == 1 else f"{format_number(value)} {noun}s"


def format_ordinal(place: int) -> str:
    """Return the ordinal of a number: 1st, 2nd, 3rd, 11th."""
    if place % 100 in (11, 12, 13):
        return f"{place}th"
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th') }"


def replace_control_characters(text: str) -> str:
    """Replace characters that would control the terminal or page that displays the text."""
    return _UNSAFE.sub("\ufffd", text)
