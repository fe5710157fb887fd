"""Ballots for the tests of pictures."""

from __future__ import annotations

import random

from ranked_ballots import Ballots, Ranking

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]>&amp;</svg></title>",
    "\u202eturned\x00 \x1b[31m round",
    "x" * 300,
)


def written(*votes: str) -> Ballots:
    """Create ballots from lines such as "5 Ada > Ben = Cy"."""
    groups: list[tuple[Ranking, int]] = []
    for line in votes:
        count, _, ranking = line.partition(" ")
        levels = [level.split(" = ") for level in ranking.split(" > ")]
        groups.append((Ranking.from_levels(levels), int(count)))
    names = dict.fromkeys(name for ranking, _ in groups for name in ranking.names)
    return Ballots.from_counts(tuple(names), groups)


def random_ballots(names: tuple[str, ...], ballots: int, seed: int = 1) -> Ballots:
    """Create random ballots that are the same in every run."""
    generator = random.Random(seed)
    rankings = [
        Ranking.from_levels(generator.sample(names, generator.randint(1, len(names))))
        for _ in range(ballots)
    ]
    return Ballots.from_rankings(names, rankings)


ELECTIONS: dict[str, Ballots] = {
    "two": written("12 Tea > Coffee", "9 Coffee > Tea"),
    "one candidate": written("3 Ada"),
    "no ballots": Ballots.from_rankings(("Ada", "Ben", "Cy"), ()),
    "only blank ballots": Ballots.from_rankings(("Ada", "Ben"), [Ranking(), Ranking()]),
    "dead heat": written("5 Ada > Ben", "5 Ben > Ada"),
    # The first example of Schulze's paper.
    "cycle": written(
        "5 A > C > B > E > D",
        "5 A > D > E > C > B",
        "8 B > E > D > A > C",
        "3 C > A > B > E > D",
        "7 C > A > E > B > D",
        "2 C > B > A > D > E",
        "7 D > C > E > B > A",
        "8 E > B > A > D > C",
    ),
    "split votes": written("3 Ada = Ben > Cy", "2 Cy", "2 Ben > Cy", "4 Di = Cy", "1 Di > Ada"),
    "beyond 64 bits": written(f"{2**70} Ada > Ben > Cy", f"{2**69} Ben > Cy", f"{2**69 + 1} Cy"),
    "hostile names": random_ballots(HOSTILE, 40),
    "fifty": random_ballots(tuple(f"Candidate with a long name, {n}" for n in range(50)), 600),
}
