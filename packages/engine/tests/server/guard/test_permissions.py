"""The permissions that each operation requires, and the values for their conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import AccessDenied, ValidationError
from dynamodb_engine.operations.partition_keys import partition_values
from dynamodb_engine.operations.touches import ItemRequest
from dynamodb_engine.server.guard.condition_keys import attribute_names
from dynamodb_engine.server.guard.permissions import required_permissions
from dynamodb_engine.values import Item
from dynamodb_engine.wire import TARGETS
from tests.server.guard.policies import ARNS, GAMES
from tools.testing.cases import every

TABLES = GAMES.replace("GameScores", "*")
STREAM = f"{GAMES}/stream/2026-11-18T00:00:00.000"
OTHER = GAMES.replace("GameScores", "Ages")
KEY: Item = {"UserId": {"S": "ada"}, "GameTitle": {"S": "chess"}}
CREATE = ops.CreateTable(
    "GameScores", [ops.AttributeDefinition("UserId", "S")], [ops.KeySchemaElement("UserId", "HASH")]
)
RECOVERY = ops.PointInTimeRecoverySpecification(True, 7)
TTL = ops.TimeToLiveSpecification(True, "expires")

# Each operation, and the actions and resources it requires.
CASES: list[tuple[ops.Operation[object], list[tuple[str, str]]]] = [
    (ops.PutItem("GameScores", KEY), [("dynamodb:PutItem", GAMES)]),
    (ops.GetItem("GameScores", KEY), [("dynamodb:GetItem", GAMES)]),
    (ops.UpdateItem("GameScores", KEY), [("dynamodb:UpdateItem", GAMES)]),
    (ops.DeleteItem("GameScores", KEY), [("dynamodb:DeleteItem", GAMES)]),
    (ops.Query("GameScores"), [("dynamodb:Query", GAMES)]),
    (ops.Query("GameScores", "ByTeam"), [("dynamodb:Query", f"{GAMES}/index/ByTeam")]),
    (ops.Scan("GameScores"), [("dynamodb:Scan", GAMES)]),
    (ops.Scan(GAMES, "ByTeam"), [("dynamodb:Scan", f"{GAMES}/index/ByTeam")]),
    (
        ops.BatchGetItem(
            {"GameScores": ops.KeysAndAttributes([KEY]), "Ages": ops.KeysAndAttributes([])}
        ),
        [("dynamodb:BatchGetItem", GAMES), ("dynamodb:BatchGetItem", OTHER)],
    ),
    (ops.BatchWriteItem({"GameScores": []}), [("dynamodb:BatchWriteItem", GAMES)]),
    (ops.BatchWriteItem({}), [("dynamodb:BatchWriteItem", "*")]),
    (
        ops.TransactGetItems([ops.TransactGetItem(ops.Get("GameScores", KEY))] * 2),
        [("dynamodb:GetItem", GAMES), ("dynamodb:GetItem", GAMES)],
    ),
    (
        ops.TransactWriteItems(
            [
                ops.TransactWriteItem(condition_check=ops.ConditionCheck("Ages", KEY, "a = b")),
                ops.TransactWriteItem(put=ops.Put("GameScores", KEY)),
                ops.TransactWriteItem(delete=ops.Delete("Ages", KEY)),
                ops.TransactWriteItem(update=ops.Update("GameScores", KEY, "SET a = b")),
            ]
        ),
        [
            ("dynamodb:ConditionCheckItem", OTHER),
            ("dynamodb:PutItem", GAMES),
            ("dynamodb:DeleteItem", OTHER),
            ("dynamodb:UpdateItem", GAMES),
        ],
    ),
    (
        ops.ExecuteStatement("SELECT * FROM GameScores.ByTeam"),
        [("dynamodb:PartiQLSelect", f"{GAMES}/index/ByTeam")],
    ),
    (ops.ExecuteStatement("not a statement"), []),
    (
        ops.BatchExecuteStatement(
            [
                ops.BatchStatementRequest("INSERT INTO GameScores VALUE {'UserId': 'ada'}"),
                ops.BatchStatementRequest("DELETE FROM Ages WHERE UserId = 'ada'"),
            ]
        ),
        [("dynamodb:PartiQLInsert", GAMES), ("dynamodb:PartiQLDelete", OTHER)],
    ),
    (
        ops.ExecuteTransaction(
            [
                ops.ParameterizedStatement("UPDATE GameScores SET a = 1 WHERE UserId = 'ada'"),
                ops.ParameterizedStatement("EXISTS(SELECT * FROM Ages WHERE UserId = 'ada')"),
            ]
        ),
        [("dynamodb:PartiQLUpdate", GAMES), ("dynamodb:PartiQLSelect", OTHER)],
    ),
    (CREATE, [("dynamodb:CreateTable", GAMES)]),
    (ops.ListStreams("GameScores"), [("dynamodb:ListStreams", "*")]),
    (ops.DescribeStream(STREAM), [("dynamodb:DescribeStream", STREAM)]),
    (
        ops.GetShardIterator(STREAM, "shardId-1", "LATEST"),
        [("dynamodb:GetShardIterator", STREAM)],
    ),
    (ops.GetRecords(f"{STREAM}|1|c2hhcmQ="), [("dynamodb:GetRecords", STREAM)]),
    (
        ops.CreateTable(
            "GameScores",
            CREATE.attribute_definitions,
            CREATE.key_schema,
            tags=[ops.Tag("team", "red")],
            resource_policy="{}",
        ),
        [
            ("dynamodb:CreateTable", GAMES),
            ("dynamodb:TagResource", GAMES),
            ("dynamodb:PutResourcePolicy", GAMES),
        ],
    ),
    (ops.DescribeTable("GameScores"), [("dynamodb:DescribeTable", GAMES)]),
    (ops.UpdateTable("GameScores"), [("dynamodb:UpdateTable", GAMES)]),
    (ops.DeleteTable("GameScores"), [("dynamodb:DeleteTable", GAMES)]),
    (ops.DescribeTimeToLive("GameScores"), [("dynamodb:DescribeTimeToLive", GAMES)]),
    (ops.UpdateTimeToLive("GameScores", TTL), [("dynamodb:UpdateTimeToLive", GAMES)]),
    (
        ops.DescribeContinuousBackups("GameScores"),
        [("dynamodb:DescribeContinuousBackups", GAMES)],
    ),
    (
        ops.UpdateContinuousBackups("GameScores", RECOVERY),
        [("dynamodb:UpdateContinuousBackups", GAMES)],
    ),
    *(
        (kind("GameScores", "arn"), [(f"dynamodb:{kind.__name__}", GAMES)])
        for kind in (
            ops.EnableKinesisStreamingDestination,
            ops.DisableKinesisStreamingDestination,
            ops.UpdateKinesisStreamingDestination,
        )
    ),
    (
        ops.DescribeKinesisStreamingDestination("GameScores"),
        [("dynamodb:DescribeKinesisStreamingDestination", GAMES)],
    ),
    (ops.ListTables(), [("dynamodb:ListTables", TABLES)]),
    (ops.TagResource(GAMES, []), [("dynamodb:TagResource", GAMES)]),
    (ops.UntagResource(GAMES, []), [("dynamodb:UntagResource", GAMES)]),
    (ops.ListTagsOfResource(""), [("dynamodb:ListTagsOfResource", "*")]),
    (ops.DescribeLimits(), [("dynamodb:DescribeLimits", "*")]),
    (ops.DescribeEndpoints(), [("dynamodb:DescribeEndpoints", "*")]),
    (ops.ReadChanges(table_name="GameScores"), [("singletable:ReadChanges", GAMES)]),
    (ops.ReadChanges(), [("singletable:ReadChanges", TABLES)]),
    (ops.SweepExpired(), [("singletable:SweepExpired", TABLES)]),
]


@pytest.mark.parametrize(("operation", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_operation_requires_its_actions(
    operation: ops.Operation[object], expected: list[tuple[str, str]]
) -> None:
    permissions = required_permissions(operation, ARNS)
    assert [(permission.action, permission.resource) for permission in permissions] == expected


def test_every_operation_on_the_wire_has_a_case() -> None:
    assert {type(operation) for operation, _ in CASES} == set(TARGETS.values())


def test_unknown_operation_requires_access_to_everything() -> None:
    class Rename(ops.Operation[None], frozen=True):
        pass

    (permission,) = required_permissions(Rename(), ARNS)
    assert (permission.action, permission.resource, permission.all_tables) == (
        "singletable:Rename",
        "*",
        True,
    )


# Otherwise another spelling of the ARN would evade a policy that denies the table.
@every("name", ["GameScores", GAMES])
def test_table_has_one_arn_however_it_is_named(name: str) -> None:
    (permission,) = required_permissions(ops.DescribeTable(name), ARNS)
    assert permission.resource == GAMES
    (permission,) = required_permissions(ops.GetItem(name, KEY), ARNS)
    assert (permission.resource, permission.table) == (GAMES, "GameScores")


@every("part", ["us-west-2", "123456789012", "aws"])
@every("request_type", [ops.DescribeTable, ops.Scan, ops.ListTagsOfResource])
def test_arn_from_elsewhere_is_rejected(request_type: Callable[[str], Any], part: str) -> None:
    with pytest.raises((ValidationError, AccessDenied)):
        required_permissions(request_type(GAMES.replace(part, "elsewhere")), ARNS)


# A read always has a value for Select, and AWS documents which.
@every(
    ("operation", "select"),
    [
        (ops.GetItem("GameScores", KEY), "ALL_ATTRIBUTES"),
        (ops.GetItem("GameScores", KEY, projection_expression="Wins"), "SPECIFIC_ATTRIBUTES"),
        (ops.GetItem("GameScores", KEY, attributes_to_get=["Wins"]), "SPECIFIC_ATTRIBUTES"),
        (ops.Query("GameScores"), "ALL_ATTRIBUTES"),
        (ops.Query("GameScores", "ByTeam"), "ALL_PROJECTED_ATTRIBUTES"),
        (ops.Query("GameScores", "ByTeam", projection_expression="Wins"), "SPECIFIC_ATTRIBUTES"),
        (ops.Query("GameScores", select="COUNT"), "COUNT"),
        (ops.Scan("GameScores", "ByTeam", select="ALL_ATTRIBUTES"), "ALL_ATTRIBUTES"),
        (ops.BatchGetItem({"GameScores": ops.KeysAndAttributes([KEY])}), "ALL_ATTRIBUTES"),
        (
            ops.BatchGetItem(
                {"GameScores": ops.KeysAndAttributes([KEY], projection_expression="Wins")}
            ),
            "SPECIFIC_ATTRIBUTES",
        ),
        (
            ops.TransactGetItems(
                [ops.TransactGetItem(ops.Get("GameScores", KEY, projection_expression="Wins"))]
            ),
            "SPECIFIC_ATTRIBUTES",
        ),
        (ops.PutItem("GameScores", KEY), None),
        (ops.BatchWriteItem({"GameScores": []}), None),
    ],
)
def test_select_of_read(operation: ops.Operation[object], select: str | None) -> None:
    (permission,) = required_permissions(operation, ARNS)
    assert permission.select == select


# A failed condition can return the item, which is another way to read it.
def test_write_that_may_return_the_item_requires_all_old() -> None:
    put = ops.PutItem("GameScores", KEY, return_values_on_condition_check_failure="ALL_OLD")
    assert [permission.return_values for permission in required_permissions(put, ARNS)] == [
        "NONE",
        "ALL_OLD",
    ]
    delete = ops.Delete("GameScores", KEY, return_values_on_condition_check_failure="ALL_OLD")
    transaction = ops.TransactWriteItems([ops.TransactWriteItem(delete=delete)])
    (permission,) = required_permissions(transaction, ARNS)
    assert permission.return_values == "ALL_OLD"
    assert permission.enclosing_operation == "TransactWriteItems"


NAMES = {"#w": "Wins"}
VALUES = {":v": {"N": "1"}}


@pytest.mark.parametrize(
    ("item_request", "attributes"),
    [
        (ops.PutItem("GameScores", {**KEY, "Wins": {"N": "1"}}), "UserId GameTitle Wins"),
        (
            ops.PutItem(
                "GameScores",
                KEY,
                expected={"Losses": ops.ExpectedAttributeValue(exists=False)},
            ),
            "UserId GameTitle Losses",
        ),
        (
            ops.GetItem(
                "GameScores",
                KEY,
                projection_expression="Title, Address.Street, #w[0]",
                expression_attribute_names=NAMES,
            ),
            "UserId GameTitle Title Address Wins",
        ),
        (ops.GetItem("GameScores", KEY, attributes_to_get=["Wins"]), "UserId GameTitle Wins"),
        (
            ops.UpdateItem(
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
            ops.UpdateItem(
                "GameScores", KEY, attribute_updates={"Wins": ops.AttributeValueUpdate()}
            ),
            "UserId GameTitle Wins",
        ),
        (
            ops.Query(
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
            ops.Query(
                "GameScores",
                key_conditions={"UserId": ops.Condition("EQ", [{"S": "ada"}])},
                query_filter={"Wins": ops.Condition("NULL")},
                attributes_to_get=["TopScore"],
            ),
            "UserId Wins TopScore",
        ),
        (ops.Scan("GameScores", scan_filter={"Wins": ops.Condition("NULL")}), "Wins"),
        (
            ops.KeysAndAttributes([KEY, {"Other": {"S": "x"}}], projection_expression="Wins"),
            "UserId GameTitle Other Wins",
        ),
        (
            (
                ops.WriteRequest(ops.PutRequest({**KEY, "Wins": {"N": "1"}})),
                ops.WriteRequest(delete_request=ops.DeleteRequest({"Other": {"S": "x"}})),
            ),
            "UserId GameTitle Wins Other",
        ),
        (ops.Get("GameScores", KEY, "Wins"), "UserId GameTitle Wins"),
        (ops.ConditionCheck("GameScores", KEY, "attribute_exists(Wins)"), "UserId GameTitle Wins"),
        (ops.Put("GameScores", KEY, "attribute_exists(Wins)"), "UserId GameTitle Wins"),
        (ops.Update("GameScores", KEY, "REMOVE Wins"), "UserId GameTitle Wins"),
        (ops.Delete("GameScores", KEY, "attribute_exists(Wins)"), "UserId GameTitle Wins"),
    ],
    ids=lambda case: type(case).__name__,
)
def test_attribute_names_are_those_in_the_request(
    item_request: ItemRequest, attributes: str
) -> None:
    assert attribute_names(item_request) == tuple(attributes.split())


def test_invalid_expression_is_rejected() -> None:
    with pytest.raises(ValidationError, match="Invalid ProjectionExpression: "):
        attribute_names(ops.GetItem("GameScores", KEY, projection_expression="a b"))


def _query(condition: str) -> ops.Query:
    return ops.Query(
        "GameScores",
        key_condition_expression=condition,
        expression_attribute_names={"#u": "UserId", "#g": "GameTitle"},
        expression_attribute_values={":u": {"S": "ada"}, ":g": {"S": "chess"}},
    )


@pytest.mark.parametrize(
    ("item_request", "values"),
    [
        (ops.PutItem("GameScores", KEY), ("ada",)),
        (ops.GetItem("GameScores", KEY), ("ada",)),
        (ops.Update("GameScores", KEY, "REMOVE Wins"), ("ada",)),
        (_query("#u = :u AND #g = :g"), ("ada",)),
        (_query("#g = :g AND :u = #u"), ("ada",)),
        (
            ops.Query("GameScores", key_conditions={"UserId": ops.Condition("EQ", [{"S": "ada"}])}),
            ("ada",),
        ),
        (ops.KeysAndAttributes([KEY, KEY, {"UserId": {"S": "bob"}}]), ("ada", "bob")),
        (
            (
                ops.WriteRequest(ops.PutRequest(KEY)),
                ops.WriteRequest(delete_request=ops.DeleteRequest({"UserId": {"S": "bob"}})),
            ),
            ("ada", "bob"),
        ),
        (ops.Scan("GameScores"), ()),
        (ops.GetItem("GameScores", {"Wins": {"N": "1"}}), ()),
    ],
    ids=lambda case: type(case).__name__,
)
def test_partition_values_are_those_in_the_request(
    item_request: ItemRequest, values: tuple[str, ...]
) -> None:
    assert partition_values(item_request, "UserId") == values


# Otherwise another spelling of the key would evade a policy about it.
@every(
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
    assert partition_values(ops.GetItem("Ages", item), "Age") == (text,)
