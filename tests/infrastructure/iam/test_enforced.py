"""The policy, enforced by the endpoint: what the app does is allowed, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from singletable import (
    AccessDenied,
    BatchGetItem,
    DeleteTable,
    DescribeTable,
    GetItem,
    KeysAndAttributes,
    ListTables,
    Operation,
    Put,
    PutItem,
    Query,
    Scan,
    Store,
    TransactWriteItem,
    TransactWriteItems,
    UpdateTable,
)
from singletable.infrastructure.iam import (
    READS,
    WRITES,
    Owner,
    Place,
    policy_of,
    uses_of,
    within_owner,
)
from tests.infrastructure.declarations import Ballot, Candidate, Election, Event, Skill, User
from tests.infrastructure.iam.enforced import Enforced, enforced

HERE = Place("us-east-1", "123456789012")
BOTH = (*READS, *WRITES)


def key(partition: str, sort: str = "METADATA") -> Any:
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def query(partition: str, index: str | None = None, attribute: str = "PK") -> Query:
    return Query(
        "vote_data",
        index_name=index,
        key_condition_expression=f"{attribute} = :v",
        expression_attribute_values={":v": {"S": partition}},
    )


def skill(person: str, name: str = "Python") -> Skill:
    return Skill(person=person, skill=name, level=3, years=7, last_used=date(2026, 1, 1))


@pytest.fixture(scope="module")
def elections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enforced]:
    """The app that has users, elections and ballots, and not the log of events."""
    policy = policy_of(uses_of([User, Election, Candidate, Ballot], BOTH), place=HERE)
    with enforced(policy, tmp_path_factory.mktemp("elections")) as both:
        yield both


def test_what_the_app_does_is_allowed(elections: Enforced) -> None:
    store = Store(elections.app)
    alice = User(name="alice", email="alice@example.org")
    store.create(alice)  # a transaction, with the marker of her e-mail address
    store.create(Election(name="Language"))
    rust, go = (Candidate(election="Language", name=name) for name in ("Rust", "Go"))
    store.put_many([rust, go])
    store.create(Ballot(election="Language", voter="alice", rankings=["Rust"]))  # and its count
    assert store.get(Election.key("Language")) == Election(name="Language", ballots=1)
    assert [one.name for one in store.query(User.at_email("alice@example.org"))] == ["alice"]
    assert store.find(User.one_email("ALICE@example.org")) == alice
    assert len(list(store.query(Ballot.key.partition("Language")))) == 1
    asked = [Candidate.key("Language", "Rust"), Candidate.key("Language", "Go")]
    assert store.get_many(asked) == [rust, go]
    store.update(User.key("alice"), User.email.set("a@example.org"))
    with store.transaction() as together:
        together.delete(Ballot.key("Language", "alice"))
        together.delete(User.key("alice"))
    assert store.get(Election.key("Language")) == Election(name="Language", ballots=0)


NEIGHBOUR = key("CONFIG#secret")
REFUSED: dict[str, Operation[Any]] = {
    "a neighbour's item": GetItem("vote_data", NEIGHBOUR),
    "what only begins alike": GetItem("vote_data", key("USERS")),
    "another case": GetItem("vote_data", key("user#alice")),
    "writing a neighbour's": PutItem("vote_data", NEIGHBOUR),
    "a neighbour's partition": query("CONFIG#secret"),
    "one of a batch": BatchGetItem(
        {"vote_data": KeysAndAttributes([key("USER#alice"), NEIGHBOUR])}
    ),
    "one of a transaction": TransactWriteItems(
        [
            TransactWriteItem(put=Put("vote_data", key("USER#bob"))),
            TransactWriteItem(put=Put("vote_data", NEIGHBOUR)),
        ]
    ),
    "a scan": Scan("vote_data"),
    "a scan of an index": Scan("vote_data", index_name="GSI-1"),
    "another table": PutItem("vote_event_log", {"PK": {"S": "EVENTS"}, "SK": {"N": "1"}}),
    "a key like ours in another table": GetItem("glad-entities", key("USER#alice")),
    "deleting the table": DeleteTable("vote_data"),
    "changing the table": UpdateTable("vote_data", deletion_protection_enabled=False),
    "describing the table": DescribeTable("vote_data"),
    "listing tables": ListTables(),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_app_does_not_do_is_refused(elections: Enforced, what: str) -> None:
    with pytest.raises(AccessDenied):
        elections.app.execute(REFUSED[what])


def test_whoever_only_reads_writes_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    policy = policy_of(uses_of([Skill, Event], READS), place=HERE)
    with enforced(policy, tmp_path_factory.mktemp("readers")) as both:
        Store(both.operator).create(skill("alice"))
        store = Store(both.app)
        for asked in (
            Skill.key.partition("alice"),
            Skill.at_level("Python", 3).gt(5),
            Skill.on_site("north", "alice"),
            Skill.lately("alice"),
        ):
            assert [one.skill for one in store.hydrate(asked)] == ["Python"]
        assert list(store.query(Event.key.partition())) == []
        with pytest.raises(AccessDenied):
            store.create(skill("alice", "Rust"))
        with pytest.raises(AccessDenied):
            store.delete(Skill.key("alice", "Python"))


# Alice's tag says who she is; the table and an index with two partition keys hold her to it.
def test_an_owner_reaches_their_own_items_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    owner = Owner({"person": "${aws:PrincipalTag/user}"})
    uses, left_out = within_owner(uses_of([Skill], BOTH), owner)
    assert left_out == ["Skill.at_level"]
    policy = policy_of(uses, place=HERE, owner=owner)
    with enforced(policy, tmp_path_factory.mktemp("owners")) as both:
        Store(both.operator).put_many([skill("bob"), skill("alicia")])
        store = Store(both.app)
        store.create(skill("alice"))
        assert [one.person for one in store.query(Skill.key.partition("alice"))] == ["alice"]
        assert [one.person for one in store.hydrate(Skill.lately("alice"))] == ["alice"]
        assert [one.person for one in store.hydrate(Skill.on_site("north", "alice"))] == ["alice"]
        for refused in (
            Skill.key.partition("bob"),
            Skill.key.partition("alicia"),
            Skill.key.partition("*"),
            Skill.lately("bob"),
            Skill.on_site("north", "bob"),
            Skill.at_level("Python", 3),
        ):
            with pytest.raises(AccessDenied):
                list(store.hydrate(refused))
        with pytest.raises(AccessDenied):
            store.create(skill("bob", "Rust"))


def test_a_scan_is_allowed_only_if_it_is_asked_for(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    policy = policy_of(uses_of([Election], (*READS, "Scan")), place=HERE)
    with enforced(policy, tmp_path_factory.mktemp("scanners")) as both:
        both.app.execute(Scan("vote_data"))
        with pytest.raises(AccessDenied):
            both.app.execute(Scan("vote_data", index_name="GSI-1"))
