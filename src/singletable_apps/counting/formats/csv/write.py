"""Ballots as a table, with the count of each ranking in the first column."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.errors import WriteError
from singletable_apps.counting.formats.csv.cells import NOBODY, TOO_MANY
from singletable_apps.counting.formats.csv.header import title_of
from singletable_apps.counting.formats.table import CSV, CSV_RANKS
from singletable_apps.counting.formats.writable import check_writable


def write_csv(ballots: Ballots) -> str:
    """A column for each candidate, with rank numbers; who is not ranked has an empty cell."""
    counted = ballots.ranking_counts()
    check_writable(CSV, ballots.candidates, counted)
    rows: list[list[object]] = []
    for ranking, count in counted:
        ranks = {name: at for at, level in enumerate(ranking.levels, 1) for name in level}
        rows.append([count, *(ranks.get(name, "") for name in ballots.candidates)])
    return _table(["count", *map(title_of, ballots.candidates)], rows)


def write_csv_ranks(ballots: Ballots) -> str:
    """A column for each rank, with names. Candidates are known by being ranked, in that order."""
    counted = ballots.ranking_counts()
    check_writable(CSV_RANKS, ballots.candidates, counted)
    ranked = {name for ranking, _ in counted for name in ranking.names}
    for name in ballots.candidates:
        if name not in ranked or name.lower() in NOBODY | TOO_MANY:
            why = "it is a word for no candidate" if name in ranked else "nobody ranks them"
            raise WriteError(
                f"The format csv-ranks cannot hold the candidate {name!r}: {why}. Write csv."
            )
    places = max((len(ranking.levels) for ranking, _ in counted), default=1)
    rows: list[list[object]] = [
        [count, *ranking.names, *[""] * (places - len(ranking.names))] for ranking, count in counted
    ]
    return _table(["count", *(f"rank {place}" for place in range(1, places + 1))], rows)


def _table(header: list[str], rows: Iterable[list[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
