"""The boto3 resource: Python types, condition objects and the batch writer."""

# pyright: reportUnknownMemberType=false
# boto3's conditions have no types of their own.

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

from tests.clients.endpoint import Endpoint

TABLE = "boto3.resource"


@pytest.fixture(scope="module")
def dynamodb(endpoint: Endpoint) -> Any:
    """Return the service resource."""
    return cast(Any, boto3).resource("dynamodb", **endpoint.for_boto3)


@pytest.fixture(scope="module")
def table(dynamodb: Any) -> Any:
    """Return a table with an index and forty ballots."""
    table = dynamodb.create_table(
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": "election", "AttributeType": "S"},
            {"AttributeName": "number", "AttributeType": "N"},
            {"AttributeName": "voter", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "election", "KeyType": "HASH"},
            {"AttributeName": "number", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_voter",
                "KeySchema": [
                    {"AttributeName": "voter", "KeyType": "HASH"},
                    {"AttributeName": "number", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    table.wait_until_exists()
    with table.batch_writer(overwrite_by_pkeys=["election", "number"]) as batch:
        for number in [*range(40), 39]:
            batch.put_item(
                Item={"election": "council", "number": number, "voter": f"voter {number % 2}"}
            )
    return table


def test_table_is_loaded_and_listed(dynamodb: Any, table: Any) -> None:
    table.reload()
    assert table.table_status == "ACTIVE"
    assert table.item_count == 40
    assert [index["IndexName"] for index in table.global_secondary_indexes] == ["by_voter"]
    assert table in list(dynamodb.tables.all())


def test_python_values_round_trip(table: Any) -> None:
    ballot: dict[str, Any] = {
        "election": "mayor",
        "number": Decimal(1),
        "share": Decimal("0.30000000000000000000000000000000000001"),
        "large": Decimal("1E+37"),
        "seal": Binary(b"\x00\xff"),
        "names": {"ada", "lovelace"},
        "years": {Decimal(1815), Decimal("18.52")},
        "marks": {Binary(b"\x01"), Binary(b"\x02")},
        "ranking": ["lee", "kim", None, True],
        "ward": {"name": "Grünau", "empty": {}, "none": []},
    }
    table.put_item(Item=ballot)
    got = table.get_item(Key={"election": "mayor", "number": 1})["Item"]
    assert got == ballot
    assert isinstance(got["seal"], Binary)
    assert isinstance(got["number"], Decimal)


def test_conditional_update(table: Any) -> None:
    change: dict[str, Any] = {
        "Key": {"election": "mayor", "number": 2},
        "UpdateExpression": "SET ward.#name = :name, ranking = list_append(ranking, :more)",
        "ConditionExpression": Attr("ward.open").eq(True) & Attr("ranking").size().lt(3),
        "ExpressionAttributeNames": {"#name": "name"},
        "ExpressionAttributeValues": {":name": "Süd", ":more": ["kim"]},
    }
    exceptions = table.meta.client.exceptions
    with pytest.raises(exceptions.ConditionalCheckFailedException):
        table.update_item(**change)
    table.put_item(
        Item={"election": "mayor", "number": 2, "ward": {"open": True}, "ranking": ["lee"]},
        ConditionExpression=Attr("election").not_exists(),
    )
    updated = table.update_item(**change, ReturnValues="ALL_NEW")["Attributes"]
    assert updated["ward"] == {"open": True, "name": "Süd"}
    assert updated["ranking"] == ["lee", "kim"]
    deleted = table.delete_item(Key=change["Key"], ReturnValues="ALL_OLD")["Attributes"]
    assert deleted == updated


def test_query_with_condition_objects(table: Any) -> None:
    found = table.query(
        KeyConditionExpression=Key("election").eq("council") & Key("number").between(10, 19),
        FilterExpression=Attr("voter").is_in(["voter 1"]) | Attr("seal").exists(),
        ProjectionExpression="#n",
        ExpressionAttributeNames={"#n": "number"},
        ScanIndexForward=False,
    )
    assert [item["number"] for item in found["Items"]] == [19, 17, 15, 13, 11]
    assert (found["Count"], found["ScannedCount"]) == (5, 10)


def test_pagination_with_exclusive_start_key(table: Any) -> None:
    numbers: list[Decimal] = []
    start: dict[str, Any] = {}
    while True:
        page = table.query(
            IndexName="by_voter",
            KeyConditionExpression=Key("voter").eq("voter 0"),
            Limit=8,
            **start,
        )
        numbers += [item["number"] for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        assert set(page["LastEvaluatedKey"]) == {"voter", "number", "election"}
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert numbers == list(range(0, 40, 2))


def test_scan_filters_and_counts(table: Any) -> None:
    election = Attr("election").begins_with("coun")
    assert table.scan(FilterExpression=election, Select="COUNT")["Count"] == 40
    odd = table.scan(IndexName="by_voter", FilterExpression=election & Attr("voter").ne("voter 0"))
    assert {item["number"] % 2 for item in odd["Items"]} == {1}


def test_batch_get(dynamodb: Any, table: Any) -> None:
    keys = [{"election": "council", "number": number} for number in (1, 2, 404)]
    read = dynamodb.batch_get_item(RequestItems={table.name: {"Keys": keys}})
    assert sorted(item["number"] for item in read["Responses"][table.name]) == [1, 2]
    assert read["UnprocessedKeys"] == {}


def test_transaction_is_canceled_with_reasons(dynamodb: Any, table: Any) -> None:
    client = dynamodb.meta.client
    writes: list[dict[str, Any]] = [
        {"Put": {"TableName": table.name, "Item": {"election": "referendum", "number": 1}}},
        {
            "ConditionCheck": {
                "TableName": table.name,
                "Key": {"election": "council", "number": 1},
                "ConditionExpression": "voter = :voter",
                "ExpressionAttributeValues": {":voter": "voter 0"},
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        },
    ]
    with pytest.raises(client.exceptions.TransactionCanceledException) as canceled:
        client.transact_write_items(TransactItems=writes)
    reasons = canceled.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]
    assert "Item" not in table.get_item(Key={"election": "referendum", "number": 1})
    writes[1]["ConditionCheck"]["ExpressionAttributeValues"] = {":voter": "voter 1"}
    client.transact_write_items(TransactItems=writes)
    assert "Item" in table.get_item(Key={"election": "referendum", "number": 1})


def test_table_is_updated_and_deleted(dynamodb: Any) -> None:
    table = dynamodb.create_table(
        TableName=f"{TABLE}.gone",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "B"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    )
    table.wait_until_exists()
    table = table.update(ProvisionedThroughput={"ReadCapacityUnits": 2, "WriteCapacityUnits": 1})
    assert table.provisioned_throughput["ReadCapacityUnits"] in (1, 2)
    table.put_item(Item={"pk": b"\x00"})
    assert table.scan()["Items"] == [{"pk": Binary(b"\x00")}]
    table.wait_until_exists()
    table.delete()
    table.wait_until_not_exists()
    with pytest.raises(table.meta.client.exceptions.ResourceNotFoundException):
        table.load()
