"""Files of ballots to take along, each with what it is good for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from singletable_apps.counting.formats import FORMATS

# Made of totals, and so there whatever is published of the ballots.
ROUNDS = "rctab"
_GOOD_FOR = {
    "csv": ("CSV, a column a candidate", "A spreadsheet: each ballot's rank for each candidate."),
    "csv-ranks": ("CSV, a column a rank", "A spreadsheet: who is first, second, third. No ties."),
    "abif": ("ABIF", "Text that people can read, and that other Condorcet programs count."),
    "cef": ("Condorcet Election Format", "Condorcet, the PHP library, and its command line."),
    "toi": ("PrefLib TOI", "Research: orders with ties, and candidates left out."),
    "toc": ("PrefLib TOC", "Research: orders with ties, everybody ranked."),
    "soi": ("PrefLib SOI", "Research: strict orders, and candidates left out."),
    "soc": ("PrefLib SOC", "Research: strict orders, everybody ranked."),
    "cvr": ("Cast vote records", "The standard of NIST for auditing programs, as JSON."),
    ROUNDS: ("RCTab rounds", "RCVis draws the instant runoff from it. It has no ballots."),
}


@dataclass(frozen=True, slots=True)
class File:
    """What can be downloaded: what it is, what it is good for, and how its name ends."""

    title: str
    good_for: str
    ending: str
    to: str


def offered(formats: Collection[str], address: Callable[[str], str]) -> list[File]:
    """A file for each of the formats, and where it is."""
    return [
        File(title, good_for, FORMATS[form].extensions[0], address(form))
        for form, (title, good_for) in _GOOD_FOR.items()
        if form in formats
    ]
