"""Elections with published results, or results on which several programs agree."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from ranked_ballots import Ballots, Ranking

_FILE = Path(__file__).parents[1] / "data" / "tally_vectors.json"


class Group(msgspec.Struct, forbid_unknown_fields=True):
    count: int
    ranking: list[list[str]]


class ExpectedRound(msgspec.Struct, forbid_unknown_fields=True):
    tally: dict[str, int]
    exhausted: int
    eliminated: str | None = None
    winner: str | None = None


class Expected(msgspec.Struct, forbid_unknown_fields=True):
    winners: list[str] | None = None
    paths: list[list[int]] | None = None
    ranking: list[list[str]] | None = None
    condorcet_winner: str | None = None
    pairwise: list[list[int]] | None = None
    pairwise_some: list[tuple[str, str, int, int]] = []
    ranked_pairs_winners: list[str] | None = None
    rounds: list[ExpectedRound] | None = None
    winners_under_some_tiebreak: list[str] | None = None
    tie_round: int | None = None
    tied_for_last: list[str] | None = None


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    strength: Literal["winning", "margins"] = "winning"


class Vector(msgspec.Struct, forbid_unknown_fields=True):
    """One election; unknown fields are rejected, because they would not be checked."""

    name: str
    source: str
    kind: Literal["published", "constructed"]
    method: Literal["schulze", "irv"]
    candidates: list[str]
    ballots: list[Group]
    expected: Expected
    published_fields: list[str]
    verified_with: list[str]
    options: Options = Options()
    note: str = ""

    def cast(self) -> Ballots:
        groups = [(Ranking.from_levels(each.ranking), each.count) for each in self.ballots]
        return Ballots.from_counts(self.candidates, groups)


VECTORS = msgspec.json.decode(_FILE.read_bytes(), type=list[Vector])
