"""The policies in AWS's guide allow what the guide says, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import AccessDenied, ResourceNotFound, ValidationError
from dynamodb_engine.values import AttributeValue, Item
from tests.server.guard.policies import GAMES, check, policy, statement
from tools.testing.cases import every

INDEX = f"{GAMES}/index/TopScoreDateTimeIndex"
ITEMS = [
    "GetItem",
    "BatchGetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
]
ADA: Item = {"UserId": {"S": "ada"}, "GameTitle": {"S": "chess"}}
BOB: Item = {"UserId": {"S": "bob"}, "GameTitle": {"S": "chess"}}


def actions(*names: str) -> list[str]:
    return [f"dynamodb:{name}" for name in names]


def query(user: str, index: str | None = None, **more: str) -> ops.Query:
    values: dict[str, AttributeValue] = {":u": {"S": user}}
    attribute = "UserId" if index is None else "TopScoreDateTime"
    return ops.Query(
        "GameScores",
        index,
        key_condition_expression=f"{attribute} = :u",
        expression_attribute_values=values,
        projection_expression=more.get("projection"),
    )


def allowed(document: Mapping[str, object], operation: ops.Operation[object]) -> bool:
    try:
        check(document, operation)
    except AccessDenied:
        return False
    return True


OWN_ITEMS = policy(
    statement(
        Action=actions(*ITEMS),
        Resource=[GAMES],
        Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}},
    )
)


# Every user has their own items in a shared table.
@every(
    ("operation", "expected"),
    [
        (ops.GetItem("GameScores", ADA), True),
        (ops.GetItem("GameScores", BOB), False),
        (ops.PutItem("GameScores", ADA), True),
        (ops.PutItem("GameScores", BOB), False),
        (ops.UpdateItem("GameScores", BOB), False),
        (ops.DeleteItem("GameScores", BOB), False),
        (query("ada"), True),
        (query("bob"), False),
        (ops.BatchGetItem({"GameScores": ops.KeysAndAttributes([ADA])}), True),
        (ops.BatchGetItem({"GameScores": ops.KeysAndAttributes([ADA, BOB])}), False),
        (ops.BatchWriteItem({"GameScores": [ops.WriteRequest(ops.PutRequest(ADA))]}), True),
        (
            ops.BatchWriteItem(
                {
                    "GameScores": [
                        ops.WriteRequest(ops.PutRequest(ADA)),
                        ops.WriteRequest(delete_request=ops.DeleteRequest(BOB)),
                    ]
                }
            ),
            False,
        ),
        (ops.TransactWriteItems([ops.TransactWriteItem(put=ops.Put("GameScores", ADA))]), True),
        (
            ops.TransactWriteItems(
                [
                    ops.TransactWriteItem(put=ops.Put("GameScores", ADA)),
                    ops.TransactWriteItem(put=ops.Put("GameScores", BOB)),
                ]
            ),
            False,
        ),
        # "The list of actions does not include permissions for Scan because Scan returns all items
        # regardless of the leading keys."
        (ops.Scan("GameScores"), False),
        (ops.GetItem("Other", ADA), False),
        (query("ada", "TopScoreDateTimeIndex"), False),
        (ops.DescribeTable("GameScores"), False),
    ],
)
def test_leading_keys_restrict_access_to_own_items(
    operation: ops.Operation[object], expected: bool
) -> None:
    assert allowed(OWN_ITEMS, operation) == expected


# A trap: a scan has no leading keys, so ForAllValues is true.
def test_scan_satisfies_leading_keys_unless_null_is_tested() -> None:
    condition = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["ada"]}}
    assert allowed(policy(statement(Condition=condition)), ops.Scan("GameScores"))
    condition["Null"] = {"dynamodb:LeadingKeys": "false"}  # type: ignore[dict-item]
    assert not allowed(policy(statement(Condition=condition)), ops.Scan("GameScores"))


def test_leading_keys_may_start_with_username() -> None:
    document = policy(
        statement(
            Condition={"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "${aws:username}#*"}}
        )
    )
    assert allowed(document, ops.GetItem("GameScores", {"UserId": {"S": "ada#1"}}))
    assert not allowed(document, ops.GetItem("GameScores", {"UserId": {"S": "adam#1"}}))


def test_leading_keys_of_index_are_its_own_partition_keys() -> None:
    document = policy(
        statement(Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "2026"}})
    )
    assert allowed(document, query("2026", "TopScoreDateTimeIndex"))
    assert not allowed(document, query("2025", "TopScoreDateTimeIndex"))


# An index may have up to four partition key attributes.
def test_each_partition_key_attribute_has_its_condition_key() -> None:
    document = policy(
        statement(
            Condition={
                "ForAllValues:StringEquals": {
                    "dynamodb:FirstPartitionKeyValues": "red",
                    "dynamodb:SecondPartitionKeyValues": "spring",
                    "dynamodb:ThirdPartitionKeyValues": "the index has no third attribute",
                }
            }
        )
    )
    values: dict[str, AttributeValue] = {":t": {"S": "red"}, ":s": {"S": "spring"}}
    request = ops.Query(
        "GameScores",
        "ByTeam",
        key_condition_expression="Team = :t AND Season = :s",
        expression_attribute_values=values,
    )
    assert allowed(document, request)
    values[":s"] = {"S": "autumn"}
    assert not allowed(document, request)


# Without the key schema it is unknown which attribute to check.
def test_leading_keys_of_missing_table_raise_not_found() -> None:
    document = policy(
        statement(Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "ada"}})
    )
    with pytest.raises(ResourceNotFound, match="Requested resource not found"):
        check(document, ops.GetItem("Nowhere", ADA))
    with pytest.raises(ValidationError, match="The table does not have the specified index: None"):
        check(document, query("ada", "None"))


SPECIFIC = policy(
    statement(
        Action=actions("UpdateItem", "GetItem", "Query", "BatchGetItem", "Scan"),
        Resource=[GAMES],
        Condition={
            "ForAllValues:StringEquals": {
                "dynamodb:Attributes": ["UserId", "GameTitle", "TopScore"]
            },
            "StringEqualsIfExists": {
                "dynamodb:Select": "SPECIFIC_ATTRIBUTES",
                "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"],
            },
        },
    )
)
ONE: dict[str, AttributeValue] = {":v": {"N": "1"}}


def update(expression: str, **more: str) -> ops.UpdateItem:
    return ops.UpdateItem(
        "GameScores",
        ADA,
        update_expression=expression,
        condition_expression=more.get("condition"),
        return_values=more.get("returned"),  # type: ignore[arg-type]
        return_values_on_condition_check_failure=more.get("failed"),  # type: ignore[arg-type]
        expression_attribute_values=ONE,
    )


# "These attributes can be read, written, or evaluated in a conditional write or scan filter."
@every(
    ("operation", "expected"),
    [
        (ops.GetItem("GameScores", ADA, projection_expression="TopScore"), True),
        (ops.GetItem("GameScores", ADA, projection_expression="TopScore, Wins"), False),
        (ops.GetItem("GameScores", ADA, attributes_to_get=["TopScore"]), True),
        (ops.GetItem("GameScores", ADA, attributes_to_get=["Wins"]), False),
        (ops.GetItem("GameScores", ADA), False),
        (query("ada", projection="TopScore"), True),
        (query("ada"), False),
        (ops.Scan("GameScores", projection_expression="TopScore"), True),
        (
            ops.Scan(
                "GameScores",
                projection_expression="TopScore",
                filter_expression="Wins = :v",
                expression_attribute_values=ONE,
            ),
            False,
        ),
        (ops.Scan("GameScores", select="COUNT"), False),
        (update("SET TopScore = :v"), True),
        (update("SET Wins = :v"), False),
        (update("SET TopScore = Wins"), False),
        (update("SET TopScore = :v", condition="Wins = :v"), False),
        (update("SET TopScore = :v", returned="UPDATED_NEW"), True),
        (update("SET TopScore = :v", returned="ALL_NEW"), False),
        (update("SET TopScore = :v", failed="ALL_OLD"), False),
        (ops.PutItem("GameScores", ADA), False),
    ],
)
def test_attributes_restrict_access_to_named_ones(
    operation: ops.Operation[object], expected: bool
) -> None:
    assert allowed(SPECIFIC, operation) == expected


def test_attributes_can_be_excluded_from_updates() -> None:
    document = policy(
        statement(
            Action="dynamodb:UpdateItem",
            Resource=GAMES,
            Condition={
                "ForAllValues:StringNotLike": {
                    "dynamodb:Attributes": ["FreeGamesAvailable", "BossLevelUnlocked"]
                },
                "StringEquals": {"dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"]},
            },
        )
    )
    assert allowed(document, update("SET Wins = :v"))
    assert not allowed(document, update("SET Wins = :v, BossLevelUnlocked = :v"))
    assert not allowed(document, update("SET Wins = :v", returned="ALL_OLD"))


def test_select_restricts_index_query_to_projected_attributes() -> None:
    document = policy(
        statement(
            Action="dynamodb:Query",
            Resource=INDEX,
            Condition={"StringEquals": {"dynamodb:Select": "ALL_PROJECTED_ATTRIBUTES"}},
        )
    )
    index = "TopScoreDateTimeIndex"
    assert allowed(document, query("2026", index))
    assert not allowed(document, query("2026", index, projection="Wins"))
    assert not allowed(document, query("ada"))


TRANSACTED = ops.TransactGetItems([ops.TransactGetItem(ops.Get("GameScores", ADA))])


def test_enclosing_operation_allows_or_denies_transactions_only() -> None:
    enclosed = {
        "ForAnyValue:StringEquals": {
            "dynamodb:EnclosingOperation": ["TransactWriteItems", "TransactGetItems"]
        }
    }
    only = policy(statement(Condition=enclosed))
    assert allowed(only, TRANSACTED)
    assert not allowed(only, ops.GetItem("GameScores", ADA))
    never = policy(statement(), statement(Effect="Deny", Condition=enclosed))
    assert not allowed(never, TRANSACTED)
    assert allowed(never, ops.GetItem("GameScores", ADA))


def test_return_consumed_capacity_can_be_denied() -> None:
    document = policy(
        statement(Condition={"StringEquals": {"dynamodb:ReturnConsumedCapacity": "NONE"}})
    )
    assert allowed(document, ops.GetItem("GameScores", ADA))
    assert not allowed(document, ops.GetItem("GameScores", ADA, return_consumed_capacity="TOTAL"))


def test_principal_tag_can_be_a_condition() -> None:
    document = policy(
        statement(Condition={"StringEquals": {"aws:PrincipalTag/team": ["red", "blue"]}})
    )
    assert allowed(document, ops.ListTables())


# Reading the changes of all tables includes those of the denied table.
def test_action_on_all_tables_is_denied_if_one_table_is() -> None:
    document = policy(statement(), statement(Effect="Deny", Action="*", Resource=GAMES))
    assert not allowed(document, ops.ReadChanges())
    assert not allowed(document, ops.ReadChanges(table_name="GameScores"))
    assert allowed(document, ops.ReadChanges(table_name="Ages"))


# The change feed contains whole items, so it needs a permission of its own.
def test_dynamodb_wildcard_does_not_allow_own_operations() -> None:
    document = policy(statement(Action="dynamodb:*"))
    assert not allowed(document, ops.ReadChanges(table_name="GameScores"))
    assert allowed(policy(statement(Action="singletable:Read*")), ops.ReadChanges())


@every(
    ("document", "reason"),
    [
        (
            policy(statement(Action="dynamodb:GetItem")),
            "because no identity-based policy allows the dynamodb:PutItem action",
        ),
        (
            policy(statement(), statement(Effect="Deny", Action="dynamodb:Put*")),
            "with an explicit deny in an identity-based policy",
        ),
    ],
)
def test_denial_names_user_action_resource_and_reason(
    document: Mapping[str, object], reason: str
) -> None:
    with pytest.raises(AccessDenied) as raised:
        check(document, ops.PutItem("GameScores", ADA))
    assert raised.value.code == "AccessDeniedException"
    assert raised.value.message == (
        "User: arn:aws:iam::123456789012:user/ada is not authorized to perform: dynamodb:PutItem "
        f"on resource: {GAMES} {reason}"
    )
