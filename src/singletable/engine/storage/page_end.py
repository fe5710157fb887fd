"""How many rows of a stretch fill a page, found without reading them one by one.

SQLite adds up sizes many times as fast as Python can look at each. Sizes are mostly alike, so the
end of a page can be guessed from those of the first rows: SQLite adds up all before it, and only
the few rows around it are looked at. If sizes differ, the guess is made again from what is known.
"""

from __future__ import annotations

from typing import TypeAlias

from singletable.engine.storage.execute import Execute
from singletable.engine.storage.stretch import Stretch

# Rows, the sum of their sizes, and the last of them if the page is full.
Counted: TypeAlias = tuple[int, int, bytes | None]

_SAMPLE = 512
_LOOKED_AT = 64


def count_page(execute: Execute, stretch: Stretch, full: int, limit: int | None) -> Counted:
    """The rows of a stretch until their sizes reach `full`, the limit is met, or it ends."""
    most = _SAMPLE if limit is None else min(limit, _SAMPLE)
    count, size = stretch.total(execute, most)
    if count < most and size < full:
        return count, size, None
    # Those of `low` rows do not fill the page; those of `high` rows do, or are as many as allowed.
    low, low_size, high = 0, 0, limit
    if size >= full or count == limit:
        high = count
    else:
        low, low_size = count, size
    halve = False
    while True:
        guess = _guess(low, low_size, high, full, halve=halve)
        halve = not halve
        if guess > low:
            count, size = stretch.total(execute, guess)
            if size >= full:
                high = guess
                continue
            if count < guess:
                return count, size, None
            low, low_size = count, size
        rows = stretch.some(execute, low, _LOOKED_AT)
        for number, (row_size, json) in enumerate(rows, low + 1):
            low_size += row_size
            if low_size >= full or number == limit:
                return number, low_size, json
        low += len(rows)
        if len(rows) < _LOOKED_AT:
            return low, low_size, None


def _guess(low: int, low_size: int, high: int | None, full: int, *, halve: bool) -> int:
    """A number of rows that is somewhat too low, if sizes go on as they began."""
    if high is not None and high - low <= _LOOKED_AT:
        return low
    if halve and high is not None:
        return (low + high) // 2
    size_of_one = max(low_size // low, 1) if low else full
    guess = low + (full - low_size) // size_of_one - _LOOKED_AT // 2
    return max(low, guess if high is None else min(guess, high - 1))
