"""Count ballots with pyrankvote, which has no Schulze."""

# pyrankvote is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, no-any-unimported, no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from pyrankvote import Ballot, Candidate, instant_runoff_voting

from benchmarks.programs.counting import Rows, count_and_print


def runoff(rows: Rows) -> int:
    """Count by instant runoff."""
    candidates = [Candidate(str(number)) for number in range(len(rows[0]))]
    ballots = [Ballot([candidates[number] for number in row]) for row in rows]
    return int(instant_runoff_voting(candidates, ballots).get_winners()[0].name)


if __name__ == "__main__":
    count_and_print({"instant runoff": runoff})
