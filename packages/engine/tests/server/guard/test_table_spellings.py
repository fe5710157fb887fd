"""However a request spells a table, the guard and the driver resolve it to the same table."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.errors import OperationError
from dynamodb_engine.faults import AsyncFaultyDriver, Faults
from dynamodb_engine.server.guard import Credential, Guard, Identity
from dynamodb_engine.server.guard.policy_document import read_policy
from dynamodb_engine.values import Item
from dynamodb_engine.wire import TARGETS, read_request, write_result
from tests.server.guard.policies import policy, statement

REGION, ACCOUNT = "us-east-1", "123456789012"
TABLES = ("ballots", "results")
KEY: Item = {"id": {"S": "1"}}


def _arn(table: str) -> str:
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}"


def _marker(table: str) -> str:
    """Return a text that is in every item of a table, and in no request."""
    return f"only-in-{table}"


def _filled() -> Engine:
    engine = Engine.in_memory()
    for table in TABLES:
        definition = ops.CreateTable(
            table,
            [ops.AttributeDefinition(name, "S") for name in ("id", _marker(table))],
            [ops.KeySchemaElement("id", "HASH")],
            global_secondary_indexes=[
                ops.GlobalSecondaryIndex(
                    "other", [ops.KeySchemaElement(_marker(table), "HASH")], ops.Projection("ALL")
                )
            ],
            billing_mode="PAY_PER_REQUEST",
            tags=[ops.Tag("content", _marker(table))],
        )
        engine.execute(definition)
        engine.execute(ops.PutItem(table, KEY | {_marker(table): {"S": _marker(table)}}))
    return engine


FILLED = _filled()
_condition = {
    "ConditionExpression": "attribute_not_exists(id)",
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}
# Requests that have a TableName, without it.
ON_TABLE: dict[str, dict[str, Any]] = {
    "GetItem": {"Key": KEY},
    "PutItem": {"Item": KEY, "ReturnValues": "ALL_OLD"},
    "UpdateItem": {"Key": KEY, "UpdateExpression": "REMOVE score", "ReturnValues": "ALL_OLD"},
    "DeleteItem": {"Key": KEY, "ReturnValues": "ALL_OLD"},
    "Query": {
        "KeyConditions": {"id": {"AttributeValueList": [KEY["id"]], "ComparisonOperator": "EQ"}}
    },
    "Scan": {},
    "CreateTable": {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    },
    "DescribeTable": {},
    "UpdateTable": {"DeletionProtectionEnabled": True},
    "DeleteTable": {},
    "DescribeTimeToLive": {},
    "UpdateTimeToLive": {"TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True}},
    "DescribeContinuousBackups": {},
    "UpdateContinuousBackups": {
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}
    },
    "EnableKinesisStreamingDestination": {"StreamArn": "a"},
    "DisableKinesisStreamingDestination": {"StreamArn": "a"},
    "UpdateKinesisStreamingDestination": {"StreamArn": "a"},
    "DescribeKinesisStreamingDestination": {},
    "ReadChanges": {},
    "SweepExpired": {},
    "ListStreams": {},
}
WRITES: dict[str, dict[str, Any]] = {
    "Put": {"Item": KEY},
    "Update": {"Key": KEY, "UpdateExpression": "SET score = id"},
    "Delete": {"Key": KEY},
    "ConditionCheck": {"Key": KEY, **_condition},
}
STATEMENTS = (
    """SELECT * FROM "t" WHERE id = '1'""",
    """SELECT * FROM "t"."other" """,
    """INSERT INTO "t" VALUE {'id': '2'}""",
    """UPDATE "t" SET score = 1 WHERE id = '1' RETURNING ALL OLD *""",
    """DELETE FROM "t" WHERE id = '1'""",
    """EXISTS(SELECT * FROM "t" WHERE id = '1' AND score IS MISSING)""",
)
# The bodies of requests to a table, which is named as `t`.
BODIES: dict[str, list[dict[str, Any]]] = {
    **{name: [{"TableName": "t", **members}] for name, members in ON_TABLE.items()},
    "BatchGetItem": [{"RequestItems": {"t": {"Keys": [KEY]}}}],
    "BatchWriteItem": [{"RequestItems": {"t": [{"DeleteRequest": {"Key": KEY}}]}}],
    "TransactGetItems": [{"TransactItems": [{"Get": {"TableName": "t", "Key": KEY}}]}],
    "TransactWriteItems": [
        {"TransactItems": [{name: {"TableName": "t", **members}}]}
        for name, members in WRITES.items()
    ],
    "ExecuteStatement": [{"Statement": statement} for statement in STATEMENTS],
    "BatchExecuteStatement": [{"Statements": [{"Statement": each}]} for each in STATEMENTS],
    "ExecuteTransaction": [{"TransactStatements": [{"Statement": each}]} for each in STATEMENTS],
    "TagResource": [{"ResourceArn": "t", "Tags": [{"Key": "a", "Value": "b"}]}],
    "UntagResource": [{"ResourceArn": "t", "TagKeys": ["content"]}],
    "ListTagsOfResource": [{"ResourceArn": "t"}],
    "DescribeStream": [{"StreamArn": "t"}],
    "GetShardIterator": [{"StreamArn": "t", "ShardId": "s" * 30, "ShardIteratorType": "LATEST"}],
    "GetRecords": [{"ShardIterator": "t"}],
    **{name: [{}] for name in ("ListTables", "DescribeLimits", "DescribeEndpoints")},
}
BODIES["Scan"].append({"TableName": "t", "IndexName": "other"})
BODIES["ReadChanges"].append({})
BODIES["SweepExpired"].append({})
REQUESTS = [(target, body) for target in TARGETS for body in BODIES[target.rpartition(".")[2]]]


def _spellings(table: str) -> st.SearchStrategy[str]:
    """Return a strategy for texts that could be mistaken for a table name."""
    names = (table, table.upper(), f" {table}", f"{table}\n", f"table/{table}", f"arn:{table}")
    right = ("arn", "aws", "dynamodb", REGION, ACCOUNT, f"table/{table}")
    wrong = (
        ("ARN", "urn", " arn"),
        ("aws-cn", "AWS", "moon", ""),
        ("DynamoDB", "s3", ""),
        ("eu-west-1", REGION.upper(), "*", ""),
        ("999999999999", "0" + ACCOUNT, "*", ""),
        (
            *(f"table/{table}/", f"table//{table}", f"table/{table}/index/other", f"Table/{table}"),
            *(f"table/{table}/stream/2026-01-01T00:00:00.000", f"table/x:table/{table}", table),
            *(f"table/{table}\n", f"table:{table}", f"table/../{table}", f"table/{table.upper()}"),
        ),
    )
    changes = st.sampled_from(
        [(position, text) for position, texts in enumerate(wrong) for text in texts]
    )
    # One wrong part is the likeliest to be overlooked.
    arns = st.lists(changes, max_size=2).map(
        lambda made: ":".join(dict([*enumerate(right), *made]).values())
    )
    return arns | st.sampled_from(names)


def _policies(denied: str) -> list[dict[str, object]]:
    """Return policies that do not allow this table."""
    (allowed,) = set(TABLES) - {denied}
    exact = [_arn(denied), _arn(f"{denied}/*")]
    return [
        policy(statement(), statement(Effect="Deny", Resource=_arn(f"{denied}*"))),
        policy(statement(), statement(Effect="Deny", Resource=exact)),
        policy(statement(Resource=f"arn:aws:dynamodb:*:*:table/{allowed}*")),
        policy({"Effect": "Allow", "Action": "*", "NotResource": exact}),
    ]


def _state(engine: Engine, table: str) -> list[object]:
    """Return everything that is stored for a table."""
    if table not in engine.execute(ops.ListTables()).table_names:
        return []
    return [
        engine.execute(operation)
        for operation in (
            ops.DescribeTable(table),
            ops.DescribeTimeToLive(table),
            ops.DescribeContinuousBackups(table),
            ops.ListTagsOfResource(_arn(table)),
            ops.Scan(table),
        )
    ]


def _read(target: str, body: dict[str, Any], spelling: str) -> ops.Operation[object]:
    quoted = '"{}"'.format(spelling.replace('"', '""'))
    text = json.dumps(body).replace('"t"', json.dumps(spelling))
    text = text.replace(r"\"t\"", json.dumps(quoted)[1:-1])
    return cast("ops.Operation[object]", read_request(target, text.encode()))


async def _respond(
    document: dict[str, object], operation: ops.Operation[object], driver: ops.AsyncDriver
) -> str:
    """Return everything that the client gets: the output, or the error with all its fields."""
    guard = Guard([Credential("ada", "AKIAADA", "secret")])
    context = {"aws:username": "ada"}
    ada = Identity("ada", "AKIAADA", ACCOUNT, read_policy(document, context), context)
    try:
        await guard.authorize(ada, operation, driver)
        return write_result(await driver.execute(operation)).decode()
    except OperationError as error:
        return f"{error} {vars(error)}"


def test_every_operation_on_the_wire_is_tried() -> None:
    assert set(BODIES) == {target.rpartition(".")[2] for target in TARGETS}


@settings(max_examples=settings().max_examples // 4)
@given(st.data())
def test_denied_table_is_out_of_reach_however_it_is_spelled(data: st.DataObject) -> None:
    denied = data.draw(st.sampled_from(TABLES))
    spelling = data.draw(_spellings(denied))
    with FILLED.copy() as engine:
        driver: ops.AsyncDriver = AsyncEngine(engine)
        if data.draw(st.booleans()):
            driver = AsyncFaultyDriver(driver, Faults(unprocessed=1))
        before = _state(engine, denied)
        for target, body in REQUESTS:
            operation = _read(target, body, spelling)
            for document in _policies(denied):
                response = asyncio.run(_respond(document, operation, driver))
                assert _marker(denied) not in response, (document, operation)
            assert _state(engine, denied) == before, operation


# The property above would also be true if nothing were allowed.
@pytest.mark.parametrize("spelling", ["results", _arn("results")])
def test_allowed_table_is_read(spelling: str) -> None:
    document = policy(statement(), statement(Effect="Deny", Resource=_arn("ballots*")))
    for name in ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "DescribeTable"):
        operation = _read(f"DynamoDB_20120810.{name}", BODIES[name][0], spelling)
        response = asyncio.run(_respond(document, operation, AsyncEngine(FILLED)))
        assert _marker("results") in response, name
