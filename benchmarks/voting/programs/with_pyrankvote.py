"""The ballots with pyrankvote, which has no Schulze."""

# pyrankvote is installed where this program runs, which is not where it is checked.
# mypy: disable-error-code="import-not-found, no-any-unimported, no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from pyrankvote import Ballot, Candidate, instant_runoff_voting

from benchmarks.voting.given import Rows, answer


def runoff(rows: Rows) -> int:
    """A ballot is an object that holds objects."""
    candidates = [Candidate(str(number)) for number in range(len(rows[0]))]
    ballots = [Ballot([candidates[number] for number in row]) for row in rows]
    return int(instant_runoff_voting(candidates, ballots).get_winners()[0].name)


if __name__ == "__main__":
    answer({"instant runoff": runoff})
