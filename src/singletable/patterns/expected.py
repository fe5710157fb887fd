"""What is expected of a pattern when there is much to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from singletable.errors import DeclarationError
from singletable.patterns.rate import Rate

LARGEST_ITEM = 400 * 1024


class Expectations(TypedDict, total=False):
    """What may be said of a pattern: how often, how many items of which size, and how fresh."""

    rate: Rate | None
    items: int
    size: int | None
    consistent: bool


@dataclass(frozen=True, slots=True)
class Expected:
    """What was said of a pattern; `rate` and `size` are None where nothing was.

    `items` are found or written in one call, `size` bytes each.
    """

    rate: Rate | None = None
    items: int = 1
    size: int | None = None
    consistent: bool = False


def expected_of(where: str, said: Expectations) -> Expected:
    """What was said, if it can be."""
    expected = Expected(**said)
    if expected.rate is not None and not isinstance(expected.rate, Rate):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"{where}: rate={expected.rate!r}: expected a rate, such as per_second(20)."
        )
    if type(expected.items) is not int or expected.items < 0:
        raise DeclarationError(
            f"{where}: items={expected.items!r}: expected a whole number from 0 on."
        )
    if expected.size is not None:
        check_size(f"{where}: size", expected.size)
    return expected


def check_size(where: str, size: int) -> None:
    """Refuse a size that no item has."""
    if type(size) is not int or not 1 <= size <= LARGEST_ITEM:
        raise DeclarationError(f"{where}={size!r}: an item has 1 to {LARGEST_ITEM:,} bytes.")
