"""The errors of counting.

CountingError           base class, also a ValueError
├─ RankingError         a ranking repeats a candidate, or has an unknown one or an invalid rank
├─ BallotsError         invalid candidates, rows or counts
└─ FormatError          a file cannot be read; `line` says where
   ├─ UnknownFormat     no format matches; `tried` has the reason for each
   └─ WriteError        a format cannot represent these ballots
"""

from __future__ import annotations


class CountingError(ValueError):
    """Base class of all errors of counting."""


class RankingError(CountingError):
    """An invalid ranking; `name` is the candidate concerned, or None."""

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class BallotsError(CountingError):
    """Invalid candidates, rows or counts."""


class FormatError(CountingError):
    """A file that does not follow its format; `line` starts at 1, None is the whole file."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"Line {line:,}: {message}")
        self.line = line


class UnknownFormat(FormatError):
    """A file that matches no format; `tried` has the reason for each format."""

    def __init__(self, message: str, tried: dict[str, str]) -> None:
        super().__init__(message)
        self.tried = tried


class WriteError(FormatError):
    """Ballots or rounds that a format cannot represent."""
