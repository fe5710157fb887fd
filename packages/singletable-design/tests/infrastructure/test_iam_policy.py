"""Statements of a generated policy: actions, resources and partition key conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable import (
    Attr,
    DeclarationError,
    Entity,
    Index,
    Key,
    Shards,
    Table,
    attr,
    casefold,
    concat,
    sequence,
)
from singletable.schema import model_of
from singletable_design.infrastructure.iam import (
    READS,
    WRITES,
    ArnScope,
    Grant,
    Owner,
    create_policy,
    grants_for_entities,
    remove_covered,
    restrict_to_owner,
)
from tools.testing.designs.table_shapes import Ballot, Election, Event, Skill, User

BOTH = (*READS, *WRITES)
by_star = Index("by-star", pk="STAR")
odd = Table("odd", indexes=[by_star])


class Odd(Entity, table=odd):
    """An entity whose key contains IAM wildcards and characters that IAM does not accept."""

    name: Attr[str] = attr()
    key = Key(pk=("A*B?", name, "Ω", Shards(3, by=name, prefix="s")), sk="ODD")
    fixed = Key(pk="ALL").on(by_star)


class Folded(Entity, table=odd):
    name: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("FOLDED", casefold(name), number), sk="FOLDED")


class Numbered(Entity, table=odd):
    number: Attr[int] = attr()
    key = Key(pk=("NUMBERED", number), sk="NUMBERED")


tenants = Table("tenants")


class Plain(Entity, table=tenants):
    org: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk="PLAIN")


class Child(Entity, table=tenants):
    org: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("ORG", org, name), sk="CHILD")


class Nested(Entity, table=tenants):
    org: Attr[str] = attr()
    key = Key(pk=("ORG#ALL", org), sk="NESTED")


class Piped(Entity, table=tenants):
    org: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=concat("ORG|", org, "|", name), sk="PIPED")


class PipedForAll(Entity, table=tenants):
    org: Attr[str] = attr()
    key = Key(pk=concat("ORG|ALL|", org), sk="ALL")


def statements(entities: list[type], actions: tuple[str, ...] = BOTH) -> list[Any]:
    policy: Any = create_policy(grants_for_entities(entities, actions))
    assert policy["Version"] == "2012-10-17"
    result: list[Any] = policy["Statement"]
    return result


def leading_keys(statement: Any) -> list[str] | None:
    """Return the partition keys of the statement's condition, or None without one."""
    if "Condition" not in statement:
        return None
    keys: list[str] = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    # ForAllValues matches a request without any key, so Null must require one.
    assert statement["Condition"]["Null"] == {"dynamodb:LeadingKeys": "false"}
    return keys


def test_policy_restricts_keys_of_entities_and_markers() -> None:
    items, queries, index = statements([User, Election, Ballot])
    assert items["Resource"] == queries["Resource"] == "arn:aws:dynamodb:*:*:table/vote_data"
    assert items["Action"] == [f"dynamodb:{action}" for action in BOTH if action != "Query"]
    assert leading_keys(items) == ["ELECTION#*", "UNIQUE#User#email#*", "USER#*"]
    # Markers are never queried.
    assert queries["Action"] == ["dynamodb:Query"]
    assert leading_keys(queries) == ["ELECTION#*", "USER#*"]
    assert index["Resource"] == "arn:aws:dynamodb:*:*:table/vote_data/index/GSI-1"
    assert index["Action"] == ["dynamodb:Query"]
    # An e-mail address has no fixed prefix.
    assert leading_keys(index) is None


def test_policy_allows_named_entities_and_actions_only() -> None:
    (only,) = statements([Event], ("GetItem",))
    assert only["Action"] == ["dynamodb:GetItem"]
    assert only["Resource"].endswith(":table/vote_event_log")
    assert leading_keys(only) == ["EVENTS"]


# A ballot increments a counter in its election.
def test_write_grants_include_counter_updates() -> None:
    grants = grants_for_entities([Ballot], ("PutItem",))
    assert [(grant.action, grant.access.owner) for grant in grants] == [
        ("PutItem", "Ballot"),
        ("UpdateItem", "Election"),
    ]
    assert len(grants_for_entities([Ballot], ("GetItem",))) == 1


class Protest(Entity, table=Table("protests")):
    election: Attr[str] = attr()
    number: Attr[int] = sequence(Election.ballots, key=(election,))
    key = Key(pk=("PROTESTS", election), sk=("PROTEST", number))


def test_write_grants_include_the_numbers_of_a_sequence() -> None:
    grants = grants_for_entities([Protest], ("PutItem",))
    assert [(grant.action, grant.access.owner) for grant in grants] == [
        ("PutItem", "Protest"),
        ("UpdateItem", "Election"),
    ]


def test_scan_has_no_key_condition() -> None:
    queries, scan = statements([Election], ("Query", "Scan"))
    assert queries["Action"] == ["dynamodb:Query"]
    assert (scan["Action"], leading_keys(scan)) == (["dynamodb:Scan"], None)


# * and ? are wildcards in IAM, and characters beyond U+00FF are not accepted.
def test_iam_wildcards_in_keys_are_escaped() -> None:
    items, index = statements([Odd], ("Query",))
    assert leading_keys(items) == ["A${*}B${?}#*#*#s*"]
    assert leading_keys(index) == ["ALL"]


