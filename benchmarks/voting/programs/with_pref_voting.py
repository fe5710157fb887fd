"""The ballots with pref_voting."""

# pref_voting is installed where this program runs, which is not where it is checked.
# mypy: disable-error-code="import-not-found, no-any-unimported, no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from pref_voting.iterative_methods import instant_runoff
from pref_voting.margin_based_methods import beat_path
from pref_voting.profiles import Profile

from benchmarks.voting.given import Rows, answer


def schulze(rows: Rows) -> int:
    """Its name for the method is beat path."""
    return int(beat_path(Profile(rows))[0])


def runoff(rows: Rows) -> int:
    """Its plain instant runoff, which removes all who are tied for last at once."""
    return int(instant_runoff(Profile(rows))[0])


if __name__ == "__main__":
    answer({"Schulze": schulze, "instant runoff": runoff})
