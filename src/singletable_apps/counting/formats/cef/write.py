"""Ballots in the Condorcet Election Format."""

from __future__ import annotations

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.formats.table import CEF
from singletable_apps.counting.formats.writable import check_writable


def write_cef(ballots: Ballots, title: str) -> str:
    """The file, with implicit ranking off: who is not ranked stays so."""
    counted = ballots.ranking_counts()
    check_writable(CEF, ballots.candidates, counted)
    lines = [f"# {' '.join(title.split())}"] if title.split() else []
    lines += [
        f"#/Candidates: {' ; '.join(ballots.candidates)}",
        "#/Implicit Ranking: false",
        "#/Weight Allowed: false",
        "",
    ]
    lines += [
        f"{'/EMPTY/' if ranking.is_blank else ranking} * {count}" for ranking, count in counted
    ]
    return "\n".join(lines) + "\n"
