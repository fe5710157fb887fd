"""A session with aioboto3: client and resource, many requests at once on one event loop."""

# aioboto3 is installed where this program runs, which is not where it is checked.
# mypy: disable-error-code="import-not-found, no-untyped-call"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from decimal import Decimal
from typing import Any

import aioboto3
from boto3.dynamodb.conditions import Attr, Key

TABLE = "aioboto3"


async def main() -> None:
    session = aioboto3.Session()
    async with session.resource("dynamodb") as dynamodb, session.client("dynamodb") as client:
        table = await make_table(dynamodb)
        await values_are_those_of_python(table)
        await one_of_many_wins(table, client)
        await a_batch_is_written_and_queried_in_pages(table, client)
        await a_transaction_is_cancelled(client)
        await time_to_live_and_tags(table, client)
        await refusals(client)
        await table.delete()
        await table.wait_until_not_exists()


async def make_table(dynamodb: Any) -> Any:
    table = await dynamodb.create_table(
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
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    await table.wait_until_exists()
    return table


async def values_are_those_of_python(table: Any) -> None:
    ballot = {
        "election": "mayor",
        "number": 1,
        "share": Decimal("0.25"),
        "seal": b"\x00\xff",
        "names": {"ada", "lovelace"},
        "years": {1815, 1852},
        "ranking": ["lee", None, True, {"deep": [1, 2]}],
    }
    await table.put_item(Item=ballot)
    assert (await table.get_item(Key={"election": "mayor", "number": 1}))["Item"] == ballot


async def one_of_many_wins(table: Any, client: Any) -> None:
    async def take(seat: int) -> bool:
        try:
            await table.update_item(
                Key={"election": "mayor", "number": 2},
                UpdateExpression="SET seat = :seat",
                ConditionExpression=Attr("seat").not_exists(),
                ExpressionAttributeValues={":seat": seat},
            )
        except client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    assert sum(await asyncio.gather(*(take(seat) for seat in range(10)))) == 1


async def a_batch_is_written_and_queried_in_pages(table: Any, client: Any) -> None:
    async with table.batch_writer() as batch:
        for number in range(60):
            await batch.put_item(
                Item={"election": "council", "number": number, "voter": f"voter {number % 2}"}
            )
    pages = [
        page["Count"]
        async for page in client.get_paginator("query").paginate(
            TableName=TABLE,
            IndexName="by_voter",
            KeyConditionExpression="voter = :voter",
            ExpressionAttributeValues={":voter": {"S": "voter 1"}},
            PaginationConfig={"PageSize": 20},
        )
    ]
    assert pages == [20, 10]
    found = await table.query(KeyConditionExpression=Key("election").eq("council"), Limit=3)
    assert [int(item["number"]) for item in found["Items"]] == [0, 1, 2]
    assert found["LastEvaluatedKey"] == {"election": "council", "number": 2}

    async def count(segment: int) -> int:
        scan = await table.scan(Segment=segment, TotalSegments=3, Select="COUNT")
        return int(scan["Count"])

    assert sum(await asyncio.gather(*(count(segment) for segment in range(3)))) == 62
    keys = [{"election": {"S": "council"}, "number": {"N": str(number)}} for number in range(3)]
    read = await client.batch_get_item(RequestItems={TABLE: {"Keys": keys}})
    assert len(read["Responses"][TABLE]) == 3


async def a_transaction_is_cancelled(client: Any) -> None:
    key = {"election": {"S": "referendum"}, "number": {"N": "1"}}
    create = {
        "Put": {
            "TableName": TABLE,
            "Item": key,
            "ConditionExpression": "attribute_not_exists(election)",
        }
    }
    await client.transact_write_items(TransactItems=[create])
    try:
        await client.transact_write_items(TransactItems=[create])
    except client.exceptions.TransactionCanceledException as cancelled:
        (reason,) = cancelled.response["CancellationReasons"]
        assert reason["Code"] == "ConditionalCheckFailed"
    else:
        raise AssertionError("the transaction was not cancelled")
    read = await client.transact_get_items(
        TransactItems=[{"Get": {"TableName": TABLE, "Key": key}}]
    )
    assert read["Responses"] == [{"Item": key}]


async def time_to_live_and_tags(table: Any, client: Any) -> None:
    specification = {"Enabled": True, "AttributeName": "expires"}
    await client.update_time_to_live(TableName=TABLE, TimeToLiveSpecification=specification)
    described = await client.describe_time_to_live(TableName=TABLE)
    assert described["TimeToLiveDescription"]["AttributeName"] == "expires"
    arn = await table.table_arn
    await client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "votes"}])
    tags = await client.list_tags_of_resource(ResourceArn=arn)
    assert tags["Tags"] == [{"Key": "team", "Value": "votes"}]


async def refusals(client: Any) -> None:
    missing = await raised(
        client.exceptions.ResourceNotFoundException, client.describe_table(TableName="nowhere")
    )
    assert missing.response["Error"]["Message"].endswith("Table: nowhere not found")


async def raised(kind: type[Exception], action: Awaitable[object]) -> Any:
    """The exception that the action raises."""
    try:
        await action
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


asyncio.run(main())
