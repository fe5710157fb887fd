"""A policy for access patterns allows those patterns and nothing else."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from singletable import AccessDenied, PatternCatalog, Scan, Store, creates, deletes, puts, updates
from singletable.patterns import Pattern
from singletable_design.infrastructure.iam import ArnScope, create_policy, grants_for_patterns
from tools.testing.designs.table_shapes import (
    ALL,
    Ballot,
    Candidate,
    Election,
    Skill,
    User,
    skills,
    votes,
)
from tools.testing.enforcement import enforce

catalog = PatternCatalog("elections", votes, skills)
profile = catalog.read("AP1", "A user", User.key)
mail = catalog.read("AP2", "The user of an address", User.one_email)
ballots = catalog.read("AP3", "Ballots of an election", Ballot.key.partition)
experts = catalog.read("AP4", "People by skill and level", Skill.at_level)
join = catalog.write("AP5", "Join", creates(User))
cast = catalog.write("AP6", "Cast a ballot", creates(Ballot))
correct = catalog.write("AP7", "Correct it", updates(Ballot, Ballot.rankings))
nominate = catalog.write("AP8", "Nominate", puts(Candidate))
withdraw = catalog.write("AP9", "Withdraw", deletes(Ballot))
export = catalog.scan("AP10", "All elections", Election, reason="the nightly copy")
follow = catalog.feed("AP11", "Ballots as they are cast", Ballot)

hydrating = PatternCatalog("hydrating", votes, skills)
lately = hydrating.read("AP1", "Skills of a person by date", Skill.lately, hydrate=False)
fresh = hydrating.read("AP2", "The current user of an address", User.at_email, hydrate=True)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (profile, ["GetItem User.key", "BatchGetItem User.key"]),
        (
            mail,
            [
                "GetItem User.one_email",
                "BatchGetItem User.one_email",
                "GetItem User.key",
                "BatchGetItem User.key",
            ],
        ),
        (ballots, ["Query Ballot.key"]),
        # The index projects some attributes; the rest comes from the table.
        (experts, ["Query Skill.at_level", "BatchGetItem Skill.key"]),
        (lately, ["Query Skill.lately"]),
        (fresh, ["Query User.at_email", "BatchGetItem User.key"]),
        (join, ["PutItem User.key", "PutItem User.one_email"]),
        (cast, ["PutItem Ballot.key", "UpdateItem Election.key"]),
        (correct, ["UpdateItem Ballot.key"]),
        (nominate, ["PutItem Candidate.key", "BatchWriteItem Candidate.key"]),
        (export, ["Scan Election.key"]),
        (
            follow,
            [
                "DescribeStream Ballot.key",
                "GetRecords Ballot.key",
                "GetShardIterator Ballot.key",
                "ListStreams Ballot.key",
                "DescribeTable Ballot.key",
            ],
        ),
    ],
    ids=lambda value: value.code if hasattr(value, "code") else "",
)
def test_pattern_grants_its_actions(pattern: Pattern, expected: list[str]) -> None:
    assert [
        f"{grant.action} {grant.access}" for grant in grants_for_patterns([pattern])
    ] == expected


def test_feed_grants_stream_resource_without_condition() -> None:
    policy: Any = create_policy(grants_for_patterns([follow]))
    table = "arn:aws:dynamodb:*:*:table/vote_data"
    statements = {each["Resource"]: each for each in policy["Statement"]}
    assert statements.keys() == {f"{table}/stream/*", table}
    assert statements[table]["Action"] == ["dynamodb:DescribeTable"]
    assert not any("Condition" in each for each in statements.values())


def test_grants_are_unique() -> None:
    grants = grants_for_patterns([profile, mail, profile])
    assert len({f"{grant.action} {grant.access}" for grant in grants}) == len(grants)


def test_policy_for_patterns_allows_patterns_only(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    patterns = [pattern for pattern in catalog if pattern not in (export, follow)]
    policy = create_policy(
        grants_for_patterns(patterns), scope=ArnScope("us-east-1", "123456789012")
    )
    with enforce(policy, tmp_path_factory.mktemp("patterns"), ALL) as both:
        Store(both.operator).create(Election(name="Language"))
        store = Store(both.app)
        alice = User(name="alice", email="alice@example.org")
        store.create(alice)
        store.create(Ballot(election="Language", voter="alice", rankings=["Rust"]))
        store.update(Ballot.key("Language", "alice"), Ballot.rankings.set(["Go"]))
        store.put_many([Candidate(election="Language", name="Rust")])
        assert store.find(mail("alice@example.org")) == alice
        assert [ballot.rankings for ballot in store.query(ballots("Language"))] == [["Go"]]
        assert list(store.hydrate(experts("Python", 3))) == []
        store.delete(Ballot.key("Language", "alice"))
        with pytest.raises(AccessDenied):
            store.delete(User.key("alice"))  # no pattern deletes users
        with pytest.raises(AccessDenied):
            list(store.query(User.at_email("alice@example.org")))  # no pattern queries this index
        with pytest.raises(AccessDenied):
            both.app.execute(Scan("vote_data"))


# BatchGetItem is allowed for what is hydrated, and not for what an index contains.
def test_policy_allows_hydrating_as_declared(tmp_path_factory: pytest.TempPathFactory) -> None:
    grants = grants_for_patterns([fresh, experts, ballots])
    policy = create_policy(grants, scope=ArnScope("us-east-1", "123456789012"))
    with enforce(policy, tmp_path_factory.mktemp("hydrating"), ALL) as both:
        operator, store = Store(both.operator), Store(both.app)
        alice = User(name="alice", email="alice@example.org")
        skill = Skill(person="alice", skill="Python", level=3, years=7, last_used=date(2026, 1, 1))
        operator.create(alice)
        operator.create(skill)
        operator.create(Election(name="Language"))
        operator.create(Ballot(election="Language", voter="alice", rankings=["Rust"]))
        assert list(store.hydrate(fresh("alice@example.org"))) == [alice]
        assert list(store.hydrate(experts("Python", 3))) == [skill]
        assert store.page(experts("Python", 3), 5, hydrate=True).items == [skill]
        assert store.count(ballots("Language")) == 1
        with pytest.raises(AccessDenied):
            list(store.hydrate(ballots("Language")))  # declared without hydrate=True
        with pytest.raises(AccessDenied):
            store.page(ballots("Language"), 5, hydrate=True)
