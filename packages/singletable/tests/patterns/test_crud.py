"""The usual patterns of an entity, declared together."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import Call, PatternCatalog, checks, creates, per_day, per_second, puts, updates
from singletable.errors import DeclarationError
from tests.store.stores import open_store
from tools.testing.designs.votes import Ballot, Election, ballot, votes


def catalog() -> PatternCatalog:
    return PatternCatalog("crud", votes)


def test_a_prefix_names_the_four_patterns() -> None:
    patterns = catalog()
    ballots = patterns.crud("B", "a ballot", Ballot.key, reads=per_second(5), writes=per_day(2))
    assert {code: one.description for code, one in patterns.patterns.items()} == {
        "B-get": "Get a ballot",
        "B-create": "Create a ballot",
        "B-update": "Update a ballot",
        "B-delete": "Delete a ballot",
    }
    assert list(patterns) == [ballots.get, ballots.create, ballots.update, ballots.delete]
    assert ballots.get.expected.rate == per_second(5)
    assert {one.expected.rate for one in patterns} == {per_second(5), per_day(2)}


def test_codes_effects_and_consistency_can_be_chosen() -> None:
    patterns = catalog()
    ballots = patterns.crud(
        "B1 B2 B3 B4",
        "a ballot",
        Ballot.key,
        checks(Election),
        update=updates(Ballot, Ballot.rank),
        consistent=True,
    )
    assert list(patterns.patterns) == ["B1", "B2", "B3", "B4"]
    assert ballots.get.expected.consistent
    assert ballots.create.accesses == (creates(Ballot), checks(Election))
    assert ballots.update.accesses == (updates(Ballot, Ballot.rank),)
    replaced = patterns.crud("R", "a ballot", Ballot.key, update=puts(Ballot))
    assert replaced.update.accesses == (puts(Ballot),)


def test_calls_of_the_four_are_recognized(calls: list[Call]) -> None:
    patterns = catalog()
    ballots = patterns.crud("B", "a ballot", Ballot.key)
    store = open_store(votes, observers=[calls.append])
    store.create(ballot("ada"))
    assert store.run(ballots.get, "L", "ada") is not None
    store.update(Ballot.key("L", "ada"), Ballot.rank.set(3))
    store.delete(Ballot.key("L", "ada"))
    assert [patterns.recognize(call.shape) for call in calls] == [
        ballots.create,
        ballots.get,
        ballots.update,
        ballots.delete,
    ]


@pytest.mark.parametrize("codes", ["", "B1 B2", "B1 B2 B3 B4 B5"])
def test_one_or_four_codes_are_expected(codes: str) -> None:
    with pytest.raises(DeclarationError, match="codes of get, create, update and delete"):
        catalog().crud(codes, "a ballot", Ballot.key)


@pytest.mark.parametrize("key", [Ballot, Ballot.key.partition, Ballot.by_choice])
def test_the_key_of_an_entity_is_expected(key: Any) -> None:
    with pytest.raises(DeclarationError, match="expected the key of an entity"):
        catalog().crud("B", "a ballot", key)
