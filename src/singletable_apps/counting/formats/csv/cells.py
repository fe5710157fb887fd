"""What stands in the cells of a table: rank numbers, names, and words for no name."""

from __future__ import annotations

import re

from singletable_apps.counting.errors import FormatError
from singletable_apps.counting.formats.collecting import Collector
from singletable_apps.counting.formats.digits import shown, whole_number

UNCLEAR = -2
# Words that election offices put where no candidate is marked, or too many are.
NOBODY = frozenset(("skipped", "undervote", "-"))
TOO_MANY = frozenset(("overvote",))
_RANK = re.compile("([0-9]+)(?:st|nd|rd|th)?", re.IGNORECASE)


def rank_of(cell: str, line: int, name: str) -> int | None:
    """The rank in a cell below a candidate; empty, a dash or 0 is not ranked."""
    text = cell.strip()
    if text in ("", "-"):
        return None
    found = _RANK.fullmatch(text)
    if found is None:
        raise FormatError(
            f"the rank of {shown(name)} is {shown(text)}; a rank is 1, 2, 3 …, and empty, '-' or "
            "0 is not ranked.",
            line,
        )
    return whole_number(found[1], line, "A rank") or None


def is_nobody(name: str) -> bool:
    """Whether a cell of a rank names nobody."""
    return not name or name.lower() in NOBODY


class Numbers(dict[bytes, int]):
    """A candidate's number for a cell; nobody is -1, and what is no single name is UNCLEAR."""

    def __init__(self, collector: Collector) -> None:
        super().__init__()
        self._collector = collector

    def __missing__(self, cell: bytes) -> int:
        name = cell.decode().strip()
        if is_nobody(name):
            number = -1
        elif name.lower() in TOO_MANY:
            number = UNCLEAR
        else:
            number = self._collector.number(name)
        self[cell] = number
        return number

    def names(self) -> tuple[str, ...]:
        """Everybody so far, by number."""
        return tuple(self._collector.candidates)
