"""The guard as a whole, with a credentials file, signed requests and an engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

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
from singletable.testing import AsyncInterruptedDriver
from singletable.values import AttributeValue, Item
from singletable.wire import TARGETS, read_request
from tests.engine.clock import Clock
from tests.server.guard.policies import policy, statement
from tests.server.guard.signing import NOW, signed

ADA = Credential("ada", "AKIAADA", "ada's secret")
BOB = Credential("bob", "AKIABOB", "bob's secret")
OWN = policy(
    statement(Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}})
)


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


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
def driver() -> Iterator[AsyncInterruptedDriver]:
    engine = AsyncEngine(Engine.in_memory())
    asyncio.run(engine.execute(_table("PK", "SK")))
    yield AsyncInterruptedDriver(engine, DescribeTable)
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


def authorize(
    guard: Guard, identity: Identity, operation: Operation[object], driver: AsyncInterruptedDriver
) -> None:
    asyncio.run(guard.authorize(identity, operation, driver))


def test_signer_is_authenticated(guard: Guard) -> None:
    ada, bob = guard.authenticate(signed(ADA)), guard.authenticate(signed(BOB))
    assert (ada.name, ada.arn) == ("ada", "arn:aws:iam::123456789012:user/ada")
    assert ada.policy is None
    assert bob.policy is not None


def test_unknown_key_or_wrong_secret_is_rejected(guard: Guard) -> None:
    with pytest.raises(UnrecognizedClient):
        guard.authenticate(signed(Credential("eve", "AKIAEVE", "eve's secret")))
    with pytest.raises(InvalidSignature):
        guard.authenticate(signed(Credential("ada", "AKIAADA", "eve's secret")))


def test_signature_expires_by_the_clock_of_the_guard(guard: Guard, clock: Clock) -> None:
    request = signed(ADA)
    clock.now += 301
    with pytest.raises(InvalidSignature, match="Signature expired"):
        guard.authenticate(request)


def test_credential_without_policy_allows_everything(
    guard: Guard, driver: AsyncInterruptedDriver
) -> None:
    ada = guard.authenticate(signed(ADA))
    authorize(guard, ada, Scan("votes"), driver)
    authorize(guard, ada, DeleteTable("votes"), driver)
    assert driver.count == 0


def test_leading_key_is_the_partition_key_of_the_table(
    guard: Guard, driver: AsyncInterruptedDriver
) -> None:
    bob = guard.authenticate(signed(BOB))
    authorize(guard, bob, PutItem("votes", _item("bob")), driver)
    with pytest.raises(AccessDenied):
        authorize(guard, bob, PutItem("votes", _item("ada", "bob")), driver)


def test_leading_key_of_index_is_its_own_partition_key(
    guard: Guard, driver: AsyncInterruptedDriver
) -> None:
    bob = guard.authenticate(signed(BOB))
    values: dict[str, AttributeValue] = {":v": {"S": "bob"}}
    query = Query(
        "votes",
        "by_gsi",
        key_condition_expression="GSI = :v",
        expression_attribute_values=values,
    )
    authorize(guard, bob, query, driver)
    values[":v"] = {"S": "ada"}
    with pytest.raises(AccessDenied):
        authorize(guard, bob, query, driver)


def test_table_description_is_cached(guard: Guard, driver: AsyncInterruptedDriver) -> None:
    bob = guard.authenticate(signed(BOB))
    for _ in range(5):
        authorize(guard, bob, GetItem("votes", _item("bob")), driver)
    assert driver.count == 1


def test_table_is_not_described_without_key_conditions(
    driver: AsyncInterruptedDriver, clock: Clock
) -> None:
    guard = Guard([ADA], clock=clock)
    assert guard.authenticate(signed(ADA)).policy is None
    authorize(guard, guard.authenticate(signed(ADA)), GetItem("votes", _item("x")), driver)
    assert driver.count == 0


# The table is recreated through the guard, with its keys swapped.
def test_recreated_table_is_described_again(guard: Guard, driver: AsyncInterruptedDriver) -> None:
    ada, bob = guard.authenticate(signed(ADA)), guard.authenticate(signed(BOB))
    put = PutItem("votes", _item("bob", "ada"))
    authorize(guard, bob, put, driver)
    for operation in (DeleteTable("votes"), _table("SK", "PK")):
        authorize(guard, ada, operation, driver)
        asyncio.run(driver.execute(operation))
    with pytest.raises(AccessDenied):
        authorize(guard, bob, put, driver)


# The table may be recreated without the guard, by a program that uses the engine directly.
def test_cached_key_expires_after_a_second(
    guard: Guard, driver: AsyncInterruptedDriver, clock: Clock
) -> None:
    bob = guard.authenticate(signed(BOB))
    authorize(guard, bob, PutItem("votes", _item("bob", "ada")), driver)
    asyncio.run(driver.execute(DeleteTable("votes")))
    asyncio.run(driver.execute(_table("SK", "PK")))
    # A request is never rejected because of an outdated cache.
    authorize(guard, bob, PutItem("votes", _item("ada", "bob")), driver)
    asyncio.run(driver.execute(DeleteTable("votes")))
    asyncio.run(driver.execute(_table("PK", "SK")))
    clock.now += 1
    with pytest.raises(AccessDenied):
        authorize(guard, bob, PutItem("votes", _item("ada", "bob")), driver)


# A request that lacks the cached key is not allowed because of the cache.
def test_request_without_the_cached_key_is_checked_again(
    guard: Guard, driver: AsyncInterruptedDriver
) -> None:
    bob = guard.authenticate(signed(BOB))
    authorize(guard, bob, PutItem("votes", _item("bob")), driver)
    asyncio.run(driver.execute(DeleteTable("votes")))
    asyncio.run(driver.execute(_table("owner", "SK")))
    with pytest.raises(AccessDenied):
        authorize(guard, bob, GetItem("votes", {"owner": {"S": "ada"}}), driver)


def test_missing_table_is_not_found(guard: Guard, driver: AsyncInterruptedDriver) -> None:
    bob = guard.authenticate(signed(BOB))
    with pytest.raises(ResourceNotFound):
        authorize(guard, bob, GetItem("nowhere", _item("bob")), driver)


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


# Either the guard or the engine rejects it.
@pytest.mark.parametrize(("name", "body"), WITHOUT_KEYS)
def test_request_without_key_is_rejected(
    name: str, body: object, guard: Guard, driver: AsyncInterruptedDriver
) -> None:
    operation = read_request(f"DynamoDB_20120810.{name}", json.dumps(body).encode())
    with pytest.raises(OperationError):
        _authorize_and_execute(guard, guard.authenticate(signed(BOB)), operation, driver)


@pytest.mark.parametrize("target", TARGETS)
def test_empty_request_raises_only_operation_errors(
    target: str, guard: Guard, driver: AsyncInterruptedDriver
) -> None:
    with suppress(OperationError):
        _authorize_and_execute(
            guard, guard.authenticate(signed(BOB)), read_request(target, b"{}"), driver
        )


def _authorize_and_execute(
    guard: Guard, identity: Identity, operation: Operation[object], driver: AsyncInterruptedDriver
) -> None:
    authorize(guard, identity, operation, driver)
    asyncio.run(driver.execute(operation))
