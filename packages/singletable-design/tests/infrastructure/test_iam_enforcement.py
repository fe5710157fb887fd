"""Generated policies, enforced by the endpoint, allow what the app does and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from dynamodb_engine import operations as ops
from singletable import AccessDenied, OutOfScope, Store
from singletable_design.infrastructure import iam
from tools.testing.designs import tenants
from tools.testing.designs.table_shapes import ALL, Ballot, Candidate, Election, Event, Skill, User
from tools.testing.enforcement import EnforcedPolicy, enforce

HERE = iam.ArnScope("us-east-1", "123456789012")
BOTH = (*iam.READS, *iam.WRITES)


def key(partition: str, sort: str = "METADATA") -> Any:
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def query(partition: str, index: str | None = None, attribute: str = "PK") -> ops.Query:
    return ops.Query(
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
    policy = iam.create_policy(
        iam.grants_for_entities([User, Election, Candidate, Ballot], BOTH), scope=HERE
    )
    with enforce(policy, tmp_path_factory.mktemp("elections"), ALL) as both:
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
DENIED: dict[str, ops.Operation[Any]] = {
    "item of another app": ops.GetItem("vote_data", NEIGHBOR),
    "key with a similar prefix": ops.GetItem("vote_data", key("USERS")),
    "key in another case": ops.GetItem("vote_data", key("user#alice")),
    "write to another app's item": ops.PutItem("vote_data", NEIGHBOR),
    "partition of another app": query("CONFIG#secret"),
    "batch with another app's item": ops.BatchGetItem(
        {"vote_data": ops.KeysAndAttributes([key("USER#alice"), NEIGHBOR])}
    ),
    "transaction with another app's item": ops.TransactWriteItems(
        [
            ops.TransactWriteItem(put=ops.Put("vote_data", key("USER#bob"))),
            ops.TransactWriteItem(put=ops.Put("vote_data", NEIGHBOR)),
        ]
    ),
    "scan": ops.Scan("vote_data"),
    "scan of an index": ops.Scan("vote_data", index_name="GSI-1"),
    "item of another table": ops.PutItem(
        "vote_event_log", {"PK": {"S": "EVENTS"}, "SK": {"N": "1"}}
    ),
    "same key in another table": ops.GetItem("glad-entities", key("USER#alice")),
    "DeleteTable": ops.DeleteTable("vote_data"),
    "UpdateTable": ops.UpdateTable("vote_data", deletion_protection_enabled=False),
    "DescribeTable": ops.DescribeTable("vote_data"),
    "ListTables": ops.ListTables(),
}


@pytest.mark.parametrize("name", DENIED)
def test_policy_denies_other_requests(elections: EnforcedPolicy, name: str) -> None:
    with pytest.raises(AccessDenied):
        elections.app.execute(DENIED[name])


def test_read_policy_denies_writes(tmp_path_factory: pytest.TempPathFactory) -> None:
    policy = iam.create_policy(iam.grants_for_entities([Skill, Event], iam.READS), scope=HERE)
    with enforce(policy, tmp_path_factory.mktemp("readers"), ALL) as both:
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
    owner = iam.Owner({"person": "${aws:PrincipalTag/user}"})
    grants, omitted = iam.restrict_to_owner(iam.grants_for_entities([Skill], BOTH), owner)
    assert omitted == ["Skill.at_level"]
    policy = iam.create_policy(grants, scope=HERE, owner=owner)
    with enforce(policy, tmp_path_factory.mktemp("owners"), ALL) as both:
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
    policy = iam.create_policy(
        iam.grants_for_entities([Election], (*iam.READS, "Scan")), scope=HERE
    )
    with enforce(policy, tmp_path_factory.mktemp("scanners"), ALL) as both:
        both.app.execute(ops.Scan("vote_data"))
        with pytest.raises(AccessDenied):
            both.app.execute(ops.Scan("vote_data", index_name="GSI-1"))


# The policy of a tenant, which the store's scope matches.
TENANT = iam.Owner({"org": "${aws:PrincipalTag/user}", "Org.name": "${aws:PrincipalTag/user}"})


def test_tenant_policy_allows_its_patterns_and_no_other_tenant(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    grants, omitted = iam.restrict_to_owner(iam.grants_for_patterns(tenants.catalog), TENANT)
    assert omitted == []
    policy = iam.create_policy(grants, scope=HERE, owner=TENANT)
    tables = [tenants.tracker, tenants.levels]
    with enforce(policy, tmp_path_factory.mktemp("tenants"), tables) as both:
        operator, app = Store(both.operator), Store(both.app)
        for org in ("alice", "bob"):
            operator.put(tenants.Org(name=org))
            operator.create(tenants.Issue(org=org, number=1, slug="first"))
            operator.put(tenants.Rank(org=org, name="ada", level=1))
            operator.put(tenants.Visit(org=org, page="/"))
        for store in (app, app.scoped(org="alice")):
            _use_patterns(store, "alice")
        for call in TENANT_CALLS.values():
            with pytest.raises(AccessDenied):
                call(app)
            with pytest.raises(OutOfScope):
                call(app.scoped(org="alice"))


def _use_patterns(store: Store, org: str) -> None:
    assert store.get(tenants.one_issue(org, 1)) is not None
    assert store.get_many([tenants.one_issue(org, 1)])[0] is not None
    assert len(list(store.query(tenants.issues(org)))) == 1
    assert len(list(store.query(tenants.in_state(org, "open")))) == 1
    assert store.find(tenants.by_slug(org, "first")) is not None
    assert len(list(store.hydrate(tenants.at_level(org, 1)))) == 1
    assert len(list(store.query(tenants.visits(org)))) == 1
    store.create(tenants.Issue(org=org, number=2, slug="second"))
    store.update(tenants.Issue.key(org, 2), tenants.Issue.slug.set("2nd"))
    store.put_many([tenants.Comment(org=org, issue=2, number=1)])
    assert len(list(store.query(tenants.comments(org, 2)))) == 1
    store.delete(tenants.Issue.key(org, 2))


def _transact(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(tenants.Issue(org="alice", number=9))
        transaction.delete(tenants.Issue.key("bob", 1))


TENANT_CALLS: dict[str, Callable[[Store], object]] = {
    "get": lambda s: s.get(tenants.one_issue("bob", 1)),
    "batch get": lambda s: s.get_many([tenants.one_issue(org, 1) for org in ("alice", "bob")]),
    "transactional get": lambda s: s.transact_get(
        tenants.one_issue("alice", 1), tenants.one_issue("bob", 1)
    ),
    "query": lambda s: list(s.query(tenants.issues("bob"))),
    "index": lambda s: list(s.query(tenants.in_state("bob", "open"))),
    "index with two keys": lambda s: s.count(tenants.at_level("bob", 1)),
    "unique value": lambda s: s.find(tenants.by_slug("bob", "first")),
    "shards": lambda s: list(s.query(tenants.visits("bob"))),
    "create": lambda s: s.create(tenants.Issue(org="bob", number=2)),
    "update": lambda s: s.update(tenants.Issue.key("bob", 1), tenants.Issue.title.set("x")),
    "delete": lambda s: s.delete(tenants.Issue.key("bob", 1)),
    "batch write": lambda s: s.put_many(
        [tenants.Comment(org=org, issue=1, number=1) for org in ("alice", "bob")]
    ),
    "transaction": _transact,
    "record of the tenant": lambda s: s.get(tenants.Org.key("bob")),
}
