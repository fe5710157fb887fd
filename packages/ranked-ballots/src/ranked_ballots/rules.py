"""The choices that change a result, each with a sentence that says what was chosen."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ranked_ballots.result import Rule
from ranked_ballots.tie_break import TieBreak

Unranked: TypeAlias = Literal["last", "no opinion"]
Strength: TypeAlias = Literal["winning", "margins"]
EqualRanks: TypeAlias = Literal["split", "exhaust", "exhaust at once", "skip"]
BordaVariant: TypeAlias = Literal["shared", "listed", "modified"]

_UNRANKED: dict[Unranked, str] = {
    "last": "Unranked candidates are equal, below all ranked ones.",
    "no opinion": "A ballot counts between two candidates only if it ranks both.",
}
_STRENGTH: dict[Strength, str] = {
    "winning": "The strength of a victory is the number of ballots for its winner.",
    "margins": "The strength of a victory is its winner's ballots minus its loser's.",
}
_EQUAL_RANKS: dict[EqualRanks, str] = {
    "split": "A ballot whose best remaining candidates are equal is split between them.",
    "exhaust": "A ballot whose best remaining candidates are equal is exhausted.",
    "exhaust at once": "A ballot is exhausted at the first rank it gives to several candidates.",
    "skip": "A rank that a ballot gives to several candidates is skipped.",
}
_BORDA: dict[BordaVariant, str] = {
    "shared": (
        "A ballot gives a candidate one point for each candidate ranked below and half a point for "
        "each equal one; unranked candidates are equal, below all ranked ones."
    ),
    "listed": (
        "A ballot gives its first choice as many points as there are candidates, its second choice "
        "one less, and so on; equal candidates share points, and unranked ones get none."
    ),
    "modified": (
        "A ballot gives its first choice as many points as it ranks candidates, its second choice "
        "one less, and so on; equal candidates share points, and unranked ones get none."
    ),
}


def unranked_rule(choice: Unranked) -> Rule:
    """Describe how unranked candidates are treated."""
    return Rule("unranked", choice, _UNRANKED[choice])


def strength_rule(choice: Strength) -> Rule:
    """Describe how strong a victory is."""
    return Rule("strength", choice, _STRENGTH[choice])


def equal_ranks_rule(choice: EqualRanks) -> Rule:
    """Describe what happens to a ballot with several best candidates."""
    return Rule("equal ranks", choice, _EQUAL_RANKS[choice])


def borda_rule(choice: BordaVariant) -> Rule:
    """Describe how many points a rank is worth."""
    return Rule("points", choice, _BORDA[choice])


def ties_rule(tie_break: TieBreak | None) -> Rule:
    """Describe how ties are treated."""
    if tie_break is None:
        return Rule("ties", "reported", "Ties are reported.")
    return Rule(
        "ties",
        "seed",
        "Ties are reported and then broken by the order of SHA-256 over the published seed "
        f"'{tie_break.short_seed}' followed by the candidate's name.",
    )
