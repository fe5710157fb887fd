"""Ballot files in and out."""

from __future__ import annotations

from singletable_apps.counting.errors import FormatError, UnknownFormat, WriteError
from singletable_apps.counting.formats.door import read_ballots, write_ballots
from singletable_apps.counting.formats.rctab.read import read_rounds
from singletable_apps.counting.formats.rctab.tabulation import (
    Outcome,
    TabulatedRound,
    Tabulation,
    tabulation_of,
)
from singletable_apps.counting.formats.rctab.write import write_rounds
from singletable_apps.counting.formats.reading import Adjustment, BallotFile
from singletable_apps.counting.formats.rules import BallotRules
from singletable_apps.counting.formats.table import FORMATS, Format
from singletable_apps.counting.formats.writable import check_writable

__all__ = [
    "FORMATS",
    "Adjustment",
    "BallotFile",
    "BallotRules",
    "Format",
    "FormatError",
    "Outcome",
    "TabulatedRound",
    "Tabulation",
    "UnknownFormat",
    "WriteError",
    "check_writable",
    "read_ballots",
    "read_rounds",
    "tabulation_of",
    "write_ballots",
    "write_rounds",
]
