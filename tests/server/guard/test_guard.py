"""The guard as a whole: from a file and signed requests to what the embedded engine is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest

from singletable.engine import AsyncEngine, Engine
from singletable.errors import (
    AccessDenied,
    InvalidSignature,
    OperationError,
    ResourceNotFound,
    UnrecognizedClient,
)
from singletable.operations import (
    AttributeDefinition,
    CreateTable,
    DeleteTable,
    DescribeTable,
    GetItem,
    GlobalSecondaryIndex,
    KeySchemaElement,
    Operation,
    Projection,
    PutItem,
    Query,
    Scan,
)
from singletable.server.guard import Credential, Guard, Identity
from singletable.values import AttributeValue, Item
from singletable.wire import TARGETS, read_request
from tests.server.guard.policies import policy, statement
from tests.server.guard.signing import NOW, signed

R = TypeVar("R")
ADA = Credential("ada", "AKIAADA", "ada's secret")
BOB = Credential("bob", "AKIABOB", "bob's secret")
OWN = policy(
    statement(Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}})
)


class Clock:
    """A clock that stands still until it is moved."""

    now = NOW

    def __call__(self) -> float:
        return self.now


class Watched:
    """A driver that counts how often it is asked for a table's description."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.described = 0

    async def execute(self, operation: Operation[R], /) -> R:
        self.described += isinstance(operation, DescribeTable)
        return await self.engine.execute(operation)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guard(tmp_path: Path, clock: Clock) -> Guard:
    path = tmp_path / "credentials.toml"
    path.touch(0o600)
    path.write_text(
        "\n".join(
            (
                _entry(ADA),
                _entry(BOB),
                f"policy = '''{json.dumps(OWN)}'''",
            )
        )
    )
    return Guard.from_file(path, clock=clock)


def _entry(of: Credential) -> str:
    return (
        f'[[credential]]\nname = "{of.name}"\naccess_key_id = "{of.access_key_id}"\n'
        f'secret_access_key = "{of.secret_access_key}"'
    )


@pytest.fixture
def driver() -> Iterator[Watched]:
    engine = AsyncEngine(Engine.in_memory())
    asyncio.run(engine.execute(_table("PK", "SK")))
    yield Watched(engine)
    asyncio.run(engine.aclose())


def _table(partition: str, sort: str) -> CreateTable:
    return CreateTable(
        "votes",
        [AttributeDefinition(name, "S") for name in (partition, sort, "GSI")],
        [KeySchemaElement(partition, "HASH"), KeySchemaElement(sort, "RANGE")],
        global_secondary_indexes=[
            GlobalSecondaryIndex("by_gsi", [KeySchemaElement("GSI", "HASH")], Projection("ALL"))
        ],
        billing_mode="PAY_PER_REQUEST",
    )


def _item(partition: str, sort: str = "x") -> Item:
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def check(guard: Guard, who: Identity, operation: Operation[object], driver: Watched) -> None:
    asyncio.run(guard.authorize(who, operation, driver))


def test_whoever_signs_is_admitted(guard: Guard) -> None:
    ada, bob = guard.authenticate(signed(ADA)), guard.authenticate(signed(BOB))
    assert (ada.name, ada.arn) == ("ada", "arn:aws:iam::123456789012:user/ada")
    assert ada.policy is None
    assert bob.policy is not None


def test_nobody_else_is(guard: Guard) -> None:
    with pytest.raises(UnrecognizedClient):
        guard.authenticate(signed(Credential("eve", "AKIAEVE", "eve's secret")))
    with pytest.raises(InvalidSignature):
        guard.authenticate(signed(Credential("ada", "AKIAADA", "eve's secret")))


def test_the_clock_is_the_guards(guard: Guard, clock: Clock) -> None:
    request = signed(ADA)
    clock.now += 301
    with pytest.raises(InvalidSignature, match="Signature expired"):
        guard.authenticate(request)


def test_a_credential_without_a_policy_may_do_everything(guard: Guard, driver: Watched) -> None:
    ada = guard.authenticate(signed(ADA))
    check(guard, ada, Scan("votes"), driver)
    check(guard, ada, DeleteTable("votes"), driver)
    assert driver.described == 0


def test_the_leading_key_is_the_one_that_the_table_has(guard: Guard, driver: Watched) -> None:
    bob = guard.authenticate(signed(BOB))
    check(guard, bob, PutItem("votes", _item("bob")), driver)
    with pytest.raises(AccessDenied):
        check(guard, bob, PutItem("votes", _item("ada", "bob")), driver)


def test_the_leading_key_of_an_index_is_the_indexs(guard: Guard, driver: Watched) -> None:
    bob = guard.authenticate(signed(BOB))
    values: dict[str, AttributeValue] = {":v": {"S": "bob"}}
    query = Query(
        "votes",
        "by_gsi",
        key_condition_expression="GSI = :v",
        expression_attribute_values=values,
    )
    check(guard, bob, query, driver)
    values[":v"] = {"S": "ada"}
    with pytest.raises(AccessDenied):
        check(guard, bob, query, driver)


