"""Count ballots with pref_voting."""

# pref_voting is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, no-any-unimported, no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from pref_voting.iterative_methods import instant_runoff
from pref_voting.margin_based_methods import beat_path
from pref_voting.profiles import Profile

from benchmarks.programs.counting import Rows, count_and_print


def schulze(rows: Rows) -> int:
    """Count by Schulze, which pref_voting calls beat path."""
    return int(beat_path(Profile(rows))[0])


def runoff(rows: Rows) -> int:
    """Count by instant runoff; all who are tied for last are eliminated together."""
    return int(instant_runoff(Profile(rows))[0])


if __name__ == "__main__":
    count_and_print({"Schulze": schulze, "instant runoff": runoff})
