"""Receipts prove what they claim; changed ones prove nothing."""

from __future__ import annotations

import pytest

from ranked_ballots import Ranking
from singletable_apps.elections.proofs.checker import Finding
from singletable_apps.elections.proofs.documents import add_proof
from singletable_apps.elections.proofs.keys import Signer, fingerprint, format_fingerprint
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.proofs.verification import verify_receipt
from tests.apps.elections.proofs.factories import SIGNER, cast_ballot, close_election, make_sample

SAMPLE = make_sample()
KEY = fingerprint(SIGNER.public_key)


def all_ok(findings: list[Finding]) -> bool:
    return all(finding.ok for finding in findings)


def results(findings: list[Finding]) -> list[bool]:
    return [finding.ok for finding in findings]


def test_receipt_proves_ballot_signature_and_inclusion() -> None:
    findings = verify_receipt(SAMPLE.receipt, key=KEY)
    assert results(findings) == [True] * 6
    text = " ".join(finding.claim for finding in findings)
    assert "Ada > Ben > Cy = Zoë" in text
    assert "ballots: 5" in text
    assert format_fingerprint(SIGNER.public_key) in text


def test_open_receipt_is_not_signed() -> None:
    assert "no signature to check" in verify_receipt(SAMPLE.open_receipt)[-1].claim
    assert not all_ok(verify_receipt(SAMPLE.open_receipt, key=KEY))


@pytest.mark.parametrize("key", [fingerprint(Signer(bytes(32)).public_key), "no code", ""])
def test_unexpected_key_is_reported(key: str) -> None:
    findings = verify_receipt(SAMPLE.receipt, key=key)
    assert results(findings) == [True, True, False, True, True, True]


# The people who run the election can sign anything, but cannot move a ballot into it.
def test_ballot_that_is_not_under_the_signed_root_is_reported() -> None:
    others = [*SAMPLE.ballots[1:], cast_ballot(SAMPLE.definition, 99, Ranking())]
    closing = close_election(SAMPLE.definition, others)
    tree = MerkleTree(ballot.confirmation for ballot in others)
    proof = tree.prove(others[0].confirmation)
    findings = verify_receipt(add_proof(SAMPLE.open_receipt, closing, proof))
    assert results(findings) == [True, True, True, True, False]


@pytest.mark.parametrize("value", [None, [], "text", 7, {"format": "x"}, {"a": 0.5}])
def test_other_values_are_not_receipts(value: object) -> None:
    (finding,) = verify_receipt(value)
    assert not finding.ok
    assert finding.claim.startswith("This is not a receipt")


def test_deeply_nested_value_is_not_a_receipt() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    (finding,) = verify_receipt({**SAMPLE.receipt, "ranking": deep})
    assert not finding.ok


def test_receipt_in_a_later_format_is_not_checked() -> None:
    (finding,) = verify_receipt({**SAMPLE.receipt, "format": "singletable election receipt 2"})
    assert not finding.ok
    assert "“singletable election receipt 2”" in finding.claim
