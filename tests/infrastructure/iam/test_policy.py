"""What a policy says: actions, resources, and the partition keys that they are held to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable import Attr, DeclarationError, Entity, Index, Key, Shards, Table, attr, casefold
from singletable.infrastructure.iam import (
    READS,
    WRITES,
    Owner,
    Place,
    Use,
    policy_of,
    uses_of,
    within_owner,
)
from singletable.infrastructure.iam.patterns import without_covered
from singletable.schema import model_of
from tests.infrastructure.declarations import Ballot, Election, Event, Skill, User

BOTH = (*READS, *WRITES)
by_star = Index("by-star", pk="STAR")
odd = Table("odd", indexes=[by_star])


class Odd(Entity, table=odd):
    """An entity with key texts that mean something to IAM, or that IAM does not take."""

    name: Attr[str] = attr()
    key = Key(pk=("A*B?", name, "Ω", Shards(3, by=name, prefix="s")), sk="ODD")
    fixed = Key(pk="ALL").on(by_star)


class Folded(Entity, table=odd):
    name: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("FOLDED", casefold(name), number), sk="FOLDED")


def statements(entities: list[type], actions: tuple[str, ...] = BOTH) -> list[Any]:
    policy: Any = policy_of(uses_of(entities, actions))
    assert policy["Version"] == "2012-10-17"
    found: list[Any] = policy["Statement"]
    return found


def leading(statement: Any) -> list[str] | None:
    """The partition keys that a statement is held to; None if it is not."""
    if "Condition" not in statement:
        return None
    keys: list[str] = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    # "For all values" is true of a request without any, so each must have one.
    assert statement["Condition"]["Null"] == {"dynamodb:LeadingKeys": "false"}
    return keys


def test_items_are_held_to_the_keys_of_the_entities_and_their_markers() -> None:
    items, queries, index = statements([User, Election, Ballot])
    assert items["Resource"] == queries["Resource"] == "arn:aws:dynamodb:*:*:table/vote_data"
    assert items["Action"] == [f"dynamodb:{action}" for action in BOTH if action != "Query"]
    assert leading(items) == ["ELECTION#*", "UNIQUE#User#email#*", "USER#*"]
    # Nobody queries markers.
    assert queries["Action"] == ["dynamodb:Query"]
    assert leading(queries) == ["ELECTION#*", "USER#*"]
    assert index["Resource"] == "arn:aws:dynamodb:*:*:table/vote_data/index/GSI-1"
    assert index["Action"] == ["dynamodb:Query"]
    # An e-mail address begins with anything.
    assert leading(index) is None


def test_only_the_entities_and_actions_that_are_named_are_allowed() -> None:
    (only,) = statements([Event], ("GetItem",))
    assert only["Action"] == ["dynamodb:GetItem"]
    assert only["Resource"].endswith(":table/vote_event_log")
    assert leading(only) == ["EVENTS"]


# A ballot adds one to its election, so whoever writes ballots updates elections.
def test_counts_in_other_items_are_updated_along() -> None:
    uses = uses_of([Ballot], ("PutItem",))
    assert [(use.action, use.access.owner) for use in uses] == [
        ("PutItem", "Ballot"),
        ("UpdateItem", "Election"),
    ]
    assert len(uses_of([Ballot], ("GetItem",))) == 1


def test_a_scan_is_never_held_to_keys_for_it_has_none() -> None:
    queries, scan = statements([Election], ("Query", "Scan"))
    assert queries["Action"] == ["dynamodb:Query"]
    assert (scan["Action"], leading(scan)) == (["dynamodb:Scan"], None)


# To IAM * and ? stand for others, and it takes no character beyond U+00FF.
def test_what_means_something_to_iam_is_written_so_that_it_does_not() -> None:
    items, index = statements([Odd], ("Query",))
    assert leading(items) == ["A${*}B${?}#*#*#s*"]
    assert leading(index) == ["ALL"]


def test_resources_are_in_their_place_and_under_their_real_names() -> None:
    uses = uses_of([User], ("Query",))
    place = Place("eu-west-1", "123456789012", "aws-cn")
    policy: Any = policy_of(uses, place=place, names={"vote_data": "votes-prod"})
    assert [one["Resource"] for one in policy["Statement"]] == [
        "arn:aws-cn:dynamodb:eu-west-1:123456789012:table/votes-prod",
        "arn:aws-cn:dynamodb:eu-west-1:123456789012:table/votes-prod/index/GSI-1",
    ]


def test_sids_are_letters_and_digits_and_each_comes_once() -> None:
    sids = [one["Sid"] for one in statements([User, Election, Ballot, Event, Skill])]
    assert len(set(sids)) == len(sids)
    assert all(sid.isalnum() for sid in sids)


# A key of one's own is used by DynamoDB in the name of whoever asks, and only through DynamoDB.
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
def test_the_key_that_encrypts_is_allowed_too(actions: list[str], allowed: list[str]) -> None:
    arn = "arn:aws:kms:eu-west-1:123456789012:key/1"
    place = Place("eu-west-1")
    policy: Any = policy_of(uses_of([Event], actions), place=place, key_arn=arn)
    key = policy["Statement"][-1]
    assert (key["Resource"], key["Action"]) == (arn, allowed)
    assert key["Condition"] == {
        "StringLike": {"kms:ViaService": "dynamodb.eu-west-1.amazonaws.com"}
    }


def test_an_owner_stands_where_their_field_does() -> None:
    owner = Owner({"Skill.person": "${aws:PrincipalTag/user}"})
    uses, left_out = within_owner(uses_of([Skill], ("Query",)), owner)
    policy: Any = policy_of(uses, owner=owner)
    items, by_site, recent = policy["Statement"]
    assert leading(items) == leading(recent) == ["PERSON#${aws:PrincipalTag/user}"]
    # The index has two partition keys, and the person is the second.
    second = "dynamodb:SecondPartitionKeyValues"
    assert by_site["Condition"] == {
        "ForAllValues:StringLike": {second: ["${aws:PrincipalTag/user}"]},
        "Null": {second: "false"},
    }
    assert left_out == ["Skill.at_level"]


def _owned(entities: list[type], fields: dict[str, str]) -> Callable[[], object]:
    return lambda: within_owner(uses_of(entities, BOTH), Owner(fields))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: uses_of([User], ["PutItems"]), "'PutItems' is no action on items"),
        (lambda: policy_of([]), "no use of any entity is given"),
        (_owned([User, Election], {"User.name": "x"}), "partition key of Election has none of"),
        (_owned([Skill], {"person": "x", "persno": "y"}), "has a field 'persno'"),
        (_owned([Folded], {"name": "x"}), "does not stand in the partition key as a plain text"),
        (_owned([Folded], {"number": "x"}), "does not stand in the partition key as a plain text"),
        (
            lambda: within_owner(uses_of([Skill], ["Scan"]), Owner({"person": "x"})),
            "Scan reads everybody's items",
        ),
    ],
)
def test_what_cannot_be_a_policy_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        make()


def test_a_pattern_that_another_includes_is_left_out() -> None:
    assert without_covered(["A#*", "A#*#B", "A#1", "B", "B#*", "A"]) == ["A", "A#*", "B", "B#*"]


# An access-pattern catalog knows its uses one by one; so may a policy.
def test_a_policy_is_made_of_single_uses() -> None:
    model = model_of(User)
    policy: Any = policy_of([Use("Query", model.table, model.indexes["at_email"])])
    assert [one["Resource"] for one in policy["Statement"]] == [
        "arn:aws:dynamodb:*:*:table/vote_data/index/GSI-1"
    ]
