"""Every refusal to count.

CountingError           also a ValueError: something that came cannot be counted
├─ RankingError         a ranking names somebody twice, nobody known, or a rank that is none
├─ BallotsError         candidates, rows or counts that make no ballots
└─ FormatError          a file that cannot be read; `line` says where
   ├─ UnknownFormat     no format fits; `tried` says why each did not
   └─ WriteError        ballots that a format cannot hold
"""

from __future__ import annotations


class CountingError(ValueError):
    """The root: whatever counting refuses is one of these."""


class RankingError(CountingError):
    """A ranking that cannot be; `name` is the candidate it is about, if it is about one."""

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class BallotsError(CountingError):
    """Candidates, rows or counts that make no ballots."""


class FormatError(CountingError):
    """A file that is not what its format asks for; `line` counts from 1, None is the whole."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"Line {line:,}: {message}")
        self.line = line


class UnknownFormat(FormatError):
    """A file that fits no format; `tried` has for each why it does not fit."""

    def __init__(self, message: str, tried: dict[str, str]) -> None:
        super().__init__(message)
        self.tried = tried


class WriteError(FormatError):
    """Ballots that a format cannot hold."""
