"""Valid operations pass the compiled test, and every operation has constraints."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.constraints import check_constraints
from dynamodb_engine.engine.constraints.check import RULES
from dynamodb_engine.engine.constraints.compiled import compile_test
from dynamodb_engine.engine.constraints.violations import MemberPath, find_violations
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import Item

ARN = "arn:aws:dynamodb:eu-west-2:000000000000:table/main"
STREAM = f"{ARN}/stream/2026-11-18T00:00:00.000"
SHARD = "shardId-00000001414576573621-f55eea83"
KEY: Item = {"pk": {"S": "a"}}
PK = ops.KeySchemaElement("pk", "HASH")
PUT = ops.WriteRequest(put_request=ops.PutRequest(KEY))

VALID: list[ops.Operation[object]] = [
    ops.PutItem("a", {}),
    ops.PutItem(ARN, KEY, return_values="UPDATED_NEW", expression_attribute_names={"#a": "b"}),
    ops.PutItem(
        "_main.1-x",
        KEY,
        expected={"a": ops.ExpectedAttributeValue({"S": "x"}, comparison_operator="EQ")},
        conditional_operator="AND",
        return_values_on_condition_check_failure="NONE",
    ),
    ops.GetItem("main", KEY, consistent_read=True, attributes_to_get=["a"]),
    ops.UpdateItem(
        "main", KEY, attribute_updates={"a": ops.AttributeValueUpdate({"N": "1"}, "ADD")}
    ),
    ops.UpdateItem("main", KEY, update_expression="", condition_expression=""),
    ops.DeleteItem("main", {}, return_item_collection_metrics="SIZE"),
    ops.Query("main", "by_time", "COUNT", limit=1, key_conditions={"pk": ops.Condition("EQ", [])}),
    ops.Query("main", expression_attribute_values={}),
    ops.Scan("main", total_segments=1_000_000, segment=999_999, exclusive_start_key=KEY),
    ops.BatchGetItem(
        {"main": ops.KeysAndAttributes([KEY] * 100), ARN: ops.KeysAndAttributes([KEY])}
    ),
    ops.BatchWriteItem({"main": [PUT] * 25}, "TOTAL", "NONE"),
    ops.BatchWriteItem(
        {"main": [ops.WriteRequest(delete_request=ops.DeleteRequest(KEY)), ops.WriteRequest()]}
    ),
    ops.TransactGetItems([ops.TransactGetItem(ops.Get("main", KEY))] * 100),
    ops.TransactWriteItems(
        [
            ops.TransactWriteItem(put=ops.Put("main", KEY)),
            ops.TransactWriteItem(update=ops.Update("main", KEY, "SET a = :a")),
            ops.TransactWriteItem(delete=ops.Delete(ARN, KEY)),
            ops.TransactWriteItem(condition_check=ops.ConditionCheck("main", KEY, "a = :a")),
        ],
        client_request_token="x" * 36,
    ),
    ops.CreateTable(
        "main",
        [ops.AttributeDefinition("pk", "S")],
        [PK, ops.KeySchemaElement("sk", "RANGE")],
        [ops.LocalSecondaryIndex("local", [PK], ops.Projection())],
        [
            ops.GlobalSecondaryIndex(
                "global",
                [PK] * 8,
                ops.Projection("INCLUDE", ["a"]),
                ops.ProvisionedThroughput(1, 1),
            )
        ],
        "PROVISIONED",
        ops.ProvisionedThroughput(5, 5),
        ops.StreamSpecification(False),
        ops.SSESpecification(),
        [ops.Tag("a", "")],
        "STANDARD",
        True,
        ops.WarmThroughput(-1),
        "",
        ops.OnDemandThroughput(-1, 0),
    ),
    ops.CreateTable("main", [], [PK], [], [], tags=[]),
    ops.UpdateTable("main"),
    ops.UpdateTable(
        "main",
        global_secondary_index_updates=[
            ops.GlobalSecondaryIndexUpdate(),
            ops.GlobalSecondaryIndexUpdate(
                create=ops.CreateGlobalSecondaryIndexAction("global", [PK], ops.Projection("ALL"))
            ),
        ],
    ),
    ops.ExecuteStatement("x" * 8192, [{"S": "a"}], True, "next", "TOTAL", 1, "ALL_OLD"),
    ops.BatchExecuteStatement([ops.BatchStatementRequest("x")] * 25, "INDEXES"),
    ops.ExecuteTransaction([ops.ParameterizedStatement("x")] * 100, "token", "NONE"),
    ops.DescribeTable(ARN),
    ops.DeleteTable("main"),
    ops.ListTables("abc", 100),
    ops.UpdateTimeToLive("main", ops.TimeToLiveSpecification(True, "ttl")),
    ops.DescribeTimeToLive("main"),
    ops.UpdateContinuousBackups("main", ops.PointInTimeRecoverySpecification(False)),
    ops.UpdateContinuousBackups("main", ops.PointInTimeRecoverySpecification(True, 35)),
    ops.DescribeContinuousBackups("main"),
    ops.EnableKinesisStreamingDestination(
        "main", "", ops.EnableKinesisStreamingConfiguration("MILLISECOND")
    ),
    ops.DisableKinesisStreamingDestination("main", "a" * 1024),
    ops.UpdateKinesisStreamingDestination(
        "main", "a", ops.UpdateKinesisStreamingConfiguration("MICROSECOND")
    ),
    ops.DescribeKinesisStreamingDestination(ARN),
    ops.TagResource("not-an-arn", []),
    ops.UntagResource(ARN, []),
    ops.ListTagsOfResource(ARN, "next"),
    ops.DescribeLimits(),
    ops.DescribeEndpoints(),
    ops.ListStreams(),
    ops.ListStreams("main", 100, STREAM),
    ops.DescribeStream(STREAM, 1, SHARD, ops.ShardFilter("CHILD_SHARDS", SHARD)),
    ops.GetShardIterator(STREAM, SHARD, "AT_SEQUENCE_NUMBER", "1" * 21),
    ops.GetShardIterator(STREAM, SHARD, "AT_TIMESTAMP", timestamp=1700000000.5),
    ops.GetRecords(f"{STREAM}|1|eA==", 1000),
    ops.ReadChanges(),
    ops.ReadChanges(None, "main", 1),
    ops.SweepExpired("main", 1000),
]
OPERATIONS: set[type] = {
    value
    for _, value in inspect.getmembers(ops, inspect.isclass)
    if issubclass(value, ops.Operation) and value is not ops.Operation
}


@pytest.mark.parametrize("operation", VALID, ids=lambda each: type(each).__name__)
def test_valid_operation_is_accepted(operation: ops.Operation[object]) -> None:
    check_constraints(operation)


# Finding violations takes fifty times as long as the compiled test.
@pytest.mark.parametrize("operation", VALID, ids=lambda each: type(each).__name__)
def test_valid_operation_passes_the_compiled_test(operation: ops.Operation[object]) -> None:
    assert compile_test(RULES[type(operation)].structure)(operation)


def test_every_field_of_every_operation_has_a_constraint() -> None:
    assert set(RULES) == OPERATIONS
    for operation, rule in RULES.items():
        fields: Any = getattr(operation, "__struct_fields__")  # noqa: B009
        assert {member.field for member in rule.structure.members} == set(fields)


def test_every_operation_has_a_valid_example() -> None:
    assert {type(operation) for operation in VALID} == OPERATIONS


ODD: list[Any] = [
    *(None, "", "x!", "x" * 300, 0, -1, 10**5000, True, 1.5, b"x", object(), ops.Operation),
    *(
        [],
        [None],
        [5],
        ["a"],
        [{}],
        [[]],
        {},
        {"": None},
        {"a": 5},
        {5: "a"},
        {"a!": []},
        {"a": {}},
    ),
    *(PK, PUT, [PK], [PUT], {"abc": PUT}, {"a!": [PUT, None]}, {"a!": {"b": object()}}, "\ud800"),
]


# The check never breaks, and what the compiled test accepts has no violations.
@pytest.mark.parametrize("operation", VALID, ids=lambda each: type(each).__name__)
def test_any_value_is_accepted_or_rejected(operation: ops.Operation[object]) -> None:
    rule = RULES[type(operation)]
    is_valid = compile_test(rule.structure)
    for member in rule.structure.members:
        for value in ODD:
            changed = replace(operation, **{member.field: value})
            with suppress(ValidationError):
                check_constraints(changed)
            with suppress(TypeError, AttributeError):
                assert not (
                    is_valid(changed)
                    and list(find_violations(rule.structure, changed, MemberPath()))
                )


class Word(str):
    """A subclass of str."""


class Audited(ops.PutItem, frozen=True):
    """A subclass of an operation."""


# The compiled test does not accept subclasses; the search for violations does.
def test_subclasses_are_accepted() -> None:
    operation = ops.PutItem(Word("main"), KEY, condition_expression=Word("a = :a"))
    check_constraints(operation)
    check_constraints(Audited("main", KEY))
