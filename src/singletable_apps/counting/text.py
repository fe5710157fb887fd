"""Names and numbers as people say them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction


def join_names(names: Sequence[str]) -> str:
    """The names as a sentence has them: Ada, Ben and Cy."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def format_number(value: int | Fraction) -> str:
    """A number with its thousands apart, and its fraction as one: 1,234 1/2."""
    whole, rest = divmod(Fraction(value), 1)
    if not rest:
        return f"{whole:,}"
    return f"{whole:,} {rest}" if whole else str(rest)


def pluralize(value: int | Fraction, thing: str) -> str:
    """So many of a thing: 1 ballot, 2 ballots."""
    return f"{format_number(value)} {thing}" if value == 1 else f"{format_number(value)} {thing}s"


def format_ordinal(place: int) -> str:
    """A place as a number with its ending: 1st, 2nd, 3rd, 11th."""
    if place % 100 in (11, 12, 13):
        return f"{place}th"
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th') }"


# FROM visible.py: Words from outside as they may be shown: nothing in them steers what shows them.

# Control characters, what XML has no way to write, and the marks that turn round the direction of
# all that follows them.
_STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]"
)


def replace_control_characters(words: str) -> str:
    """The words, with a mark in the place of each character that would steer."""
    return _STEERING.sub("\ufffd", words)
