"""A policy on leading keys, on the endpoint: own items only, and not all of their attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dynamodb_engine.server.guard import Credential, Guard
from dynamodb_engine.server.guard.policy_document import PolicyError, read_policy
from dynamodb_engine.testing import endpoint
from dynamodb_engine.values import Item
from singletable import (
    AccessDenied,
    AttributeValue,
    DeleteItem,
    Engine,
    GetItem,
    Operation,
    PutItem,
    Query,
    Remote,
    Scan,
    Store,
    UpdateItem,
    connect,
)
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Profile, User, UserSkill
from singletable_apps.skills.policies import own_data_policy
from tests.apps.skills.support.world import World

TABLE = "glad-entities"


@pytest.fixture(scope="module")
def ada() -> Iterator[Remote]:
    """Yield a driver that signs as ada, at an endpoint with the items of ada and bob."""
    with Engine.in_memory() as engine:
        World(engine).fill({"ada": {"Go": "Expert"}, "bob": {"Go": "Beginner"}})
        with open_endpoint(engine, "ada") as driver:
            yield driver


@contextmanager
def open_endpoint(engine: Engine, username: str) -> Iterator[Remote]:
    tag = {"aws:PrincipalTag/username": username}
    policy = read_policy(own_data_policy(), tag)
    guard = Guard([Credential(username, "AKIAONE", "its secret", policy=policy, context=tag)])
    with pytest.MonkeyPatch.context() as patch, endpoint(engine, guard=guard) as url:
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIAONE")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "its secret")
        with connect(f"dynamodb+{url}?region=us-east-1") as driver:
            assert isinstance(driver, Remote)
            yield driver


def key(pk: str, sk: str = "PROFILE") -> Item:
    return {"PK": {"S": pk}, "SK": {"S": sk}}


def edit(pk: str, attribute: str, sk: str = "PROFILE", **more: Any) -> UpdateItem:
    values: dict[str, AttributeValue] = {":value": {"S": "new"}}
    return UpdateItem(
        TABLE,
        key(pk, sk),
        update_expression="SET #name = :value",
        expression_attribute_names={"#name": attribute},
        expression_attribute_values=values,
        **more,
    )


def query(pk: str, index: str | None = None) -> Query:
    attribute = "PK" if index is None else "GSI1PK"
    return Query(
        TABLE,
        index_name=index,
        key_condition_expression=f"{attribute} = :pk",
        expression_attribute_values={":pk": {"S": pk}},
    )


def test_own_items_can_be_read(ada: Remote) -> None:
    store = Store(ada)
    assert store.get(patterns.user_by_name("Ada"), consistent=True) is not None
    assert store.get(UserSkill.key("ada", "go")) is not None
    assert [one.skill_id for one in store.query(patterns.skills_of_user("ada"))] == ["go"]
    profile = store.collect(Profile, patterns.user_with_skills("ada"))
    assert (profile.user.username, len(profile.skills)) == ("ada", 1)
    assert store.get_many([User.key("ada"), UserSkill.key("ada", "go")])[0] is not None


def test_own_profile_can_be_edited(ada: Remote) -> None:
    ada.execute(edit("USER#ada", "Title", return_values="UPDATED_NEW"))
    user = Store(ada).get(User.key("ada"))
    assert user is not None
    assert user.title == "new"


@pytest.mark.parametrize(
    "operation",
    [
        # Items of others.
        GetItem(TABLE, key("USER#bob")),
        GetItem(TABLE, key("USER#ADA")),
        GetItem(TABLE, key("USER#ada#x")),
        query("USER#bob"),
        edit("USER#bob", "Title"),
        # Items of everybody, also those about ada.
        GetItem(TABLE, key("SKILL#go", "METADATA")),
        GetItem(TABLE, key("DIRECTORY", "SETTINGS")),
        query("ENDORSEMENT#ada#go"),
        PutItem(TABLE, key("ENDORSEMENT#ada#go", "BY#bob")),
        # Indexes, and the whole table.
        query("SKILL#go", "GSI1"),
        query("USERS", "GSI1"),
        Scan(TABLE),
        Scan(TABLE, index_name="GSI1"),
        # Own items, but not by these requests: they could be forged.
        PutItem(TABLE, key("USER#ada", "SKILL#python")),
        DeleteItem(TABLE, key("USER#ada")),
        edit("USER#ada", "Role"),
        edit("USER#ada", "PasswordHash"),
        edit("USER#ada", "GSI1PK"),
        edit("USER#ada", "Endorsements", "SKILL#go"),
        edit("USER#ada", "Title", return_values="ALL_NEW"),
    ],
    ids=range(20),
)
def test_everything_else_is_refused_as_aws_does(ada: Remote, operation: Operation[object]) -> None:
    with pytest.raises(AccessDenied, match="no identity-based policy allows"):
        ada.execute(operation)


def test_batches_with_items_of_others_are_refused_as_a_whole(ada: Remote) -> None:
    store = Store(ada)
    with pytest.raises(AccessDenied):
        store.get_many([User.key("ada"), User.key("bob")])


# IAM compares texts, and keys are in lower case: safe, but such a person can access nothing.
def test_a_tag_in_capitals_reaches_nothing() -> None:
    with Engine.in_memory() as engine:
        World(engine).fill({"ada": {}})
        with open_endpoint(engine, "Ada") as driver, pytest.raises(AccessDenied):
            driver.execute(GetItem(TABLE, key("USER#ada")))


# The document's example: `USER#${cognito:username}`.
def test_the_documents_variable_does_not_exist() -> None:
    policy = own_data_policy("${cognito:username}")
    assert "USER#${cognito:username}" in json.dumps(policy)
    with pytest.raises(PolicyError, match="cognito:username"):
        read_policy(policy, {})
