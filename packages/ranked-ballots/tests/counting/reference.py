"""Slow and simple implementations of the methods, to compare with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from math import ceil

from ranked_ballots import Ranking

Groups = Sequence[tuple[Ranking, int]]
Votes = dict[str, Fraction]


def rank(ranking: Ranking, name: str, *, missing: float = float("inf")) -> float:
    for at, level in enumerate(ranking.levels):
        if name in level:
            return at
    return missing


def prefer(groups: Groups, a: str, b: str, *, both_ranked: bool = False) -> int:
    """Return how many ballots rank a above b."""
    return sum(
        count
        for ranking, count in groups
        if rank(ranking, a) < rank(ranking, b)
        and not (both_ranked and rank(ranking, b) == float("inf"))
    )


def link(
    groups: Groups, a: str, b: str, *, margins: bool = False, both_ranked: bool = False
) -> int:
    votes = prefer(groups, a, b, both_ranked=both_ranked)
    against = prefer(groups, b, a, both_ranked=both_ranked)
    if votes <= against:
        return 0
    return votes - against if margins else votes


def strongest(candidates: Sequence[str], groups: Groups, a: str, b: str, **rules: bool) -> int:
    """Return the strength of the strongest of all paths from a to b, trying each."""
    others = [name for name in candidates if name not in (a, b)]
    best = 0
    for length in range(len(others) + 1):
        for between in permutations(others, length):
            path = [a, *between, b]
            steps = pairwise(path)
            best = max(best, min(link(groups, x, y, **rules) for x, y in steps))
    return best


def shares(ranking: Ranking, left: Sequence[str]) -> Votes:
    """Return whom a ballot counts for, and by how much, if equal ranks split it."""
    for level in ranking.levels:
        standing = [name for name in level if name in left]
        if standing:
            return dict.fromkeys(standing, Fraction(1, len(standing)))
    return {}


def tally(groups: Groups, left: Sequence[str]) -> Votes:
    votes = dict.fromkeys(left, Fraction(0))
    for ranking, count in groups:
        for name, share in shares(ranking, left).items():
            votes[name] += count * share
    return votes


def runoff_winners(groups: Groups, left: Sequence[str]) -> set[str]:
    """Return who wins for some way to break the ties, trying all of them."""
    votes = tally(groups, left)
    for name, number in votes.items():
        if 2 * number > sum(votes.values()):
            return {name}
    if not any(votes.values()):
        return set(left)
    fewest = [name for name in left if votes[name] == min(votes.values())]
    outcomes = [
        runoff_winners(groups, [other for other in left if other != name]) for name in fewest
    ]
    return set[str]().union(*outcomes)


def without_shared_ranks(ranking: Ranking, *, and_what_follows: bool) -> Ranking:
    levels: list[tuple[str, ...]] = []
    for level in ranking.levels:
        if len(level) == 1:
            levels.append(level)
        elif and_what_follows:
            break
    return Ranking(tuple(levels))


def borda_points(candidates: Sequence[str], ranking: Ranking, variant: str) -> Iterator[Fraction]:
    """Yield the points that one ballot gives to each candidate."""
    for name in candidates:
        mine = rank(ranking, name)
        ranked = mine != float("inf")
        others = [rank(ranking, other) for other in candidates if other != name]
        below = sum(mine < other for other in others)
        level = sum(mine == other for other in others)
        above = sum(mine > other for other in others)
        first = len(candidates) if variant == "listed" else len(ranking.names)
        if ranking.is_blank or (variant != "shared" and not ranked):
            yield Fraction(0)
        elif variant == "shared":
            yield below + Fraction(level, 2)
        else:
            yield first - above - Fraction(level, 2)


def scottish_stages(
    candidates: Sequence[str], groups: Groups, seats: int, lots: Sequence[str]
) -> Iterator[Votes]:
    """Yield the votes of each stage, moving one ballot paper at a time.

    A candidate earlier in `lots` is ahead if a tie is decided by lot.
    """
    piles: dict[str, list[tuple[Fraction, tuple[str, ...]]]] = {name: [] for name in candidates}
    for ranking, count in groups:
        for name in ranking.names[:1]:
            piles[name] += [(Fraction(1), ranking.names)] * count
    votes = {name: Fraction(len(pile)) for name, pile in piles.items()}
    quota = sum(map(len, piles.values())) // (seats + 1) + 1
    continuing, elected, stages = list(candidates), list[str](), list[Votes]()
    while True:
        stages.append(dict(votes))
        yield dict(votes)
        elected += [name for name in continuing if votes[name] >= quota]
        continuing = [name for name in continuing if name not in elected]
        if len(elected) >= seats or len(continuing) <= seats - len(elected):
            return

        def standing(name: str) -> tuple[object, ...]:
            return (*(stage[name] for stage in reversed(stages)), -lots.index(name))

        over = [name for name in elected if votes[name] > quota]
        who = max(over, key=standing) if over else min(continuing, key=standing)
        surplus, total = (votes[who] - quota if over else votes[who]), votes[who]
        if not over:
            continuing.remove(who)
        for value, order in piles.pop(who):
            new = Fraction(int(value * surplus / total * 10**5), 10**5) if over else value
            following = [name for name in order[order.index(who) :] if name in continuing]
            if following:
                piles[following[0]].append((new, order))
                votes[following[0]] += new
        if over:
            votes[who] = Fraction(quota)
        else:
            del votes[who]


def meek_votes(
    candidates: Sequence[str], groups: Groups, keep: dict[str, Fraction]
) -> tuple[Votes, Fraction]:
    """Return the votes that keep factors give, and those that no candidate keeps."""
    votes, lost = dict.fromkeys(candidates, Fraction(0)), Fraction(0)
    for ranking, count in groups:
        weight = Fraction(0 if ranking.is_blank else 1)
        for name in ranking.names:
            kept = Fraction(ceil(weight * keep[name] * 10**9), 10**9)
            votes[name] += kept * count
            weight -= kept
        lost += weight * count
    return votes, lost
