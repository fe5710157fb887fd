"""The permissions that each operation requires, and the values for their conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable.errors import AccessDenied, ValidationError
from singletable.operations import (
    AttributeDefinition,
    AttributeValueUpdate,
    BatchGetItem,
    BatchWriteItem,
    Condition,
    ConditionCheck,
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
    KeysAndAttributes,
    KeySchemaElement,
    ListTables,
    ListTagsOfResource,
    Operation,
    PointInTimeRecoverySpecification,
    Put,
    PutItem,
    PutRequest,
    Query,
    ReadChanges,
    Scan,
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
    WriteRequest,
)
from singletable.operations.partition_keys import ItemRequest, partition_values
from singletable.server.guard.condition_keys import attribute_names
from singletable.server.guard.permissions import required_permissions
from singletable.values import Item
from singletable.wire import TARGETS
from tests.server.guard.policies import ARNS, GAMES

TABLES = GAMES.replace("GameScores", "*")
OTHER = GAMES.replace("GameScores", "Ages")
KEY: Item = {"UserId": {"S": "ada"}, "GameTitle": {"S": "chess"}}
CREATE = CreateTable(
    "GameScores", [AttributeDefinition("UserId", "S")], [KeySchemaElement("UserId", "HASH")]
)
RECOVERY = PointInTimeRecoverySpecification(True, 7)
TTL = TimeToLiveSpecification(True, "expires")

# Each operation, and the actions and resources it requires.
CASES: list[tuple[Operation[object], list[tuple[str, str]]]] = [
    (PutItem("GameScores", KEY), [("dynamodb:PutItem", GAMES)]),
    (GetItem("GameScores", KEY), [("dynamodb:GetItem", GAMES)]),
    (UpdateItem("GameScores", KEY), [("dynamodb:UpdateItem", GAMES)]),
    (DeleteItem("GameScores", KEY), [("dynamodb:DeleteItem", GAMES)]),
    (Query("GameScores"), [("dynamodb:Query", GAMES)]),
    (Query("GameScores", "ByTeam"), [("dynamodb:Query", f"{GAMES}/index/ByTeam")]),
    (Scan("GameScores"), [("dynamodb:Scan", GAMES)]),
    (Scan(GAMES, "ByTeam"), [("dynamodb:Scan", f"{GAMES}/index/ByTeam")]),
    (
        BatchGetItem({"GameScores": KeysAndAttributes([KEY]), "Ages": KeysAndAttributes([])}),
        [("dynamodb:BatchGetItem", GAMES), ("dynamodb:BatchGetItem", OTHER)],
    ),
    (BatchWriteItem({"GameScores": []}), [("dynamodb:BatchWriteItem", GAMES)]),
    (BatchWriteItem({}), [("dynamodb:BatchWriteItem", "*")]),
    (
        TransactGetItems([TransactGetItem(Get("GameScores", KEY))] * 2),
        [("dynamodb:GetItem", GAMES), ("dynamodb:GetItem", GAMES)],
    ),
    (
        TransactWriteItems(
            [
                TransactWriteItem(condition_check=ConditionCheck("Ages", KEY, "a = b")),
                TransactWriteItem(put=Put("GameScores", KEY)),
                TransactWriteItem(delete=Delete("Ages", KEY)),
                TransactWriteItem(update=Update("GameScores", KEY, "SET a = b")),
            ]
        ),
        [
            ("dynamodb:ConditionCheckItem", OTHER),
            ("dynamodb:PutItem", GAMES),
            ("dynamodb:DeleteItem", OTHER),
            ("dynamodb:UpdateItem", GAMES),
        ],
    ),
    (CREATE, [("dynamodb:CreateTable", GAMES)]),
    (
        CreateTable(
            "GameScores",
            CREATE.attribute_definitions,
            CREATE.key_schema,
            tags=[Tag("team", "red")],
            resource_policy="{}",
        ),
        [
            ("dynamodb:CreateTable", GAMES),
            ("dynamodb:TagResource", GAMES),
            ("dynamodb:PutResourcePolicy", GAMES),
        ],
    ),
    (DescribeTable("GameScores"), [("dynamodb:DescribeTable", GAMES)]),
    (UpdateTable("GameScores"), [("dynamodb:UpdateTable", GAMES)]),
    (DeleteTable("GameScores"), [("dynamodb:DeleteTable", GAMES)]),
    (DescribeTimeToLive("GameScores"), [("dynamodb:DescribeTimeToLive", GAMES)]),
    (UpdateTimeToLive("GameScores", TTL), [("dynamodb:UpdateTimeToLive", GAMES)]),
    (
        DescribeContinuousBackups("GameScores"),
        [("dynamodb:DescribeContinuousBackups", GAMES)],
    ),
    (
        UpdateContinuousBackups("GameScores", RECOVERY),
        [("dynamodb:UpdateContinuousBackups", GAMES)],
    ),
    (ListTables(), [("dynamodb:ListTables", TABLES)]),
    (TagResource(GAMES, []), [("dynamodb:TagResource", GAMES)]),
    (UntagResource(GAMES, []), [("dynamodb:UntagResource", GAMES)]),
    (ListTagsOfResource(""), [("dynamodb:ListTagsOfResource", "*")]),
    (DescribeLimits(), [("dynamodb:DescribeLimits", "*")]),
    (DescribeEndpoints(), [("dynamodb:DescribeEndpoints", "*")]),
    (ReadChanges(table_name="GameScores"), [("singletable:ReadChanges", GAMES)]),
    (ReadChanges(), [("singletable:ReadChanges", TABLES)]),
    (SweepExpired(), [("singletable:SweepExpired", TABLES)]),
]


@pytest.mark.parametrize(("operation", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_operation_requires_its_actions(
    operation: Operation[object], expected: list[tuple[str, str]]
) -> None:
    permissions = required_permissions(operation, ARNS)
    assert [(permission.action, permission.resource) for permission in permissions] == expected


def test_every_operation_on_the_wire_has_a_case() -> None:
    assert {type(operation) for operation, _ in CASES} == set(TARGETS.values())


def test_unknown_operation_requires_access_to_everything() -> None:
    class Rename(Operation[None], frozen=True):
        pass

    (permission,) = required_permissions(Rename(), ARNS)
    assert (permission.action, permission.resource, permission.all_tables) == (
        "singletable:Rename",
        "*",
        True,
    )


# Otherwise another spelling of the ARN would evade a policy that denies the table.
@pytest.mark.parametrize("name", ["GameScores", GAMES])
def test_table_has_one_arn_however_it_is_named(name: str) -> None:
    (permission,) = required_permissions(DescribeTable(name), ARNS)
    assert permission.resource == GAMES
    (permission,) = required_permissions(GetItem(name, KEY), ARNS)
    assert (permission.resource, permission.table) == (GAMES, "GameScores")


@pytest.mark.parametrize("part", ["us-west-2", "123456789012", "aws"])
@pytest.mark.parametrize("request_type", [DescribeTable, Scan, ListTagsOfResource])
def test_arn_from_elsewhere_is_rejected(request_type: Callable[[str], Any], part: str) -> None:
    with pytest.raises((ValidationError, AccessDenied)):
        required_permissions(request_type(GAMES.replace(part, "elsewhere")), ARNS)


# A read always has a value for Select, and AWS documents which.
@pytest.mark.parametrize(
    ("operation", "select"),
    [
        (GetItem("GameScores", KEY), "ALL_ATTRIBUTES"),
        (GetItem("GameScores", KEY, projection_expression="Wins"), "SPECIFIC_ATTRIBUTES"),
        (GetItem("GameScores", KEY, attributes_to_get=["Wins"]), "SPECIFIC_ATTRIBUTES"),
        (Query("GameScores"), "ALL_ATTRIBUTES"),
        (Query("GameScores", "ByTeam"), "ALL_PROJECTED_ATTRIBUTES"),
        (Query("GameScores", "ByTeam", projection_expression="Wins"), "SPECIFIC_ATTRIBUTES"),
        (Query("GameScores", select="COUNT"), "COUNT"),
        (Scan("GameScores", "ByTeam", select="ALL_ATTRIBUTES"), "ALL_ATTRIBUTES"),
        (BatchGetItem({"GameScores": KeysAndAttributes([KEY])}), "ALL_ATTRIBUTES"),
        (
            BatchGetItem({"GameScores": KeysAndAttributes([KEY], projection_expression="Wins")}),
            "SPECIFIC_ATTRIBUTES",
        ),
        (
            TransactGetItems(
                [TransactGetItem(Get("GameScores", KEY, projection_expression="Wins"))]
            ),
            "SPECIFIC_ATTRIBUTES",
        ),
        (PutItem("GameScores", KEY), None),
        (BatchWriteItem({"GameScores": []}), None),
    ],
)
def test_select_of_read(operation: Operation[object], select: str | None) -> None:
    (permission,) = required_permissions(operation, ARNS)
    assert permission.select == select


# A failed condition can return the item, which is another way to read it.
def test_write_that_may_return_the_item_requires_all_old() -> None:
    put = PutItem("GameScores", KEY, return_values_on_condition_check_failure="ALL_OLD")
    assert [permission.return_values for permission in required_permissions(put, ARNS)] == [
        "NONE",
        "ALL_OLD",
    ]
    delete = Delete("GameScores", KEY, return_values_on_condition_check_failure="ALL_OLD")
    transaction = TransactWriteItems([TransactWriteItem(delete=delete)])
    (permission,) = required_permissions(transaction, ARNS)
    assert permission.return_values == "ALL_OLD"
    assert permission.enclosing_operation == "TransactWriteItems"


NAMES = {"#w": "Wins"}
VALUES = {":v": {"N": "1"}}


@pytest.mark.parametrize(
    ("item_request", "attributes"),
    [
        (PutItem("GameScores", {**KEY, "Wins": {"N": "1"}}), "UserId GameTitle Wins"),
        (
            PutItem(
                "GameScores",
                KEY,
                expected={"Losses": ExpectedAttributeValue(exists=False)},
            ),
            "UserId GameTitle Losses",
        ),
        (
            GetItem(
                "GameScores",
                KEY,
                projection_expression="Title, Address.Street, #w[0]",
                expression_attribute_names=NAMES,
            ),
            "UserId GameTitle Title Address Wins",
        ),
        (GetItem("GameScores", KEY, attributes_to_get=["Wins"]), "UserId GameTitle Wins"),
        (
            UpdateItem(
                "GameScores",
                KEY,
                update_expression="SET #w = if_not_exists(Best, :v) REMOVE Latest ADD Played :v",
                condition_expression="attribute_exists(Losses) AND size(Games) > :v",
                expression_attribute_names=NAMES,
                expression_attribute_values={":v": {"N": "1"}},
            ),
            "UserId GameTitle Wins Best Latest Played Losses Games",
        ),
        (
            UpdateItem("GameScores", KEY, attribute_updates={"Wins": AttributeValueUpdate()}),
            "UserId GameTitle Wins",
        ),
        (
            Query(
                "GameScores",
                key_condition_expression="UserId = :v AND begins_with(GameTitle, :v)",
                filter_expression="Wins > :v OR NOT contains(Labels, :v)",
                projection_expression="TopScore",
                exclusive_start_key={"Season": {"S": "1"}},
                expression_attribute_values={":v": {"S": "1"}},
            ),
            "Season UserId GameTitle Wins Labels TopScore",
        ),
        (
            Query(
                "GameScores",
                key_conditions={"UserId": Condition("EQ", [{"S": "ada"}])},
                query_filter={"Wins": Condition("NULL")},
                attributes_to_get=["TopScore"],
            ),
            "UserId Wins TopScore",
        ),
        (Scan("GameScores", scan_filter={"Wins": Condition("NULL")}), "Wins"),
        (
            KeysAndAttributes([KEY, {"Other": {"S": "x"}}], projection_expression="Wins"),
            "UserId GameTitle Other Wins",
        ),
        (
            (
                WriteRequest(PutRequest({**KEY, "Wins": {"N": "1"}})),
                WriteRequest(delete_request=DeleteRequest({"Other": {"S": "x"}})),
            ),
            "UserId GameTitle Wins Other",
        ),
        (Get("GameScores", KEY, "Wins"), "UserId GameTitle Wins"),
        (ConditionCheck("GameScores", KEY, "attribute_exists(Wins)"), "UserId GameTitle Wins"),
        (Put("GameScores", KEY, "attribute_exists(Wins)"), "UserId GameTitle Wins"),
        (Update("GameScores", KEY, "REMOVE Wins"), "UserId GameTitle Wins"),
        (Delete("GameScores", KEY, "attribute_exists(Wins)"), "UserId GameTitle Wins"),
    ],
    ids=lambda case: type(case).__name__,
)
def test_attribute_names_are_those_in_the_request(
    item_request: ItemRequest, attributes: str
) -> None:
    assert attribute_names(item_request) == tuple(attributes.split())


def test_invalid_expression_is_rejected() -> None:
    with pytest.raises(ValidationError, match="Invalid ProjectionExpression: "):
        attribute_names(GetItem("GameScores", KEY, projection_expression="a b"))


def _query(condition: str) -> Query:
    return Query(
        "GameScores",
        key_condition_expression=condition,
        expression_attribute_names={"#u": "UserId", "#g": "GameTitle"},
        expression_attribute_values={":u": {"S": "ada"}, ":g": {"S": "chess"}},
    )


@pytest.mark.parametrize(
    ("item_request", "values"),
    [
        (PutItem("GameScores", KEY), ("ada",)),
        (GetItem("GameScores", KEY), ("ada",)),
        (Update("GameScores", KEY, "REMOVE Wins"), ("ada",)),
        (_query("#u = :u AND #g = :g"), ("ada",)),
        (_query("#g = :g AND :u = #u"), ("ada",)),
        (
            Query("GameScores", key_conditions={"UserId": Condition("EQ", [{"S": "ada"}])}),
            ("ada",),
        ),
        (KeysAndAttributes([KEY, KEY, {"UserId": {"S": "bob"}}]), ("ada", "bob")),
        (
            (
                WriteRequest(PutRequest(KEY)),
                WriteRequest(delete_request=DeleteRequest({"UserId": {"S": "bob"}})),
            ),
            ("ada", "bob"),
        ),
        (Scan("GameScores"), ()),
        (GetItem("GameScores", {"Wins": {"N": "1"}}), ()),
    ],
    ids=lambda case: type(case).__name__,
)
def test_partition_values_are_those_in_the_request(
    item_request: ItemRequest, values: tuple[str, ...]
) -> None:
    assert partition_values(item_request, "UserId") == values


# Otherwise another spelling of the key would evade a policy about it.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"N": "1"}, "1"),
        ({"N": "1.0"}, "1"),
        ({"N": "+10e-1"}, "1"),
        ({"N": "-0"}, "0"),
        ({"N": "one"}, "one"),
        ({"B": "YWRh"}, "YWRh"),
        ({"B": "?"}, "?"),
        ({"S": "1.0"}, "1.0"),
    ],
)
def test_partition_value_has_one_spelling(value: dict[str, str], text: str) -> None:
    item: Item = {"Age": value}  # type: ignore[dict-item]
    assert partition_values(GetItem("Ages", item), "Age") == (text,)
