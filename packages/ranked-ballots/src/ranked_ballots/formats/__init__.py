"""Read and write ballot files."""

from __future__ import annotations

from ranked_ballots.errors import FormatError, UnknownFormat, WriteError
from ranked_ballots.formats.collector import BallotFile
from ranked_ballots.formats.files import read_ballots, write_ballots
from ranked_ballots.formats.rctab import (
    Tabulation,
    read_rounds,
    write_rounds,
)
from ranked_ballots.formats.registry import FORMATS, Format, check_writable
from ranked_ballots.formats.rules import BallotRules

__all__ = [
    "FORMATS",
    "BallotFile",
    "BallotRules",
    "Format",
    "FormatError",
    "Tabulation",
    "UnknownFormat",
    "WriteError",
    "check_writable",
    "read_ballots",
    "read_rounds",
    "write_ballots",
    "write_rounds",
]
