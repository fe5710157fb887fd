"""Generated policies, enforced by the endpoint, allow what the app does and nothing else."""

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
    ArnScope,
    Owner,
    create_policy,
    grants_for_entities,
    restrict_to_owner,
)
from tests.infrastructure.declarations import Ballot, Candidate, Election, Event, Skill, User
from tests.infrastructure.enforcement import EnforcedPolicy, enforce

HERE = ArnScope("us-east-1", "123456789012")
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
def elections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnforcedPolicy]:
    """Start an endpoint for an app with users, elections and ballots, but not the event log."""
    policy = create_policy(
        grants_for_entities([User, Election, Candidate, Ballot], BOTH), scope=HERE
    )
    with enforce(policy, tmp_path_factory.mktemp("elections")) as both:
        yield both


def test_policy_allows_app_requests(elections: EnforcedPolicy) -> None:
    store = Store(elections.app)
    alice = User(name="alice", email="alice@example.org")
    store.create(alice)  # a transaction, with the marker of the e-mail address
    store.create(Election(name="Language"))
    rust, go = (Candidate(election="Language", name=name) for name in ("Rust", "Go"))
    store.put_many([rust, go])
    store.create(Ballot(election="Language", voter="alice", rankings=["Rust"]))  # with its count
    assert store.get(Election.key("Language")) == Election(name="Language", ballots=1)
    assert [user.name for user in store.query(User.at_email("alice@example.org"))] == ["alice"]
    assert store.find(User.one_email("ALICE@example.org")) == alice
    assert len(list(store.query(Ballot.key.partition("Language")))) == 1
    keys = [Candidate.key("Language", "Rust"), Candidate.key("Language", "Go")]
    assert store.get_many(keys) == [rust, go]
    store.update(User.key("alice"), User.email.set("a@example.org"))
    with store.transaction() as transaction:
        transaction.delete(Ballot.key("Language", "alice"))
        transaction.delete(User.key("alice"))
    assert store.get(Election.key("Language")) == Election(name="Language", ballots=0)


NEIGHBOR = key("CONFIG#secret")
DENIED: dict[str, Operation[Any]] = {
    "item of another app": GetItem("vote_data", NEIGHBOR),
    "key with a similar prefix": GetItem("vote_data", key("USERS")),
    "key in another case": GetItem("vote_data", key("user#alice")),
    "write to another app's item": PutItem("vote_data", NEIGHBOR),
    "partition of another app": query("CONFIG#secret"),
    "batch with another app's item": BatchGetItem(
        {"vote_data": KeysAndAttributes([key("USER#alice"), NEIGHBOR])}
    ),
    "transaction with another app's item": TransactWriteItems(
        [
            TransactWriteItem(put=Put("vote_data", key("USER#bob"))),
            TransactWriteItem(put=Put("vote_data", NEIGHBOR)),
        ]
    ),
    "scan": Scan("vote_data"),
    "scan of an index": Scan("vote_data", index_name="GSI-1"),
    "item of another table": PutItem("vote_event_log", {"PK": {"S": "EVENTS"}, "SK": {"N": "1"}}),
    "same key in another table": GetItem("glad-entities", key("USER#alice")),
    "DeleteTable": DeleteTable("vote_data"),
    "UpdateTable": UpdateTable("vote_data", deletion_protection_enabled=False),
    "DescribeTable": DescribeTable("vote_data"),
    "ListTables": ListTables(),
}


@pytest.mark.parametrize("name", DENIED)
def test_policy_denies_other_requests(elections: EnforcedPolicy, name: str) -> None:
    with pytest.raises(AccessDenied):
        elections.app.execute(DENIED[name])


def test_read_policy_denies_writes(tmp_path_factory: pytest.TempPathFactory) -> None:
    policy = create_policy(grants_for_entities([Skill, Event], READS), scope=HERE)
    with enforce(policy, tmp_path_factory.mktemp("readers")) as both:
        Store(both.operator).create(skill("alice"))
        store = Store(both.app)
        for selection in (
            Skill.key.partition("alice"),
            Skill.at_level("Python", 3).gt(5),
            Skill.on_site("north", "alice"),
            Skill.lately("alice"),
        ):
            assert [entity.skill for entity in store.hydrate(selection)] == ["Python"]
        assert list(store.query(Event.key.partition())) == []
        with pytest.raises(AccessDenied):
            store.create(skill("alice", "Rust"))
        with pytest.raises(AccessDenied):
            store.delete(Skill.key("alice", "Python"))


# The caller's tag is alice: the table and an index with two partition keys are restricted to it.
def test_owner_policy_allows_own_items_only(tmp_path_factory: pytest.TempPathFactory) -> None:
    owner = Owner({"person": "${aws:PrincipalTag/user}"})
    grants, omitted = restrict_to_owner(grants_for_entities([Skill], BOTH), owner)
    assert omitted == ["Skill.at_level"]
    policy = create_policy(grants, scope=HERE, owner=owner)
    with enforce(policy, tmp_path_factory.mktemp("owners")) as both:
        Store(both.operator).put_many([skill("bob"), skill("alicia")])
        store = Store(both.app)
        store.create(skill("alice"))
        assert [entity.person for entity in store.query(Skill.key.partition("alice"))] == ["alice"]
        assert [entity.person for entity in store.hydrate(Skill.lately("alice"))] == ["alice"]
        assert [entity.person for entity in store.hydrate(Skill.on_site("north", "alice"))] == [
            "alice"
        ]
        for denied in (
            Skill.key.partition("bob"),
            Skill.key.partition("alicia"),
            Skill.key.partition("*"),
            Skill.lately("bob"),
            Skill.on_site("north", "bob"),
            Skill.at_level("Python", 3),
        ):
            with pytest.raises(AccessDenied):
                list(store.hydrate(denied))
        with pytest.raises(AccessDenied):
            store.create(skill("bob", "Rust"))


def test_scan_policy_allows_table_scan_only(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    policy = create_policy(grants_for_entities([Election], (*READS, "Scan")), scope=HERE)
    with enforce(policy, tmp_path_factory.mktemp("scanners")) as both:
        both.app.execute(Scan("vote_data"))
        with pytest.raises(AccessDenied):
            both.app.execute(Scan("vote_data", index_name="GSI-1"))
