"""What a count at the terminal was asked for, and the counts that are made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.borda import borda
from singletable_apps.counting.copeland import copeland
from singletable_apps.counting.errors import CountingError
from singletable_apps.counting.pairwise import Unranked
from singletable_apps.counting.plurality import plurality
from singletable_apps.counting.ranked_pairs import ranked_pairs
from singletable_apps.counting.result import Result
from singletable_apps.counting.rules import EqualRanks, Strength
from singletable_apps.counting.runoff import instant_runoff
from singletable_apps.counting.schulze import schulze
from singletable_apps.counting.text import join_names

# Which methods an option is for: elsewhere it would do nothing, and nobody would know.
_FOR = {
    "--margins": ("schulze", "ranked-pairs"),
    "--no-opinion": ("schulze", "ranked-pairs", "copeland"),
    "--equal-ranks": ("runoff", "plurality"),
}
_EQUAL_RANKS: dict[str, EqualRanks] = {
    "split": "split",
    "exhaust": "exhaust",
    "exhaust-at-once": "exhaust at once",
    "skip": "skip",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A file, the methods to count it by, and how to show what comes of it."""

    file: Path
    methods: tuple[str, ...] = ("schulze",)
    format: str | None = None
    contest: str | None = None
    seed: str | None = None
    margins: bool = False
    no_opinion: bool = False
    equal_ranks: str | None = None
    json: bool = False
    svg: Path | None = None
    plain: bool = False

    @property
    def strength(self) -> Strength:
        """How strong a victory is."""
        return "margins" if self.margins else "winning"

    @property
    def unranked(self) -> Unranked:
        """What it means to be left out."""
        return "no opinion" if self.no_opinion else "last"

    @property
    def level(self) -> EqualRanks:
        """What becomes of a ballot that names several where one is wanted."""
        return _EQUAL_RANKS[self.equal_ranks or "split"]

    def checked(self) -> None:
        """Raise CountingError if an option is for none of the methods."""
        given = {
            "--margins": self.margins,
            "--no-opinion": self.no_opinion,
            "--equal-ranks": self.equal_ranks is not None,
        }
        for option, methods in _FOR.items():
            if given[option] and not set(methods) & set(self.methods):
                raise CountingError(
                    f"{option} is for {join_names(methods)}, and changes nothing for "
                    f"{join_names(self.methods)}. Leave it out, or choose another --method."
                )


def counts(ballots: Ballots, asked: Asked) -> Iterator[Result]:
    """The result of each method, in the order in which they were asked for."""
    for method in asked.methods:
        yield _count(ballots, asked, method)


def _count(ballots: Ballots, asked: Asked, method: str) -> Result:
    seed, strength, unranked = asked.seed, asked.strength, asked.unranked
    match method:
        case "schulze":
            return schulze(ballots, strength=strength, unranked=unranked, seed=seed)
        case "ranked-pairs":
            return ranked_pairs(ballots, strength=strength, unranked=unranked, seed=seed)
        case "runoff":
            return instant_runoff(ballots, equal_ranks=asked.level, seed=seed)
        case "copeland":
            return copeland(ballots, unranked=unranked, seed=seed)
        case "borda":
            return borda(ballots, seed=seed)
        case "plurality":
            return plurality(ballots, equal_ranks=asked.level, seed=seed)
        case unknown:
            raise CountingError(f"There is no method '{unknown}'.")
