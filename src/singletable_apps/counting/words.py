"""Names and numbers as people say them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def listed(names: Sequence[str]) -> str:
    """The names as a sentence has them: Ada, Ben and Cy."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def number(value: int | Fraction) -> str:
    """A number with its thousands apart, and its fraction as one: 1,234 1/2."""
    whole, rest = divmod(Fraction(value), 1)
    if not rest:
        return f"{whole:,}"
    return f"{whole:,} {rest}" if whole else str(rest)


def counted(value: int | Fraction, thing: str) -> str:
    """So many of a thing: 1 ballot, 2 ballots."""
    return f"{number(value)} {thing}" if value == 1 else f"{number(value)} {thing}s"


def ordinal(place: int) -> str:
    """A place as a number with its ending: 1st, 2nd, 3rd, 11th."""
    if place % 100 in (11, 12, 13):
        return f"{place}th"
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th') }"
