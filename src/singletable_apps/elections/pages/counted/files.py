"""Files to take along, each with what it is good for."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.counted.formats import can_write_rounds
from singletable_apps.elections.pages.counted.model import Count
from singletable_apps.shared.counting.formats import FORMATS

# Made of totals, and so there whatever is published.
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


def files_of(count: Count) -> list[File]:
    """Every file that there may be of the election now."""
    return [*_about(count), *_ballots(count)]


def _about(count: Count) -> list[File]:
    election = count.election
    files = [
        File(
            "The result",
            "All of this page as data: places, pairs, chains, and the sentences.",
            "json",
            election_address(election, "tally", "result.json"),
        )
    ]
    if count.tally.closing is not None:
        files.append(
            File(
                "The signed publication",
                "What the checker reads: the signed close, all confirmations, and what else is "
                "published.",
                "json",
                election_address(election, "published", "publication.json"),
            )
        )
    return files


def _ballots(count: Count) -> list[File]:
    rounds = {ROUNDS} if can_write_rounds(count.runoff, count.election.name) else set[str]()
    return [
        File(
            title,
            good_for,
            FORMATS[form].extensions[0],
            election_address(count.election, "tally", "ballots", form),
        )
        for form, (title, good_for) in _GOOD_FOR.items()
        if form in {*rounds, *count.formats}
    ]
