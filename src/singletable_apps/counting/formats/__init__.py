"""Read and write ballot files."""

from __future__ import annotations

from singletable_apps.counting.errors import FormatError, UnknownFormat, WriteError
from singletable_apps.counting.formats.collector import Adjustment, BallotFile
from singletable_apps.counting.formats.files import read_ballots, write_ballots
from singletable_apps.counting.formats.rctab import (
    RoundOutcome,
    TabulatedRound,
    Tabulation,
    read_rounds,
    write_rounds,
)
from singletable_apps.counting.formats.registry import FORMATS, Format, check_writable
from singletable_apps.counting.formats.rules import BallotRules

__all__ = [
    "FORMATS",
    "Adjustment",
    "BallotFile",
    "BallotRules",
    "Format",
    "FormatError",
    "RoundOutcome",
    "TabulatedRound",
    "Tabulation",
    "UnknownFormat",
    "WriteError",
    "check_writable",
    "read_ballots",
    "read_rounds",
    "write_ballots",
    "write_rounds",
]
