"""A receipt proves what its voter cast and that it was counted in; a changed one proves nothing."""

from __future__ import annotations

import pytest

from singletable_apps.counting import Ranking, RankingError
from singletable_apps.elections.proofs import (
    Finding,
    InvalidDocument,
    MerkleTree,
    Signer,
    add_proof,
    create_receipt,
    fingerprint,
    format_code,
    verify_receipt,
)
from tests.apps.elections.proofs.sample import (
    NAME,
    SIGNER,
    UNCASTABLE,
    cast,
    cast_earlier,
    changes,
    close,
    forged,
    sample,
)

SAMPLE = sample()
KEY = fingerprint(SIGNER.public_key)


def holds(findings: list[Finding]) -> bool:
    return all(finding.ok for finding in findings)


def test_a_receipt_proves_the_ballot_the_close_and_its_place_in_it() -> None:
    findings = verify_receipt(SAMPLE.receipt, key=format_code(KEY).upper())
    assert [finding.ok for finding in findings] == [True] * 6
    said = " ".join(finding.text for finding in findings)
    assert "The ballot Ada > Ben > Cy = Zoë gives" in said
    assert "ballots: 5" in said
    assert format_code(KEY) in said


def test_nothing_in_a_receipt_can_be_changed() -> None:
    for place, changed in changes(SAMPLE.receipt):
        assert not holds(verify_receipt(changed)), place


# Names of elections can change until the close, which says the last one.
def test_before_the_close_a_receipt_proves_all_but_the_name() -> None:
    assert holds(verify_receipt(SAMPLE.open_receipt))
    for place, changed in changes(SAMPLE.open_receipt):
        renamed = place.startswith(("name = '", 'name = "'))
        assert holds(verify_receipt(changed)) == renamed, place


def test_before_the_close_nobody_has_signed() -> None:
    assert "nothing is signed yet" in verify_receipt(SAMPLE.open_receipt)[-1].text
    assert not holds(verify_receipt(SAMPLE.open_receipt, key=KEY))


@pytest.mark.parametrize("key", [fingerprint(Signer(bytes(32)).public_key), "no code", ""])
def test_another_key_than_expected_is_told(key: str) -> None:
    findings = verify_receipt(SAMPLE.receipt, key=key)
    assert [finding.ok for finding in findings] == [True, True, False, True, True, True]


# Whoever runs the election can sign anything, and still cannot move a ballot into it.
def test_a_ballot_that_is_not_in_the_signed_root_is_told() -> None:
    others = [*SAMPLE.ballots[1:], cast(SAMPLE.asked, 99, Ranking())]
    closing = close(SAMPLE.asked, others)
    proof = MerkleTree(each.confirmation for each in others).prove(others[0].confirmation)
    findings = verify_receipt(add_proof(SAMPLE.open_receipt, closing, proof))
    assert [finding.ok for finding in findings] == [True, True, True, True, False]


def test_a_ballot_of_an_earlier_definition_is_told_what_changed() -> None:
    findings = verify_receipt(cast_earlier(told=True))
    assert holds(findings)
    assert "Closed with: Ada, Ben > Cy, Di, Zoë." in findings[3].text
    findings = verify_receipt(cast_earlier(told=False))
    assert [finding.ok for finding in findings] == [True, True, True, False, True]


@pytest.mark.parametrize("ranking", UNCASTABLE)
def test_what_nobody_can_cast_is_refused_whatever_it_hashes_to(ranking: list[list[str]]) -> None:
    assert not holds(verify_receipt(forged(ranking)))


@pytest.mark.parametrize("value", [None, [], "text", 7, {"format": "x"}, {"a": 0.5}])
def test_what_is_no_receipt_is_told(value: object) -> None:
    (finding,) = verify_receipt(value)
    assert not finding.ok
    assert finding.text.startswith("This is no receipt")


def test_what_is_nested_without_end_is_told() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    (finding,) = verify_receipt({**SAMPLE.receipt, "ranking": deep})
    assert not finding.ok


def test_a_receipt_of_a_later_format_asks_for_its_own_program() -> None:
    (finding,) = verify_receipt({**SAMPLE.receipt, "format": "singletable election receipt 2"})
    assert "the program it came with" in finding.text


def test_a_receipt_is_not_made_of_what_cannot_be() -> None:
    with pytest.raises(RankingError):
        create_receipt(
            name=NAME,
            definition=SAMPLE.asked,
            nonce=bytes(16),
            ranking=Ranking.from_levels(["Eve"]),
        )
    proof = MerkleTree(["a"]).prove("a")
    with pytest.raises(InvalidDocument, match="Prove with the tree of the statement"):
        add_proof(SAMPLE.open_receipt, SAMPLE.closing, proof)
