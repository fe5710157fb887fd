"""What is published is as much as was promised, and is what was signed."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs import (
    PublicationLevel,
    create_definition,
    create_publication,
    fingerprint,
    hash_definition,
    verify_publication,
)
from tests.apps.elections.proofs.sample import (
    CANDIDATES,
    SIGNER,
    asked_at,
    cast,
    changes,
    close,
    sample,
)

LEVELS: tuple[PublicationLevel, ...] = get_args(PublicationLevel)
every_level = pytest.mark.parametrize("level", LEVELS)


@every_level
def test_a_publication_proves_itself_and_holds_the_receipt(level: PublicationLevel) -> None:
    kept = sample(level)
    key = fingerprint(SIGNER.public_key)
    findings = verify_publication(kept.published, receipt=kept.receipt, key=key)
    assert all(finding.ok for finding in findings), findings
    assert "Schulze" in findings[-1].text


@every_level
def test_nothing_in_a_publication_can_be_changed(level: PublicationLevel) -> None:
    for place, changed in changes(sample(level).published):
        assert not all(finding.ok for finding in verify_publication(changed)), place


def test_totals_tell_no_ranking_and_no_nonce() -> None:
    text = json.dumps(sample("totals").published)
    assert all(ballot.nonce.hex() not in text for ballot in sample("totals").ballots[1:])
    assert sample("totals").published["rankings"] is None
    assert sample("totals").published["ballots"] is None


# Sorted by themselves, rankings have no order that leads to a confirmation.
def test_anonymous_rankings_stand_in_an_order_of_their_own() -> None:
    kept = sample("anonymous")
    again = create_publication(kept.closing, reversed(kept.ballots))
    assert again == kept.published
    rankings: Any = kept.published["rankings"]
    assert rankings == sorted(rankings, key=lambda each: json.dumps(each, ensure_ascii=False))


def test_a_ballot_that_was_left_out_is_missed() -> None:
    kept = sample("confirmations")
    fewer = create_publication(kept.closing, kept.ballots[:-1])
    assert not all(finding.ok for finding in verify_publication(fewer))


def test_a_receipt_of_another_close_is_told() -> None:
    kept = sample("anonymous")
    other = close(asked_at("anonymous"), kept.ballots[1:])
    findings = verify_publication(create_publication(other, kept.ballots[1:]), receipt=kept.receipt)
    assert [finding.ok for finding in findings] == [True, True, True, True, False]
    findings = verify_publication(kept.published, receipt=kept.open_receipt)
    assert "not of the close" in findings[-1].text


def test_ballots_of_an_earlier_definition_give_their_confirmations() -> None:
    before = asked_at("confirmations")
    after = create_definition(
        7, CANDIDATES[1:], True, level="confirmations", commitment=before["commitment"]
    )
    ballots = [cast(before, 1, Ranking.from_levels(["Zoë"])), cast(after, 2, Ranking())]
    known = create_publication(close(after, ballots, (hash_definition(before),)), ballots)
    assert all(finding.ok for finding in verify_publication(known))
    unknown = create_publication(close(after, ballots), ballots)
    assert not all(finding.ok for finding in verify_publication(unknown))


@pytest.mark.parametrize("value", [None, [], {"format": "x"}])
def test_what_is_no_publication_is_told(value: object) -> None:
    (finding,) = verify_publication(value)
    assert finding.text.startswith("This is no publication")
