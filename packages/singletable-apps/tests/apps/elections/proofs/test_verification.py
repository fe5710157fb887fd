"""Receipts and publications prove what they claim; changed ones prove nothing."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from ranked_ballots import Ranking
from singletable_apps.elections.proofs.documents import (
    PublicationLevel,
    add_proof,
    create_definition,
    create_publication,
    hash_definition,
)
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.proofs.keys import Signer, fingerprint, format_fingerprint
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.proofs.verification import (
    Finding,
    verify_publication,
    verify_receipt,
)
from tests.apps.elections.proofs.factories import (
    CANDIDATES,
    INVALID_RANKINGS,
    SIGNER,
    cast_ballot,
    changes,
    close_election,
    forge_receipt,
    make_definition,
    make_earlier_receipt,
    make_sample,
)

SAMPLE = make_sample()
KEY = fingerprint(SIGNER.public_key)
LEVELS: tuple[PublicationLevel, ...] = get_args(PublicationLevel)
every_level = pytest.mark.parametrize("level", LEVELS)


def all_ok(findings: list[Finding]) -> bool:
    return all(finding.ok for finding in findings)


def results(findings: list[Finding]) -> list[bool]:
    return [finding.ok for finding in findings]


# Receipts.


def test_receipt_proves_ballot_signature_and_inclusion() -> None:
    findings = verify_receipt(SAMPLE.receipt, key=format_code(KEY).upper())
    assert results(findings) == [True] * 6
    text = " ".join(finding.text for finding in findings)
    assert "Ada > Ben > Cy = Zoë" in text
    assert "ballots: 5" in text
    assert format_fingerprint(SIGNER.public_key) in text


def test_any_change_of_a_receipt_is_detected() -> None:
    for place, changed in changes(SAMPLE.receipt):
        assert not all_ok(verify_receipt(changed)), place


# Elections can be renamed until the close, so the name is not proved before.
def test_any_change_of_an_open_receipt_but_its_name_is_detected() -> None:
    assert all_ok(verify_receipt(SAMPLE.open_receipt))
    for place, changed in changes(SAMPLE.open_receipt):
        is_name = place.startswith(("name = '", 'name = "'))
        assert all_ok(verify_receipt(changed)) == is_name, place


def test_open_receipt_is_not_signed() -> None:
    assert "still open" in verify_receipt(SAMPLE.open_receipt)[-1].text
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


def test_receipt_from_before_a_change_of_candidates_names_the_change() -> None:
    findings = verify_receipt(make_earlier_receipt(listed=True))
    assert all_ok(findings)
    assert "Ada, Ben > Cy, Di, Zoë" in findings[3].text
    findings = verify_receipt(make_earlier_receipt(listed=False))
    assert results(findings) == [True, True, True, False, True]


@pytest.mark.parametrize("ranking", INVALID_RANKINGS)
def test_invalid_ranking_is_reported_even_with_its_own_code(ranking: list[list[str]]) -> None:
    assert not all_ok(verify_receipt(forge_receipt(ranking)))


@pytest.mark.parametrize("value", [None, [], "text", 7, {"format": "x"}, {"a": 0.5}])
def test_other_values_are_not_receipts(value: object) -> None:
    (finding,) = verify_receipt(value)
    assert not finding.ok
    assert finding.text.startswith("This is not a receipt")


def test_deeply_nested_value_is_not_a_receipt() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    (finding,) = verify_receipt({**SAMPLE.receipt, "ranking": deep})
    assert not finding.ok


def test_receipt_in_a_later_format_is_not_checked() -> None:
    (finding,) = verify_receipt({**SAMPLE.receipt, "format": "singletable election receipt 2"})
    assert not finding.ok
    assert "'singletable election receipt 2'" in finding.text


# Publications.


@every_level
def test_publication_proves_itself_and_contains_the_receipt(level: PublicationLevel) -> None:
    sample = make_sample(level)
    findings = verify_publication(sample.published, receipt=sample.receipt, key=KEY)
    assert all_ok(findings), findings
    assert "Schulze" in findings[-1].text


@every_level
def test_any_change_of_a_publication_is_detected(level: PublicationLevel) -> None:
    for place, changed in changes(make_sample(level).published):
        assert not all_ok(verify_publication(changed)), place


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


def test_missing_ballot_is_detected() -> None:
    sample = make_sample("confirmations")
    fewer = create_publication(sample.closing, sample.ballots[:-1])
    assert not all_ok(verify_publication(fewer))


def test_receipt_of_another_close_is_reported() -> None:
    sample = make_sample("anonymous")
    other = close_election(make_definition("anonymous"), sample.ballots[1:])
    published = create_publication(other, sample.ballots[1:])
    findings = verify_publication(published, receipt=sample.receipt)
    assert results(findings) == [True, True, True, True, False]
    findings = verify_publication(sample.published, receipt=sample.open_receipt)
    assert not findings[-1].ok


def test_ballots_of_an_earlier_definition_match_their_codes() -> None:
    before = make_definition("confirmations")
    after = create_definition(
        7, CANDIDATES[1:], True, level="confirmations", commitment=before["commitment"]
    )
    ballots = [
        cast_ballot(before, 1, Ranking.from_levels(["Zoë"])),
        cast_ballot(after, 2, Ranking()),
    ]
    closing = close_election(after, ballots, (hash_definition(before),))
    assert all_ok(verify_publication(create_publication(closing, ballots)))
    unlisted = create_publication(close_election(after, ballots), ballots)
    assert not all_ok(verify_publication(unlisted))


@pytest.mark.parametrize("value", [None, [], {"format": "x"}])
def test_other_values_are_not_publications(value: object) -> None:
    (finding,) = verify_publication(value)
    assert finding.text.startswith("This is not a publication")
