"""The one door: read a file of any format, write ballots in one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.errors import FormatError, WriteError
from singletable_apps.counting.formats.abif.read import read_abif
from singletable_apps.counting.formats.abif.write import write_abif
from singletable_apps.counting.formats.cef.read import read_cef
from singletable_apps.counting.formats.cef.write import write_cef
from singletable_apps.counting.formats.collecting import Asked
from singletable_apps.counting.formats.csv.read import read_csv
from singletable_apps.counting.formats.csv.write import write_csv, write_csv_ranks
from singletable_apps.counting.formats.cvr.read import read_cvr
from singletable_apps.counting.formats.cvr.write import write_cvr
from singletable_apps.counting.formats.detecting import detect
from singletable_apps.counting.formats.preflib.read import read_preflib
from singletable_apps.counting.formats.preflib.write import write_preflib
from singletable_apps.counting.formats.reading import BallotFile
from singletable_apps.counting.formats.rules import BallotRules
from singletable_apps.counting.formats.source import Source, Told, source_of
from singletable_apps.counting.formats.table import FORMATS, PREFLIB

_READERS: dict[str, Callable[[Source, Asked], BallotFile]] = {
    "cef": read_cef,
    "abif": read_abif,
    "csv": read_csv,
    "csv-ranks": read_csv,
    "cvr": read_cvr,
}


def read_ballots(
    file: Path | str | bytes,
    format: str | None = None,  # noqa: A002 (the word that everybody uses)
    *,
    rules: BallotRules | None = None,
    contest: str | None = None,
    told: Told | None = None,
) -> BallotFile:
    """The ballots of a file and an account of each; without `format` it is found out.

    A text is a path. `contest` chooses among those of cast vote records, by name or id. `told` is
    called now and then with the bytes that are done and the bytes there are.
    """
    source = source_of(file)
    name = detect(source) if format is None else _known(format)
    asked = Asked(rules or BallotRules(), contest, told or _untold)
    asked.told(0, len(source.data))
    if name == "preflib" or name in PREFLIB:
        return read_preflib(source, asked, None if name == "preflib" else name)
    if name == "rctab":
        raise FormatError(
            "This is a tabulation of RCTab: votes by round, from which no ballots can be made. "
            "Read it with read_rounds, or get the cast vote records it was made of."
        )
    return _READERS[name](source, asked)


def write_ballots(
    ballots: Ballots,
    format: str,  # noqa: A002
    *,
    title: str = "",
    when: datetime | None = None,
) -> bytes:
    """The ballots in a format; "preflib" takes the narrowest of its kinds.

    `when` is for cast vote records, which say when they were made.
    """
    match _known(format):
        case "cef":
            text = write_cef(ballots, title)
        case "abif":
            text = write_abif(ballots, title)
        case "csv":
            text = write_csv(ballots)
        case "csv-ranks":
            text = write_csv_ranks(ballots)
        case "cvr":
            text = write_cvr(ballots, title, when)
        case "rctab":
            raise WriteError(
                "RCTab's format has rounds and no ballots: count the ballots with instant_runoff, "
                "and write the result with write_rounds."
            )
        case name:
            kind = _narrowest(ballots) if name == "preflib" else name
            text = write_preflib(ballots, title, FORMATS[kind])
    return text.encode()


def _narrowest(ballots: Ballots) -> str:
    rankings = [ranking for ranking, _ in ballots.ranking_counts()]
    ties = any(len(level) > 1 for ranking in rankings for level in ranking.levels)
    partial = any(len(ranking.names) < len(ballots.candidates) for ranking in rankings)
    return ("to" if ties else "so") + ("i" if partial else "c")


def _known(name: str) -> str:
    if name != "preflib" and name not in FORMATS:
        listed = ", ".join((*FORMATS, "preflib"))
        raise FormatError(f"There is no format '{name}'; there are: {listed}.")
    return name


def _untold(_done: int, _total: int) -> None:
    """Nobody asked to be told."""
