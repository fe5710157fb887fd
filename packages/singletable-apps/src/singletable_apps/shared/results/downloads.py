"""List the files that ballots and rounds can be downloaded as.

Not every format can hold every set of ballots: some have no ties, some want every candidate ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date

from ranked_ballots import Ranking, RunoffResult
from ranked_ballots.formats import FORMATS, Format, WriteError, check_writable, write_rounds

# Holds totals only, so it is available even where no ballots are published.
ROUNDS_FORMAT = "rctab"
_DESCRIPTIONS = {
    "csv": ("CSV, one column per candidate", "A spreadsheet: the rank of each candidate."),
    "csv-ranks": ("CSV, one column per rank", "A spreadsheet: first, second, third. No ties."),
    "abif": ("ABIF", "Readable text that other Condorcet programs can count."),
    "cef": ("Condorcet Election Format", "For the Condorcet PHP library and its command line."),
    "toi": ("PrefLib TOI", "For research: ties and unranked candidates."),
    "toc": ("PrefLib TOC", "For research: ties, all candidates ranked."),
    "soi": ("PrefLib SOI", "For research: no ties, unranked candidates."),
    "soc": ("PrefLib SOC", "For research: no ties, all candidates ranked."),
    "cvr": ("Cast vote records", "The NIST standard for auditing programs, as JSON."),
    ROUNDS_FORMAT: ("RCTab rounds", "RCVis draws the instant runoff from it. Contains no ballots."),
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download: its title, what it is good for, its extension, and its URL."""

    title: str
    purpose: str
    extension: str
    url: str


def ballot_downloads(formats: Collection[str], url: Callable[[str], str]) -> list[Download]:
    """Return a download for each of the formats."""
    return [
        Download(title, purpose, FORMATS[name].extensions[0], url(name))
        for name, (title, purpose) in _DESCRIPTIONS.items()
        if name in formats
    ]


def writable_formats(
    candidates: Sequence[str], counts: Sequence[tuple[Ranking, int]]
) -> tuple[str, ...]:
    """Return the names of the formats that can hold every one of the ballots."""
    examples = _examples(len(candidates), [ranking for ranking, _ in counts])
    return tuple(
        name
        for name, format_ in FORMATS.items()
        if format_.is_writable and _can_hold(format_, candidates, examples)
    )


def can_write_rounds(runoff: RunoffResult, contest: str) -> bool:
    """Return whether RCTab can hold the rounds: it has no way to write thirds of a vote."""
    try:
        write_rounds(runoff, contest=contest, day=date.min)
    except WriteError:
        return False
    return True


def _examples(candidate_count: int, rankings: Sequence[Ranking]) -> list[tuple[Ranking, int]]:
    """Return one ballot of each kind that some format cannot hold: blank, tied, incomplete."""
    kinds = (
        (ranking for ranking in rankings if ranking.is_blank),
        (ranking for ranking in rankings if any(len(level) > 1 for level in ranking.levels)),
        (ranking for ranking in rankings if sum(map(len, ranking.levels)) < candidate_count),
    )
    examples = [next(kind, None) for kind in kinds]
    return [(ranking, 1) for ranking in examples if ranking is not None]


def _can_hold(
    format_: Format, candidates: Sequence[str], examples: Sequence[tuple[Ranking, int]]
) -> bool:
    try:
        check_writable(format_, candidates, examples)
    except WriteError:
        return False
    return True
