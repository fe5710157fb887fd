"""The boto3 client: DynamoDB types, paginators, waiters and exceptions."""

from __future__ import annotations

from typing import Any, cast

import boto3
import pytest

from tests.clients.endpoint import Endpoint

TABLE = "boto3.client"
EVERYTHING: dict[str, Any] = {
    "election": {"S": "mayor"},
    "number": {"N": "1"},
    "voter": {"S": "ada"},
    "share": {"N": "0.1234567890123456789012345678901234567"},
    "seal": {"B": b"\x00\xff"},
    "ranking": {"L": [{"S": "lee"}, {"S": "kim"}, {"NULL": True}]},
    "ward": {"M": {"name": {"S": "Grünau"}, "open": {"BOOL": True}}},
    "names": {"SS": ["ada", "lovelace"]},
    "years": {"NS": ["1815", "1852"]},
    "marks": {"BS": [b"\x01", b"\x02"]},
}


@pytest.fixture(scope="module")
def client(endpoint: Endpoint) -> Any:
    """Return a client; its table has an index."""
    client = cast(Any, boto3).client("dynamodb", **endpoint.for_boto3)
    created = client.create_table(
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
                "KeySchema": [{"AttributeName": "voter", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["share"]},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
        Tags=[{"Key": "team", "Value": "votes"}],
    )
    assert created["TableDescription"]["TableStatus"] in ("CREATING", "ACTIVE")
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
    return client


def key(number: int, election: str = "mayor") -> dict[str, Any]:
    """Return the key of a ballot."""
    return {"election": {"S": election}, "number": {"N": str(number)}}


def test_table_is_described_and_listed(client: Any) -> None:
    table = client.describe_table(TableName=TABLE)["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["CreationDateTime"].year > 2000
    assert table["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
    tables = client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1})
    assert TABLE in [name for page in tables for name in page["TableNames"]]


def test_item_of_every_type_round_trips(client: Any) -> None:
    client.put_item(TableName=TABLE, Item=EVERYTHING)
    got = client.get_item(
        TableName=TABLE, Key=key(1), ConsistentRead=True, ReturnConsumedCapacity="TOTAL"
    )
    assert got["Item"] == EVERYTHING
    assert got["ConsumedCapacity"] == {"TableName": TABLE, "CapacityUnits": 1.0}
    assert got["ResponseMetadata"]["RetryAttempts"] == 0  # the checksum was correct
    assert "Item" not in client.get_item(TableName=TABLE, Key=key(404))


def test_conditional_update_is_applied_once(client: Any) -> None:
    vote: dict[str, Any] = {
        "TableName": TABLE,
        "Key": key(2),
        "UpdateExpression": "SET voter = :ada ADD #count :one",
        "ConditionExpression": "attribute_not_exists(voter)",
        "ExpressionAttributeNames": {"#count": "count"},
        "ExpressionAttributeValues": {":ada": {"S": "ada"}, ":one": {"N": "1"}},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert client.update_item(ReturnValues="UPDATED_NEW", **vote)["Attributes"] == {
        "voter": {"S": "ada"},
        "count": {"N": "1"},
    }
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as raised:
        client.update_item(**vote)
    error = raised.value.response
    assert error["Error"]["Message"] == "The conditional request failed"
    assert error["Item"] == key(2) | {"voter": {"S": "ada"}, "count": {"N": "1"}}


def test_batches_and_pages(client: Any) -> None:
    ballots = [
        key(number, "council") | {"voter": {"S": f"voter {number % 3}"}, "text": {"S": "x" * 4000}}
        for number in range(25)
    ]
    writes = [{"PutRequest": {"Item": ballot}} for ballot in ballots]
    assert client.batch_write_item(RequestItems={TABLE: writes})["UnprocessedItems"] == {}
    keys = [key(3, "council"), key(4, "council"), key(404)]
    output = client.batch_get_item(RequestItems={TABLE: {"Keys": keys}})
    assert sorted(output["Responses"][TABLE], key=lambda item: item["number"]["N"]) == ballots[3:5]

    request = {
        "TableName": TABLE,
        "KeyConditionExpression": "election = :council",
        "ExpressionAttributeValues": {":council": {"S": "council"}},
    }
    pages = list(
        client.get_paginator("query").paginate(**request, PaginationConfig={"PageSize": 10})
    )
    assert [page["Count"] for page in pages] == [10, 10, 5]
    assert [item for page in pages for item in page["Items"]] == ballots

    by_voter = client.query(
        TableName=TABLE,
        IndexName="by_voter",
        KeyConditionExpression="voter = :voter",
        ExpressionAttributeValues={":voter": {"S": "voter 2"}},
    )
    assert sorted(int(item["number"]["N"]) for item in by_voter["Items"]) == list(range(2, 25, 3))
    assert "text" not in by_voter["Items"][0]

    scanned: list[Any] = []
    for segment in range(2):
        scan = client.get_paginator("scan").paginate(
            TableName=TABLE,
            Segment=segment,
            TotalSegments=2,
            FilterExpression="election = :council",
            ExpressionAttributeValues={":council": {"S": "council"}},
            PaginationConfig={"PageSize": 7},
        )
        scanned += [item for page in scan for item in page["Items"]]
    assert sorted(scanned, key=lambda item: int(item["number"]["N"])) == ballots


def test_transaction_is_applied_or_canceled_with_reasons(client: Any) -> None:
    put = {"Put": {"TableName": TABLE, "Item": key(1, "referendum") | {"yes": {"BOOL": True}}}}
    once = {
        "Put": {
            "TableName": TABLE,
            "Item": key(2, "referendum"),
            "ConditionExpression": "attribute_not_exists(election)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }
    client.transact_write_items(TransactItems=[put, once], ClientRequestToken=TABLE)
    client.transact_write_items(TransactItems=[put, once], ClientRequestToken=TABLE)
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(TransactItems=[put], ClientRequestToken=TABLE)
    with pytest.raises(client.exceptions.TransactionCanceledException) as canceled:
        client.transact_write_items(TransactItems=[put, once])
    assert canceled.value.response["CancellationReasons"] == [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": key(2, "referendum"),
        },
    ]
    assert "[None, ConditionalCheckFailed]" in str(canceled.value)
    read = client.transact_get_items(
        TransactItems=[
            {"Get": {"TableName": TABLE, "Key": key(number, "referendum")}} for number in (1, 404)
        ]
    )
    assert read["Responses"] == [{"Item": put["Put"]["Item"]}, {}]


def test_tags_and_ttl(client: Any) -> None:
    arn = client.describe_table(TableName=TABLE)["Table"]["TableArn"]
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "test"}])
    client.untag_resource(ResourceArn=arn, TagKeys=["team"])
    tags = client.list_tags_of_resource(ResourceArn=arn)["Tags"]
    assert tags == [{"Key": "stage", "Value": "test"}]
    specification = {"Enabled": True, "AttributeName": "expires"}
    output = client.update_time_to_live(TableName=TABLE, TimeToLiveSpecification=specification)
    assert output["TimeToLiveSpecification"] == specification
    described = client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
    assert described["AttributeName"] == "expires"
    assert described["TimeToLiveStatus"] in ("ENABLING", "ENABLED")


