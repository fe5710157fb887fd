"""A session with aioboto3: client and resource, with concurrent requests."""

# aioboto3 is installed in an environment of its own, so type checkers do not find it.
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
        table = await create_table(dynamodb)
        await check_python_values(table)
        await check_concurrent_updates(table, client)
        await check_batch_and_pages(table, client)
        await check_canceled_transaction(client)
        await check_ttl_and_tags(table, client)
        await check_errors(client)
        await table.delete()
        await table.wait_until_not_exists()


async def create_table(dynamodb: Any) -> Any:
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


async def check_python_values(table: Any) -> None:
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


async def check_concurrent_updates(table: Any, client: Any) -> None:
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


async def check_batch_and_pages(table: Any, client: Any) -> None:
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
    query = await table.query(KeyConditionExpression=Key("election").eq("council"), Limit=3)
    assert [int(item["number"]) for item in query["Items"]] == [0, 1, 2]
    assert query["LastEvaluatedKey"] == {"election": "council", "number": 2}

    async def count(segment: int) -> int:
        scan = await table.scan(Segment=segment, TotalSegments=3, Select="COUNT")
        return int(scan["Count"])

    assert sum(await asyncio.gather(*(count(segment) for segment in range(3)))) == 62
    keys = [{"election": {"S": "council"}, "number": {"N": str(number)}} for number in range(3)]
    read = await client.batch_get_item(RequestItems={TABLE: {"Keys": keys}})
    assert len(read["Responses"][TABLE]) == 3


async def check_canceled_transaction(client: Any) -> None:
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
    except client.exceptions.TransactionCanceledException as canceled:
        (reason,) = canceled.response["CancellationReasons"]
        assert reason["Code"] == "ConditionalCheckFailed"
    else:
        raise AssertionError("the transaction was not canceled")
    read = await client.transact_get_items(
        TransactItems=[{"Get": {"TableName": TABLE, "Key": key}}]
    )
    assert read["Responses"] == [{"Item": key}]


async def check_ttl_and_tags(table: Any, client: Any) -> None:
    specification = {"Enabled": True, "AttributeName": "expires"}
    await client.update_time_to_live(TableName=TABLE, TimeToLiveSpecification=specification)
    described = await client.describe_time_to_live(TableName=TABLE)
    assert described["TimeToLiveDescription"]["AttributeName"] == "expires"
    arn = await table.table_arn
    await client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "votes"}])
    tags = await client.list_tags_of_resource(ResourceArn=arn)
    assert tags["Tags"] == [{"Key": "team", "Value": "votes"}]


async def check_errors(client: Any) -> None:
    missing = await raised(
        client.exceptions.ResourceNotFoundException, client.describe_table(TableName="nowhere")
    )
    assert missing.response["Error"]["Message"].endswith("Table: nowhere not found")


async def raised(kind: type[Exception], action: Awaitable[object]) -> Any:
    """Return the exception that the action raises."""
    try:
        await action
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


asyncio.run(main())
