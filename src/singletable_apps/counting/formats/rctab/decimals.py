"""Numbers of votes as RCTab writes them: decimals in quotes."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from singletable_apps.counting.errors import FormatError, WriteError
from singletable_apps.counting.result import Number

_DECIMAL = re.compile(r"[0-9]{1,1000}(?:\.[0-9]{0,1000})?|\.[0-9]{1,1000}")


def written(votes: Number, places: int | None) -> str:
    """The number in digits; with `places` it is cut off after so many, without it must end."""
    exact = Fraction(votes)
    if exact.denominator == 1:
        return str(exact.numerator)
    if places is None and _has_no_end(exact.denominator):
        raise WriteError(
            f"{exact} votes have no end as a decimal, which is all that RCTab's format has. Give "
            "`places` to cut numbers off after so many digits; their sums are then not exact."
        )
    digits = exact.denominator.bit_length() if places is None else places
    unit = 10**digits
    whole, rest = divmod(exact.numerator * unit // exact.denominator, unit)
    return f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".")


def number_of(said: str | int | float, what: str) -> Number:
    """The number that a file says, exactly; a number without quotes is read as it is printed."""
    text = said if isinstance(said, str) else format(Decimal(str(said)), "f")
    if not _DECIMAL.fullmatch(text):
        raise FormatError(f"{what} is {text[:60]!r}; it should be a number of votes.")
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value


def _has_no_end(denominator: int) -> bool:
    for factor in (2, 5):
        while denominator % factor == 0:
            denominator //= factor
    return denominator != 1