def test_point_in_time_recovery_is_disabled(client: Any) -> None:
    output = client.update_continuous_backups(
        TableName=TABLE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
    )["ContinuousBackupsDescription"]
    assert output["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}
    described = client.describe_continuous_backups(TableName=TABLE)
    assert described["ContinuousBackupsDescription"] == output
    with pytest.raises(client.exceptions.TableNotFoundException):
        client.describe_continuous_backups(TableName="nowhere")


def test_errors_are_exceptions_of_the_client(client: Any) -> None:
    with pytest.raises(client.exceptions.ResourceNotFoundException) as missing:
        client.get_item(TableName="nowhere", Key=key(1))
    assert missing.value.response["Error"]["Message"] == "Requested resource not found"
    assert missing.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    with pytest.raises(client.exceptions.ResourceInUseException):
        client.create_table(
            TableName=TABLE,
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
    with pytest.raises(client.exceptions.ClientError) as invalid:
        client.get_item(TableName=TABLE, Key={"election": {"S": "mayor"}})
    assert invalid.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "The provided key element does not match the schema",
    }


def test_wrong_signature_is_rejected(endpoint: Endpoint) -> None:
    wrong = endpoint.for_boto3 | {"aws_secret_access_key": "guessed"}
    client = cast(Any, boto3).client("dynamodb", **wrong)
    with pytest.raises(client.exceptions.ClientError) as raised:
        client.list_tables()
    assert raised.value.response["Error"]["Code"] == "InvalidSignatureException"


# Bodies of hundreds of kilobytes arrive in several pieces.
def test_large_item_round_trips(client: Any) -> None:
    large = key(1, "large") | {"text": {"S": "ä" * 190_000}}
    client.put_item(TableName=TABLE, Item=large)
    assert client.get_item(TableName=TABLE, Key=key(1, "large"))["Item"] == large


def test_table_is_deleted(client: Any) -> None:
    client.create_table(
        TableName=f"{TABLE}.gone",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    )
    client.get_waiter("table_exists").wait(TableName=f"{TABLE}.gone", WaiterConfig={"Delay": 1})
    client.delete_table(TableName=f"{TABLE}.gone")
    client.get_waiter("table_not_exists").wait(TableName=f"{TABLE}.gone", WaiterConfig={"Delay": 1})
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=f"{TABLE}.gone")
