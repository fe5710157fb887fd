"""Valid operations pass the compiled test, and every operation has constraints."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace

from singletable import operations
from singletable.engine.constraints import check_constraints
from singletable.engine.constraints.check import RULES
from singletable.engine.constraints.compiled import compile_test
from singletable.engine.constraints.violations import MemberPath, find_violations
from singletable.errors import ValidationError
from singletable.operations import (
    AttributeDefinition,
    AttributeValueUpdate,
    BatchGetItem,
    BatchWriteItem,
    Condition,
    ConditionCheck,
    CreateGlobalSecondaryIndexAction,
    CreateTable,
    Delete,
    DeleteItem,
    DeleteRequest,
    DeleteTable,
    DescribeContinuousBackups,
    DescribeEndpoints,
    DescribeLimits,
    DescribeTable,
    DescribeTimeToLive,
    ExpectedAttributeValue,
    Get,
    GetItem,
    GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate,
    KeysAndAttributes,
    KeySchemaElement,
    ListTables,
    ListTagsOfResource,
    LocalSecondaryIndex,
    OnDemandThroughput,
    Operation,
    PointInTimeRecoverySpecification,
    Projection,
    ProvisionedThroughput,
    Put,
    PutItem,
    PutRequest,
    Query,
    ReadChanges,
    Scan,
    SSESpecification,
    StreamSpecification,
    SweepExpired,
    Tag,
    TagResource,
    TimeToLiveSpecification,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    UntagResource,
    Update,
    UpdateContinuousBackups,
    UpdateItem,
    UpdateTable,
    UpdateTimeToLive,
    WarmThroughput,
    WriteRequest,
)
from singletable.values import Item

ARN = "arn:aws:dynamodb:eu-west-2:000000000000:table/main"
KEY: Item = {"pk": {"S": "a"}}
PK = KeySchemaElement("pk", "HASH")
PUT = WriteRequest(put_request=PutRequest(KEY))

VALID: list[Operation[object]] = [
    PutItem("a", {}),
    PutItem(ARN, KEY, return_values="UPDATED_NEW", expression_attribute_names={"#a": "b"}),
    PutItem(
        "_main.1-x",
        KEY,
        expected={"a": ExpectedAttributeValue({"S": "x"}, comparison_operator="EQ")},
        conditional_operator="AND",
        return_values_on_condition_check_failure="NONE",
    ),
    GetItem("main", KEY, consistent_read=True, attributes_to_get=["a"]),
    UpdateItem("main", KEY, attribute_updates={"a": AttributeValueUpdate({"N": "1"}, "ADD")}),
    UpdateItem("main", KEY, update_expression="", condition_expression=""),
    DeleteItem("main", {}, return_item_collection_metrics="SIZE"),
    Query("main", "by_time", "COUNT", limit=1, key_conditions={"pk": Condition("EQ", [])}),
    Query("main", expression_attribute_values={}),
    Scan("main", total_segments=1_000_000, segment=999_999, exclusive_start_key=KEY),
    BatchGetItem({"main": KeysAndAttributes([KEY] * 100), ARN: KeysAndAttributes([KEY])}),
    BatchWriteItem({"main": [PUT] * 25}, "TOTAL", "NONE"),
    BatchWriteItem({"main": [WriteRequest(delete_request=DeleteRequest(KEY)), WriteRequest()]}),
    TransactGetItems([TransactGetItem(Get("main", KEY))] * 100),
    TransactWriteItems(
        [
            TransactWriteItem(put=Put("main", KEY)),
            TransactWriteItem(update=Update("main", KEY, "SET a = :a")),
            TransactWriteItem(delete=Delete(ARN, KEY)),
            TransactWriteItem(condition_check=ConditionCheck("main", KEY, "a = :a")),
        ],
        client_request_token="x" * 36,
    ),
    CreateTable(
        "main",
        [AttributeDefinition("pk", "S")],
        [PK, KeySchemaElement("sk", "RANGE")],
        [LocalSecondaryIndex("local", [PK], Projection())],
        [
            GlobalSecondaryIndex(
                "global", [PK] * 8, Projection("INCLUDE", ["a"]), ProvisionedThroughput(1, 1)
            )
        ],
        "PROVISIONED",
        ProvisionedThroughput(5, 5),
        StreamSpecification(False),
        SSESpecification(),
        [Tag("a", "")],
        "STANDARD",
        True,
        WarmThroughput(-1),
        "",
        OnDemandThroughput(-1, 0),
    ),
    CreateTable("main", [], [PK], [], [], tags=[]),
    UpdateTable("main"),
    UpdateTable(
        "main",
        global_secondary_index_updates=[
            GlobalSecondaryIndexUpdate(),
            GlobalSecondaryIndexUpdate(
                create=CreateGlobalSecondaryIndexAction("global", [PK], Projection("ALL"))
            ),
        ],
    ),
    DescribeTable(ARN),
    DeleteTable("main"),
    ListTables("abc", 100),
    UpdateTimeToLive("main", TimeToLiveSpecification(True, "ttl")),
    DescribeTimeToLive("main"),
    UpdateContinuousBackups("main", PointInTimeRecoverySpecification(False)),
    UpdateContinuousBackups("main", PointInTimeRecoverySpecification(True, 35)),
    DescribeContinuousBackups("main"),
    TagResource("not-an-arn", []),
    UntagResource(ARN, []),
    ListTagsOfResource(ARN, "next"),
    DescribeLimits(),
    DescribeEndpoints(),
    ReadChanges(),
    ReadChanges(None, "main", 1),
    SweepExpired("main", 1000),
]
OPERATIONS: set[type] = {
    value
    for _, value in inspect.getmembers(operations, inspect.isclass)
    if issubclass(value, Operation) and value is not Operation
}


@pytest.mark.parametrize("operation", VALID, ids=lambda each: type(each).__name__)
def test_valid_operation_is_accepted(operation: Operation[object]) -> None:
    check_constraints(operation)


# Finding violations takes fifty times as long as the compiled test.
@pytest.mark.parametrize("operation", VALID, ids=lambda each: type(each).__name__)
def test_valid_operation_passes_the_compiled_test(operation: Operation[object]) -> None:
    assert compile_test(RULES[type(operation)].structure)(operation)


def test_every_field_of_every_operation_has_a_constraint() -> None:
    assert set(RULES) == OPERATIONS
    for operation, rule in RULES.items():
        fields: Any = getattr(operation, "__struct_fields__")  # noqa: B009
        assert {member.field for member in rule.structure.members} == set(fields)


def test_every_operation_has_a_valid_example() -> None:
    assert {type(operation) for operation in VALID} == OPERATIONS


ODD: list[Any] = [
    *(None, "", "x!", "x" * 300, 0, -1, 10**5000, True, 1.5, b"x", object(), Operation),
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
def test_any_value_is_accepted_or_rejected(operation: Operation[object]) -> None:
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


class Audited(PutItem, frozen=True):
    """A subclass of an operation."""


# The compiled test does not accept subclasses; the search for violations does.
def test_subclasses_are_accepted() -> None:
    operation = PutItem(Word("main"), KEY, condition_expression=Word("a = :a"))
    check_constraints(operation)
    check_constraints(Audited("main", KEY))
