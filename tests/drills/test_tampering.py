"""Attacks on the tables of elections without keys: a selection of the drill, and known attacks."""

from __future__ import annotations

import pytest

from drills.tampering import Attack, Base, attacks, expect, judge, make_base, run_attacks

# A prime, so that the selection has changes of many items and attributes.
EVERY = 701


@pytest.fixture(scope="module")
def base() -> Base:
    """Create the elections that are attacked, in copies."""
    return make_base()


def test_no_attack_changes_a_result_a_receipt_or_a_permission(base: Base) -> None:
    outcomes = list(run_attacks(base, EVERY))
    assert len(outcomes) > 6
    assert not [(one.attack.what, one.attack.how, one.faults) for one in outcomes if one.faults]
    assert {one.result for one in outcomes} >= {"found by verify", "refused"}


# Attacks that succeeded in the past, or that an attacker would try first.
def test_known_attacks_are_found(base: Base) -> None:
    expected = expect(base)
    wanted = {("ballot", "swap sealed"), ("ballot", "put an old one back"), ("user", "change role")}
    wanted |= {("user", "swap user_id"), ("election", "swap election_id"), ("voter", "insert")}
    wanted |= {("sync", "delete"), ("election", "change secret_ballot"), ("user", "hide")}
    tried = set[tuple[str, str]]()
    for attack in attacks(base):
        kind = attack.what, attack.how
        if kind in wanted - tried:
            tried.add(kind)
            outcome = judge(attack, base, expected)
            assert (outcome.result, outcome.faults) == ("found by verify", ()), kind
    assert tried == wanted


def test_drill_notices_a_result_that_changed(base: Base) -> None:
    expected = expect(base)
    other = {**expected, "result of Closed": ("value", "another")}
    outcome = judge(Attack("table", "nothing", lambda _: None), base, other)
    assert outcome.result == "FAULT"
