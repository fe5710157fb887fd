"""The ballots with VoteKit."""

# VoteKit is installed where this program runs, which is not where it is checked.
# mypy: disable-error-code="import-not-found, no-any-unimported, no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from votekit.ballot import RankBallot
from votekit.elections import FastSTV, Schulze
from votekit.pref_profile import RankProfile

from benchmarks.voting.given import Rows, answer


def profile(rows: Rows) -> RankProfile:
    """A ballot is an object, and a rank a set of names."""
    ranks = [frozenset([str(number)]) for number in range(len(rows[0]))]
    ballots = tuple(RankBallot(ranking=[ranks[number] for number in row]) for row in rows)
    return RankProfile(ballots=ballots, candidates=[str(number) for number in range(len(ranks))])


def schulze(rows: Rows) -> int:
    """By margins, which on complete ballots is the same."""
    return _elected(Schulze(profile(rows)))


def runoff(rows: Rows) -> int:
    """Its fast transferable vote for one seat, which is an instant runoff."""
    return _elected(FastSTV(profile(rows), m=1))


def _elected(election: Schulze | FastSTV) -> int:
    (winner,) = election.get_elected()[0]
    return int(winner)


if __name__ == "__main__":
    answer({"Schulze": schulze, "instant runoff": runoff})