def test_a_table_is_not_described_for_every_request(guard: Guard, driver: Watched) -> None:
    bob = guard.authenticate(signed(BOB))
    for _ in range(5):
        check(guard, bob, GetItem("votes", _item("bob")), driver)
    assert driver.described == 1


def test_a_policy_that_is_not_about_keys_asks_for_no_table(driver: Watched, clock: Clock) -> None:
    guard = Guard([ADA], clock=clock)
    assert guard.authenticate(signed(ADA)).policy is None
    check(guard, guard.authenticate(signed(ADA)), GetItem("votes", _item("x")), driver)
    assert driver.described == 0


# The table is made anew with its keys the other way round, and the guard sees it happen.
def test_a_table_that_changes_is_asked_for_again(guard: Guard, driver: Watched) -> None:
    ada, bob = guard.authenticate(signed(ADA)), guard.authenticate(signed(BOB))
    put = PutItem("votes", _item("bob", "ada"))
    check(guard, bob, put, driver)
    for operation in (DeleteTable("votes"), _table("SK", "PK")):
        check(guard, ada, operation, driver)
        asyncio.run(driver.execute(operation))
    with pytest.raises(AccessDenied):
        check(guard, bob, put, driver)


# It may be made anew by whoever has the engine in their hands, past the guard.
def test_what_is_remembered_is_forgotten_after_a_second(
    guard: Guard, driver: Watched, clock: Clock
) -> None:
    bob = guard.authenticate(signed(BOB))
    check(guard, bob, PutItem("votes", _item("bob", "ada")), driver)
    asyncio.run(driver.execute(DeleteTable("votes")))
    asyncio.run(driver.execute(_table("SK", "PK")))
    # Nothing is refused because of what is remembered.
    check(guard, bob, PutItem("votes", _item("ada", "bob")), driver)
    asyncio.run(driver.execute(DeleteTable("votes")))
    asyncio.run(driver.execute(_table("PK", "SK")))
    clock.now += 1
    with pytest.raises(AccessDenied):
        check(guard, bob, PutItem("votes", _item("ada", "bob")), driver)


# Nor is anything allowed that does not have the key that is remembered.
def test_a_request_without_the_remembered_key_is_checked_anew(
    guard: Guard, driver: Watched
) -> None:
    bob = guard.authenticate(signed(BOB))
    check(guard, bob, PutItem("votes", _item("bob")), driver)
    asyncio.run(driver.execute(DeleteTable("votes")))
    asyncio.run(driver.execute(_table("owner", "SK")))
    with pytest.raises(AccessDenied):
        check(guard, bob, GetItem("votes", {"owner": {"S": "ada"}}), driver)


def test_a_table_that_is_not_there_is_not_found(guard: Guard, driver: Watched) -> None:
    bob = guard.authenticate(signed(BOB))
    with pytest.raises(ResourceNotFound):
        check(guard, bob, GetItem("nowhere", _item("bob")), driver)


WITHOUT_KEYS: list[tuple[str, object]] = [
    ("PutItem", {"TableName": "votes"}),
    ("PutItem", {"TableName": "votes", "Item": {"PK": {"L": []}}}),
    ("GetItem", {"TableName": "votes", "Key": {"PK": {}}}),
    ("Query", {"TableName": "votes"}),
    ("Query", {"TableName": "votes", "KeyConditionExpression": ""}),
    ("Query", {"TableName": "votes", "IndexName": "none", "KeyConditions": {"PK": {}}}),
    ("BatchGetItem", {"RequestItems": {"votes": {}}}),
    ("BatchGetItem", {"RequestItems": {"votes": {"Keys": [{}]}}}),
    ("BatchWriteItem", {"RequestItems": {"votes": []}}),
    (
        "BatchWriteItem",
        {"RequestItems": {"votes": [{"PutRequest": {}}, {"DeleteRequest": {}}, {}]}},
    ),
    ("TransactGetItems", {"TransactItems": [{}]}),
    ("TransactGetItems", {"TransactItems": [{"Get": {}}]}),
    ("TransactWriteItems", {"TransactItems": [{}]}),
    (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {}, "Update": {}, "Delete": {}, "ConditionCheck": {}}]},
    ),
]


# A client may leave out what it likes, and is refused for it: by the guard, or by the engine.
@pytest.mark.parametrize(("name", "body"), WITHOUT_KEYS)
def test_a_request_without_its_key_is_refused(
    name: str, body: object, guard: Guard, driver: Watched
) -> None:
    operation = read_request(f"DynamoDB_20120810.{name}", json.dumps(body).encode())
    with pytest.raises(OperationError):
        _carry_out(guard, guard.authenticate(signed(BOB)), operation, driver)


@pytest.mark.parametrize("target", TARGETS)
def test_a_request_that_says_nothing_is_no_mishap(
    target: str, guard: Guard, driver: Watched
) -> None:
    with suppress(OperationError):
        _carry_out(guard, guard.authenticate(signed(BOB)), read_request(target, b"{}"), driver)


def _carry_out(guard: Guard, who: Identity, operation: Operation[object], driver: Watched) -> None:
    check(guard, who, operation, driver)
    asyncio.run(driver.execute(operation))
