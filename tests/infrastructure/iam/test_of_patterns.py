"""A policy that is made of access patterns allows them, and nothing that no pattern does."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import AccessDenied, PatternCatalog, Scan, Store, creates, deletes, puts, updates
from singletable.infrastructure.iam import Place, Use, policy_of, uses_of_patterns
from singletable.patterns import Pattern
from tests.infrastructure.declarations import (
    Ballot,
    Candidate,
    Election,
    Skill,
    User,
    skills,
    votes,
)
from tests.infrastructure.iam.enforced import enforced

asked = PatternCatalog("elections", votes, skills)
profile = asked.read("AP1", "A user", User.key)
mail = asked.read("AP2", "The user of an address", User.one_email)
ballots = asked.read("AP3", "Ballots of an election", Ballot.key.partition)
experts = asked.read("AP4", "Who knows it so well", Skill.at_level)
join = asked.write("AP5", "Join", creates(User))
cast = asked.write("AP6", "Cast a ballot", creates(Ballot))
correct = asked.write("AP7", "Correct it", updates(Ballot, Ballot.rankings))
nominate = asked.write("AP8", "Nominate", puts(Candidate))
withdraw = asked.write("AP9", "Withdraw", deletes(Ballot))
export = asked.scan("AP10", "All elections", Election, reason="the nightly copy")
follow = asked.feed("AP11", "What was cast", Ballot)


@pytest.mark.parametrize(
    ("pattern", "uses"),
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
        # The index holds them in part, and the rest is fetched from the table.
        (experts, ["Query Skill.at_level", "BatchGetItem Skill.key"]),
        (join, ["PutItem User.key", "PutItem User.one_email"]),
        # A ballot that has expired may still be there, and is looked for.
        (cast, ["GetItem Ballot.key", "PutItem Ballot.key", "UpdateItem Election.key"]),
        (correct, ["UpdateItem Ballot.key"]),
        (nominate, ["PutItem Candidate.key", "BatchWriteItem Candidate.key"]),
        (export, ["Scan Election.key"]),
        (
            follow,
            ["DescribeStream Ballot.key", "GetRecords Ballot.key", "GetShardIterator Ballot.key"],
        ),
    ],
    ids=lambda value: value.code if hasattr(value, "code") else "",
)
def test_a_pattern_needs_what_it_does(pattern: Pattern, uses: list[str]) -> None:
    assert [f"{use.action} {use.access}" for use in uses_of_patterns([pattern])] == uses


def test_a_stream_is_a_resource_of_its_own() -> None:
    policy: Any = policy_of(uses_of_patterns([follow]))
    (stream,) = policy["Statement"]
    assert stream["Resource"] == "arn:aws:dynamodb:*:*:table/vote_data/stream/*"
    assert "Condition" not in stream


def test_each_use_comes_once() -> None:
    uses: list[Use] = uses_of_patterns([profile, mail, profile])
    assert len({f"{use.action} {use.access}" for use in uses}) == len(uses)


def test_patterns_are_allowed_and_the_rest_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    patterns = [one for one in asked if one not in (export, follow)]
    policy = policy_of(uses_of_patterns(patterns), place=Place("us-east-1", "123456789012"))
    with enforced(policy, tmp_path_factory.mktemp("patterns")) as both:
        Store(both.operator).create(Election(name="Language"))
        store = Store(both.app)
        alice = User(name="alice", email="alice@example.org")
        store.create(alice)
        store.create(Ballot(election="Language", voter="alice", rankings=["Rust"]))
        store.update(Ballot.key("Language", "alice"), Ballot.rankings.set(["Go"]))
        store.put_many([Candidate(election="Language", name="Rust")])
        assert store.find(mail("alice@example.org")) == alice
        assert [one.rankings for one in store.query(ballots("Language"))] == [["Go"]]
        assert list(store.hydrate(experts("Python", 3))) == []
        store.delete(Ballot.key("Language", "alice"))
        with pytest.raises(AccessDenied):
            store.delete(User.key("alice"))  # who joins cannot leave: no pattern says so
        with pytest.raises(AccessDenied):
            list(store.query(User.at_email("alice@example.org")))  # a pattern for it is missing
        with pytest.raises(AccessDenied):
            both.app.execute(Scan("vote_data"))
