"""Ballot files in and out."""

from __future__ import annotations

from singletable_apps.counting.errors import FormatRefused, FormatUnknown, WritingRefused
from singletable_apps.counting.formats.door import read, write
from singletable_apps.counting.formats.rctab.read import read_rounds
from singletable_apps.counting.formats.rctab.tabulation import (
    Outcome,
    TabulatedRound,
    Tabulation,
    tabulation_of,
)
from singletable_apps.counting.formats.rctab.write import write_rounds
from singletable_apps.counting.formats.reading import Reading, Treated
from singletable_apps.counting.formats.rules import BallotRules
from singletable_apps.counting.formats.table import FORMATS, Format

__all__ = [
    "FORMATS",
    "BallotRules",
    "Format",
    "FormatRefused",
    "FormatUnknown",
    "Outcome",
    "Reading",
    "TabulatedRound",
    "Tabulation",
    "Treated",
    "WritingRefused",
    "read",
    "read_rounds",
    "tabulation_of",
    "write",
    "write_rounds",
]
