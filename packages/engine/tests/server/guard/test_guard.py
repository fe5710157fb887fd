"""The guard as a whole, with a credentials file, signed requests and an engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.engine.row_counts import RowCounts
from dynamodb_engine.errors import (
    AccessDenied,
    InvalidSignature,
    OperationError,
    ResourceNotFound,
    UnrecognizedClient,
)
from dynamodb_engine.server.guard import Credential, Guard
from dynamodb_engine.server.guard.policy_document import read_policy
from dynamodb_engine.testing import AsyncInterruptedDriver
from dynamodb_engine.values import AttributeValue, Item
from dynamodb_engine.wire import TARGETS, read_request
from tests.server.guard.policies import policy, statement
from tests.server.guard.signing import NOW, signed
from tools.testing.clock import Clock

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
    yield AsyncInterruptedDriver(engine, ops.DescribeTable)
    asyncio.run(engine.aclose())


def _table(partition: str, sort: str) -> ops.CreateTable:
    return ops.CreateTable(
        "votes",
        [ops.AttributeDefinition(name, "S") for name in (partition, sort, "GSI")],
        [ops.KeySchemaElement(partition, "HASH"), ops.KeySchemaElement(sort, "RANGE")],
        global_secondary_indexes=[
            ops.GlobalSecondaryIndex(
                "by_gsi", [ops.KeySchemaElement("GSI", "HASH")], ops.Projection("ALL")
            )
        ],
        billing_mode="PAY_PER_REQUEST",
    )


def _item(partition: str, sort: str = "x") -> Item:
    return {"PK": {"S": partition}, "SK": {"S": sort}}


Authorize: TypeAlias = Callable[..., None]


@pytest.fixture
def authorize(guard: Guard, driver: AsyncInterruptedDriver) -> Authorize:
    """Return a function that authorizes an operation, of Bob by default."""

    def run(operation: ops.Operation[object], by: Credential = BOB) -> None:
        asyncio.run(guard.authorize(guard.authenticate(signed(by)), operation, driver))

    return run


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
    authorize: Authorize, driver: AsyncInterruptedDriver
) -> None:
    authorize(ops.Scan("votes"), ADA)
    authorize(ops.DeleteTable("votes"), ADA)
    assert driver.count == 0


def test_leading_key_is_the_partition_key_of_the_table(authorize: Authorize) -> None:
    authorize(ops.PutItem("votes", _item("bob")))
    with pytest.raises(AccessDenied):
        authorize(ops.PutItem("votes", _item("ada", "bob")))


def test_leading_key_of_index_is_its_own_partition_key(authorize: Authorize) -> None:
    values: dict[str, AttributeValue] = {":v": {"S": "bob"}}
    query = ops.Query(
        "votes",
        "by_gsi",
        key_condition_expression="GSI = :v",
        expression_attribute_values=values,
    )
    authorize(query)
    values[":v"] = {"S": "ada"}
    with pytest.raises(AccessDenied):
        authorize(query)


def test_table_description_is_cached(authorize: Authorize, driver: AsyncInterruptedDriver) -> None:
    for _ in range(5):
        authorize(ops.GetItem("votes", _item("bob")))
    assert driver.count == 1


# The guard needs the keys only, about once a second.
def test_guard_does_not_count_items(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.in_memory() as engine:
        engine.execute(_table("PK", "SK"))
        monkeypatch.setattr(RowCounts, "read", None)
        bob, served = guard.authenticate(signed(BOB)), AsyncEngine(engine)
        asyncio.run(guard.authorize(bob, ops.PutItem("votes", _item("bob")), served))
        with pytest.raises(AccessDenied):
            asyncio.run(guard.authorize(bob, ops.PutItem("votes", _item("ada")), served))
        with pytest.raises(ResourceNotFound):
            asyncio.run(guard.authorize(bob, ops.PutItem("other", _item("bob")), served))


def test_table_is_not_described_without_key_conditions(
    driver: AsyncInterruptedDriver, clock: Clock
) -> None:
    parsed = read_policy(policy(statement()), {})
    guard = Guard([replace(ADA, policy=parsed)], clock=clock)
    get = ops.GetItem("votes", _item("x"))
    asyncio.run(guard.authorize(guard.authenticate(signed(ADA)), get, driver))
    assert driver.count == 0


# The table is recreated through the guard, with its keys swapped.
def test_recreated_table_is_described_again(
    authorize: Authorize, driver: AsyncInterruptedDriver
) -> None:
    put = ops.PutItem("votes", _item("bob", "ada"))
    authorize(put)
    for operation in (ops.DeleteTable("votes"), _table("SK", "PK")):
        authorize(operation, ADA)
        asyncio.run(driver.execute(operation))
    with pytest.raises(AccessDenied):
        authorize(put)


# The table may be recreated without the guard, by a program that uses the engine directly.
def test_cached_key_expires_after_a_second(
    authorize: Authorize, driver: AsyncInterruptedDriver, clock: Clock
) -> None:
    authorize(ops.PutItem("votes", _item("bob", "ada")))
    asyncio.run(driver.execute(ops.DeleteTable("votes")))
    asyncio.run(driver.execute(_table("SK", "PK")))
    # A request is never rejected because of an outdated cache.
    authorize(ops.PutItem("votes", _item("ada", "bob")))
    asyncio.run(driver.execute(ops.DeleteTable("votes")))
    asyncio.run(driver.execute(_table("PK", "SK")))
    clock.now += 1
    with pytest.raises(AccessDenied):
        authorize(ops.PutItem("votes", _item("ada", "bob")))


# A request that lacks the cached key is not allowed because of the cache.
def test_request_without_the_cached_key_is_checked_again(
    authorize: Authorize, driver: AsyncInterruptedDriver
) -> None:
    authorize(ops.PutItem("votes", _item("bob")))
    asyncio.run(driver.execute(ops.DeleteTable("votes")))
    asyncio.run(driver.execute(_table("owner", "SK")))
    with pytest.raises(AccessDenied):
        authorize(ops.GetItem("votes", {"owner": {"S": "ada"}}))


def test_missing_table_is_not_found(authorize: Authorize) -> None:
    with pytest.raises(ResourceNotFound):
        authorize(ops.GetItem("nowhere", _item("bob")))


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
    name: str, body: object, authorize: Authorize, driver: AsyncInterruptedDriver
) -> None:
    operation = read_request(f"DynamoDB_20120810.{name}", json.dumps(body).encode())
    with pytest.raises(OperationError):
        _authorize_and_execute(authorize, driver, operation)


@pytest.mark.parametrize("target", TARGETS)
def test_empty_request_raises_only_operation_errors(
    target: str, authorize: Authorize, driver: AsyncInterruptedDriver
) -> None:
    with suppress(OperationError):
        _authorize_and_execute(authorize, driver, read_request(target, b"{}"))


def _authorize_and_execute(
    authorize: Authorize, driver: AsyncInterruptedDriver, operation: ops.Operation[object]
) -> None:
    authorize(operation)
    asyncio.run(driver.execute(operation))
