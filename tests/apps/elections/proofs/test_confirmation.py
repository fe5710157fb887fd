"""A confirmation stands for one ballot under one definition, and keeps its value for ever."""

from __future__ import annotations

import pytest

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs import (
    BallotDefinition,
    InvalidDocument,
    compute_confirmation,
    create_definition,
    hash_definition,
)

ASKED = create_definition(7, ["Ben", "Ada"], True, level="totals", commitment="0" * 64)
RANKING = Ranking.from_levels(["Ada", "Ben"])
DIGEST = "1c1601f2de69ed365588e33120a022c173c64b911e4080709e7feb2e6cc2232d"
CODE = "6lddbowuqw7jv7f6qriuait33b2o6m5kq666uabm75pjg7d3kq7a"


def of(asked: BallotDefinition, nonce: bytes = bytes(16), ranking: Ranking = RANKING) -> str:
    return compute_confirmation(asked["election_id"], hash_definition(asked), nonce, ranking)


# Receipts are in people's hands: whoever changes this breaks every one of them.
def test_the_confirmation_of_a_ballot_never_changes() -> None:
    assert hash_definition(ASKED) == DIGEST
    assert of(ASKED) == CODE


def test_the_order_in_which_candidates_come_makes_no_difference() -> None:
    other = create_definition(7, ["Ada", "Ben"], True, level="totals", commitment="0" * 64)
    assert other == ASKED
    assert Ranking.from_levels([["Ben", "Ada"]]) == Ranking.from_levels([["Ada", "Ben"]])


@pytest.mark.parametrize(
    "other",
    [
        of(create_definition(8, ["Ada", "Ben"], True, level="totals", commitment="0" * 64)),
        of(create_definition(7, ["Ada", "Bem"], True, level="totals", commitment="0" * 64)),
        of(create_definition(7, ["Ada", "Ben"], False, level="totals", commitment="0" * 64)),
        of(create_definition(7, ["Ada", "Ben"], True, level="anonymous", commitment="0" * 64)),
        of(create_definition(7, ["Ada", "Ben"], True, level="totals", commitment="1" * 64)),
        of(ASKED, nonce=bytes(15) + b"\x01"),
        of(ASKED, ranking=Ranking.from_levels(["Ben", "Ada"])),
        of(ASKED, ranking=Ranking.from_levels([["Ada", "Ben"]])),
        of(ASKED, ranking=Ranking.from_levels(["Ada"])),
        of(ASKED, ranking=Ranking()),
    ],
)
def test_anything_else_gives_another_confirmation(other: str) -> None:
    assert other != of(ASKED)


def test_a_candidate_twice_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="'Ada' is a candidate twice"):
        create_definition(7, ["Ada", "Ben", "Ada"], True, level="totals", commitment="0" * 64)


def test_a_nonce_that_could_be_guessed_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="16 random bytes, and 8 came"):
        of(ASKED, nonce=bytes(8))