def test_resource_arns_use_scope_and_deployed_names() -> None:
    grants = grants_for_entities([User], ("Query",))
    scope = ArnScope("eu-west-1", "123456789012", "aws-cn")
    policy: Any = create_policy(grants, scope=scope, names={"vote_data": "votes-prod"})
    assert [statement["Resource"] for statement in policy["Statement"]] == [
        "arn:aws-cn:dynamodb:eu-west-1:123456789012:table/votes-prod",
        "arn:aws-cn:dynamodb:eu-west-1:123456789012:table/votes-prod/index/GSI-1",
    ]


def test_sids_are_alphanumeric_and_unique() -> None:
    sids = [statement["Sid"] for statement in statements([User, Election, Ballot, Event, Skill])]
    assert len(set(sids)) == len(sids)
    assert all(sid.isalnum() for sid in sids)


# DynamoDB uses a customer managed key on behalf of the caller.
@pytest.mark.parametrize(
    ("actions", "allowed"),
    [
        (("GetItem",), ["kms:Decrypt", "kms:DescribeKey"]),
        (
            ("PutItem",),
            [
                "kms:Decrypt",
                "kms:DescribeKey",
                "kms:Encrypt",
                "kms:GenerateDataKey*",
                "kms:ReEncrypt*",
            ],
        ),
    ],
)
def test_policy_allows_encryption_key(actions: list[str], allowed: list[str]) -> None:
    arn = "arn:aws:kms:eu-west-1:123456789012:key/1"
    scope = ArnScope("eu-west-1")
    policy: Any = create_policy(grants_for_entities([Event], actions), scope=scope, key_arn=arn)
    key = policy["Statement"][-1]
    assert (key["Resource"], key["Action"]) == (arn, allowed)
    assert key["Condition"] == {
        "StringLike": {"kms:ViaService": "dynamodb.eu-west-1.amazonaws.com"}
    }


def test_owner_variable_replaces_field() -> None:
    owner = Owner({"Skill.person": "${aws:PrincipalTag/user}"})
    grants, omitted = restrict_to_owner(grants_for_entities([Skill], ("Query",)), owner)
    policy: Any = create_policy(grants, owner=owner)
    items, by_site, recent = policy["Statement"]
    assert leading_keys(items) == leading_keys(recent) == ["PERSON#${aws:PrincipalTag/user}"]
    # The index has two partition keys, and the person is the second.
    second = "dynamodb:SecondPartitionKeyValues"
    assert by_site["Condition"] == {
        "ForAllValues:StringLike": {second: ["${aws:PrincipalTag/user}"]},
        "Null": {second: "false"},
    }
    assert omitted == ["Skill.at_level"]


# A value is written as in keys, and its wildcards are no wildcards.
def test_owner_value_replaces_field() -> None:
    owner = Owner({"org": "a b*#"})
    grants, _ = restrict_to_owner(grants_for_entities([Plain, Child, Piped], ["GetItem"]), owner)
    policy: Any = create_policy(grants, owner=owner)
    assert leading_keys(policy["Statement"][0]) == [
        "ORG#a b${*}${$}23",
        "ORG#a${$}20b${*}${$}23#*",
        "ORG|a b${*}#|*",
    ]


# Their keys contain lower case, so a variable with capitals in its value reaches nothing.
def test_case_insensitive_keys_can_be_restricted() -> None:
    for value, expected in (("${aws:username}", "${aws:username}"), ("Ada", "ada")):
        owner = Owner({"name": value})
        grants, _ = restrict_to_owner(grants_for_entities([Folded], ["GetItem"]), owner)
        policy: Any = create_policy(grants, owner=owner)
        assert leading_keys(policy["Statement"][0]) == [f"FOLDED#{expected}#*"]


def restricted(entities: list[type], fields: dict[str, str], *actions: str) -> Callable[[], object]:
    grants = grants_for_entities(entities, actions or BOTH)
    return lambda: restrict_to_owner(grants, Owner(fields))


@pytest.mark.parametrize(
    ("create", "message"),
    [
        (lambda: grants_for_entities([User], ["PutItems"]), "Unknown action on items: 'PutItems'"),
        (lambda: create_policy([]), "without grants"),
        (
            restricted([User, Election], {"User.name": "x"}),
            "partition key of Election does not start with",
        ),
        (restricted([Skill], {"person": "x", "persno": "y"}), "field 'persno' is not part of any"),
        (restricted([Numbered], {"number": "x"}), "is not stored verbatim"),
        # PROJECT#*#x also matches keys of other owners that only end like this.
        (restricted([Folded], {"number": "x"}), "does not start with texts"),
        (restricted([Child, Nested], {"org": "x"}), "name 'ALL' could access"),
        (restricted([Piped, PipedForAll], {"org": "x"}), "name 'ALL' could access"),
        (
            restricted([Skill], {"person": "x"}, "Scan"),
            "Scan reads all items",
        ),
    ],
)
def test_invalid_policy_is_rejected(create: Callable[[], object], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        create()


def test_remove_covered_keeps_broader_pattern() -> None:
    assert remove_covered(["A#*", "A#*#B", "A#1", "B", "B#*", "A"]) == ["A", "A#*", "B", "B#*"]


def test_policy_from_single_grant() -> None:
    model = model_of(User)
    policy: Any = create_policy([Grant("Query", model.table, model.indexes["at_email"])])
    assert [statement["Resource"] for statement in policy["Statement"]] == [
        "arn:aws:dynamodb:*:*:table/vote_data/index/GSI-1"
    ]
