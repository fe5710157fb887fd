"""The choices that change a result, each with the sentence that tells what was chosen."""

from __future__ import annotations

from typing import Literal, TypeAlias

from singletable_apps.counting.pairwise import Unranked
from singletable_apps.counting.result import Rule
from singletable_apps.counting.tie_break import TieBreak

Strength: TypeAlias = Literal["winning", "margins"]
EqualRanks: TypeAlias = Literal["split", "exhaust", "exhaust at once", "skip"]
BordaVariant: TypeAlias = Literal["shared", "listed", "modified"]

_UNRANKED: dict[Unranked, str] = {
    "last": "Candidates that a ballot leaves out stand level, below all that it ranks.",
    "no opinion": "A ballot counts between two candidates only if it ranks both.",
}
_STRENGTH: dict[Strength, str] = {
    "winning": "A victory is as strong as the number of ballots for the one who wins it.",
    "margins": "A victory is as strong as the ballots for its winner less those for its loser.",
}
_EQUAL_RANKS: dict[EqualRanks, str] = {
    "split": "A ballot whose best continuing candidates stand level is split equally between them.",
    "exhaust": "A ballot whose best continuing candidates stand level is exhausted there.",
    "exhaust at once": "A ballot is exhausted at the first rank that it gives to several.",
    "skip": "A rank that a ballot gives to several candidates is passed over.",
}
_BORDA: dict[BordaVariant, str] = {
    "shared": (
        "A ballot gives a point for each candidate ranked below and half a point for each that "
        "stands level; those it leaves out stand level, below all that it ranks."
    ),
    "listed": (
        "A ballot gives as many points as there are candidates to its first, one less to its "
        "second, and so on; those on a level share theirs, and those it leaves out get none."
    ),
    "modified": (
        "A ballot gives as many points as it ranks candidates to its first, one less to its "
        "second, and so on; those on a level share theirs, and those it leaves out get none."
    ),
}


def unranked_rule(choice: Unranked) -> Rule:
    """What it means to be left out."""
    return Rule("unranked", choice, _UNRANKED[choice])


def strength_rule(choice: Strength) -> Rule:
    """How strong a victory is."""
    return Rule("strength", choice, _STRENGTH[choice])


def equal_ranks_rule(choice: EqualRanks) -> Rule:
    """What becomes of a ballot that names several where one is wanted."""
    return Rule("equal ranks", choice, _EQUAL_RANKS[choice])


def borda_rule(choice: BordaVariant) -> Rule:
    """How many points a place is worth."""
    return Rule("points", choice, _BORDA[choice])


def ties_rule(ties: TieBreak | None) -> Rule:
    """What becomes of those who end level."""
    if ties is None:
        return Rule("ties", "reported", "Whoever ends level is reported as tied.")
    return Rule(
        "ties",
        "seed",
        "Whoever ends level is reported as tied, and then put in the order of SHA-256 over the "
        f"published seed '{ties.seed}' followed by the candidate's name.",
    )
