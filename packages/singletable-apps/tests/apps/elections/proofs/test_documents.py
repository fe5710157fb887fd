"""Definitions, confirmations, closing statements and the names of downloads."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from ranked_ballots import Ballots, Ranking, RankingError, instant_runoff
from singletable_apps.elections.proofs.documents import (
    BallotDefinition,
    add_proof,
    checker_command,
    compute_commitment,
    compute_confirmation,
    compute_tie_seed,
    create_definition,
    create_publication,
    create_receipt,
    create_statement,
    hash_definition,
    hash_rankings,
    publication_filename,
    receipt_filename,
)
from singletable_apps.elections.proofs.errors import InvalidDocument
from singletable_apps.elections.proofs.merkle import MerkleTree
from tests.apps.elections.proofs.factories import NAME, SECRET, make_definition, make_sample

DEFINITION = create_definition(7, ["Ada", "Ben"], True, level="totals", commitment="0" * 64)
RANKING = Ranking.from_levels(["Ada", "Ben"])
DIGEST = "1c1601f2de69ed365588e33120a022c173c64b911e4080709e7feb2e6cc2232d"
CODE = "6lddbowuqw7jv7f6qriuait33b2o6m5kq666uabm75pjg7d3kq7a"


def confirm(
    definition: BallotDefinition, nonce: bytes = bytes(16), ranking: Ranking = RANKING
) -> str:
    digest = hash_definition(definition)
    return compute_confirmation(definition["election_id"], digest, nonce, ranking)


# Voters have receipts: a change of these values would make all of them invalid.
def test_confirmation_of_a_ballot_never_changes() -> None:
    assert hash_definition(DEFINITION) == DIGEST
    assert confirm(DEFINITION) == CODE


def test_definition_has_the_candidates_in_their_order() -> None:
    other = create_definition(7, ["Ben", "Ada"], True, level="totals", commitment="0" * 64)
    assert other["candidates"] == ["Ben", "Ada"]
    assert Ranking.from_levels([["Ben", "Ada"]]) == Ranking.from_levels([["Ada", "Ben"]])


@pytest.mark.parametrize(
    "other",
    [
        confirm(create_definition(8, ["Ada", "Ben"], True, level="totals", commitment="0" * 64)),
        confirm(create_definition(7, ["Ada", "Bem"], True, level="totals", commitment="0" * 64)),
        confirm(create_definition(7, ["Ada", "Ben"], False, level="totals", commitment="0" * 64)),
        confirm(create_definition(7, ["Ada", "Ben"], True, level="anonymous", commitment="0" * 64)),
        confirm(create_definition(7, ["Ada", "Ben"], True, level="totals", commitment="1" * 64)),
        confirm(DEFINITION, nonce=bytes(15) + b"\x01"),
        confirm(DEFINITION, ranking=Ranking.from_levels(["Ben", "Ada"])),
        confirm(DEFINITION, ranking=Ranking.from_levels([["Ada", "Ben"]])),
        confirm(DEFINITION, ranking=Ranking.from_levels(["Ada"])),
        confirm(DEFINITION, ranking=Ranking()),
    ],
)
def test_any_change_gives_another_confirmation(other: str) -> None:
    assert other != confirm(DEFINITION)


def test_definition_rejects_a_candidate_twice() -> None:
    with pytest.raises(InvalidDocument, match="'Ada' appears twice"):
        create_definition(7, ["Ada", "Ben", "Ada"], True, level="totals", commitment="0" * 64)


def test_confirmation_rejects_a_short_nonce() -> None:
    with pytest.raises(InvalidDocument, match="16 bytes, but got 8"):
        confirm(DEFINITION, nonce=bytes(8))


STATEMENT: dict[str, Any] = dict(make_sample("anonymous").closing["statement"])


def restate(**changes: Any) -> Any:
    fields: dict[str, Any] = {**STATEMENT, "secret": SECRET, **changes}
    del fields["format"]
    return create_statement(**fields)


def test_statement_needs_the_committed_secret() -> None:
    assert restate() == STATEMENT
    with pytest.raises(InvalidDocument, match="not the one that was committed to"):
        restate(secret=bytes(32))
    with pytest.raises(InvalidDocument, match="32 bytes, but got 5"):
        restate(secret=b"short")


# If only totals are published, a digest of all rankings could be found by trying all of them.
def test_statement_has_a_rankings_digest_only_if_they_are_published() -> None:
    with pytest.raises(InvalidDocument, match="level is totals"):
        restate(definition=make_definition("totals"))
    with pytest.raises(InvalidDocument, match="level is confirmations"):
        restate(definition=make_definition("confirmations"), rankings=None)


def test_rankings_digest_does_not_depend_on_their_order() -> None:
    one, other = Ranking.from_levels(["Ada"]), Ranking()
    assert hash_rankings([one, other, one]) == hash_rankings([one, one, other])
    assert hash_rankings([one, other]) != hash_rankings([one, one, other])


def test_tie_seed_depends_on_root_and_secret_and_orders_ties() -> None:
    root = STATEMENT["root"]
    seeds = [(root, SECRET), ("0" * 64, SECRET), (root, bytes(32))]
    assert len({compute_tie_seed(*each) for each in seeds}) == 3
    assert compute_commitment(SECRET) not in (compute_tie_seed(root, SECRET), SECRET.hex())
    tied = Ballots.from_rankings(
        ["Ada", "Ben"], [Ranking.from_levels(["Ada"]), Ranking.from_levels(["Ben"])]
    )
    winners = {
        instant_runoff(tied, seed=compute_tie_seed(root, bytes([number] * 32))).winner
        for number in range(9)
    }
    assert winners == {"Ada", "Ben"}


def test_receipt_rejects_unknown_candidates_and_the_proof_of_another_tree() -> None:
    sample = make_sample()
    ranking = Ranking.from_levels(["Eve"])
    with pytest.raises(RankingError):
        create_receipt(name=NAME, definition=sample.definition, nonce=bytes(16), ranking=ranking)
    with pytest.raises(InvalidDocument, match="1 ballots, but the statement has 5"):
        add_proof(sample.open_receipt, sample.closing, MerkleTree(["a"]).prove("a"))


def test_totals_contain_no_ranking_and_no_nonce() -> None:
    sample = make_sample("totals")
    text = json.dumps(sample.published)
    assert all(ballot.nonce.hex() not in text for ballot in sample.ballots)
    assert sample.published["rankings"] is None
    assert sample.published["ballots"] is None


# The order of rankings must not lead to tracking codes.
def test_anonymous_rankings_are_sorted_by_content() -> None:
    sample = make_sample("anonymous")
    assert create_publication(sample.closing, reversed(sample.ballots)) == sample.published
    rankings: Any = sample.published["rankings"]
    assert rankings == sorted(rankings, key=lambda each: json.dumps(each, ensure_ascii=False))


@pytest.mark.parametrize(
    ("election", "filename"),
    [
        ("Chair", "receipt-chair.json"),
        ("Board 2026", "receipt-board-2026.json"),
        ("Où allons-nous ?", "receipt-où-allons-nous.json"),
        ('"; rm -rf ~ $(id) `id` ../..', "receipt-rm-rf-id-id.json"),
        ("???", "receipt.json"),
        ("x" * 200, f"receipt-{'x' * 72}.json"),
    ],
)
def test_filenames_are_one_word_in_a_shell(election: str, filename: str) -> None:
    assert receipt_filename(election) == filename
    command = checker_command(
        receipt_filename(election), publication=publication_filename(election)
    )
    assert shlex.split(command)[1:4] == ["checker.py", filename, "--list"]
