"""Count ballots with VoteKit."""

# VoteKit is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, no-any-unimported, no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from votekit.ballot import RankBallot
from votekit.elections import FastSTV, Schulze
from votekit.pref_profile import RankProfile

from benchmarks.programs.counting import Rows, count_and_print


def profile(rows: Rows) -> RankProfile:
    """Return the ballots as objects of VoteKit."""
    ranks = [frozenset([str(number)]) for number in range(len(rows[0]))]
    ballots = tuple(RankBallot(ranking=[ranks[number] for number in row]) for row in rows)
    return RankProfile(ballots=ballots, candidates=[str(number) for number in range(len(ranks))])


def schulze(rows: Rows) -> int:
    """Count by Schulze; VoteKit uses margins, which is the same for complete ballots."""
    return _elected(Schulze(profile(rows)))


def runoff(rows: Rows) -> int:
    """Count by single transferable vote for one seat, which is an instant runoff."""
    return _elected(FastSTV(profile(rows), m=1))


def _elected(election: Schulze | FastSTV) -> int:
    (winner,) = election.get_elected()[0]
    return int(winner)


if __name__ == "__main__":
    count_and_print({"Schulze": schulze, "instant runoff": runoff})
