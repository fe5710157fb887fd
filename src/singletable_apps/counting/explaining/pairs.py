"""Head to head in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable_apps.counting.pairwise import Matrix
from singletable_apps.counting.text import format_number, join_names


def beats(candidates: Sequence[str], preferences: Matrix, a: str, b: str) -> str:
    """One pair, without a full stop: Ada beats Ben 12 to 9."""
    row, column = candidates.index(a), candidates.index(b)
    votes, against = preferences[row][column], preferences[column][row]
    if votes == against:
        return f"{a} and {b} are level, {format_number(votes)} to {format_number(against)}"
    if votes < against:
        a, b, votes, against = b, a, against, votes
    return f"{a} beats {b} {format_number(votes)} to {format_number(against)}"


def condorcet(
    candidates: Sequence[str], preferences: Matrix, winner: str | None, smith: Sequence[str]
) -> Iterator[str]:
    """Whether somebody beats everyone, pair by pair."""
    if winner is None:
        said = "Nobody beats every other candidate head to head."
        if len(smith) < len(candidates):
            said += f" {join_names(smith)} each beat everyone who is not one of them."
        yield said
        return
    yield f"{winner} beats every other candidate head to head, and so wins."
    for other in candidates:
        if other != winner:
            yield f"{beats(candidates, preferences, winner, other)}."
