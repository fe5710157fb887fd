"""Who beats whom head to head, who beats everyone, and the smallest set that beats the rest."""

from __future__ import annotations

from collections.abc import Sequence

from singletable_apps.counting.pairwise import Matrix


def find_condorcet_winner(candidates: Sequence[str], preferences: Matrix) -> str | None:
    """The one who beats every other candidate; None if nobody does."""
    for a, name in enumerate(candidates):
        if all(preferences[a][b] > preferences[b][a] for b in range(len(candidates)) if b != a):
            return name
    return None


def find_smith_set(candidates: Sequence[str], preferences: Matrix) -> tuple[str, ...]:
    """The smallest set whose every member beats everyone outside."""
    size = len(candidates)
    losses = [sum(preferences[b][a] > preferences[a][b] for b in range(size)) for a in range(size)]
    wins = [sum(preferences[a][b] > preferences[b][a] for b in range(size)) for a in range(size)]
    # Whoever has most wins (a tie is half a one) is in it; so is each whom a member does not beat.
    inside = {max(range(size), key=lambda a: wins[a] - losses[a])}
    waiting = list(inside)
    while waiting:
        member = waiting.pop()
        for other in range(size):
            if other not in inside and preferences[member][other] <= preferences[other][member]:
                inside.add(other)
                waiting.append(other)
    return tuple(candidates[a] for a in sorted(inside))
