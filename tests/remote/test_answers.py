"""Answers are checked, unpacked and read, those of older servers too."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any, get_args
from zlib import crc32

import pytest
from botocore.session import Session

from singletable.errors import ConnectionFailed, UnexpectedResponse
from singletable.operations import (
    BatchWriteItem,
    BatchWriteItemOutput,
    DescribeContinuousBackups,
    DescribeTable,
    GetItem,
    GetItemOutput,
    Operation,
    PutItem,
    Query,
    ReadChanges,
    ReadChangesOutput,
    TableStatus,
    TransactGetItems,
    TransactGetItemsOutput,
    WriteItemOutput,
)
from singletable.remote.answer import result_of
from singletable.remote.place import Place
from singletable.remote.response import Answer

HERE = Place("localhost", 8000, tls=False, region="us-east-1")
ITEM = {"PK": {"S": "a"}, "n": {"N": "1"}}
GET = GetItem("votes", {"PK": {"S": "a"}})
PAGE = Query("votes")


def answer(body: bytes, status: int = 200, **headers: str) -> Answer:
    fields = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    return Answer(status, fields, body, keep=True)


def got(raw: dict[str, object]) -> GetItemOutput:
    return result_of(HERE, GET, answer(json.dumps(raw).encode()))


# The engine tells no such times, and DynamoDB does.
def test_the_times_that_a_table_can_be_restored_to_are_read() -> None:
    recovery = {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": 1759964704,
        "LatestRestorableDateTime": 1759964999.25,
    }
    told = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
    body = json.dumps({"ContinuousBackupsDescription": told}).encode()
    result = result_of(HERE, DescribeContinuousBackups("votes"), answer(body))
    read = result.continuous_backups_description.point_in_time_recovery_description
    assert read is not None
    assert read.earliest_restorable_date_time == 1759964704
    assert read.latest_restorable_date_time == 1759964999.25


@pytest.mark.parametrize("raw", [{}, {"Item": None}, {"ConsumedCapacity": None}])
def test_no_item_is_none(raw: dict[str, object]) -> None:
    assert got(raw) == GetItemOutput()


def test_an_item_and_what_it_cost_are_read() -> None:
    result = got({"Item": ITEM, "ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}})
    assert result.item == ITEM
    assert result.consumed_capacity is not None
    assert result.consumed_capacity.capacity_units == 0.5


def test_what_we_do_not_know_is_left_out() -> None:
    assert got({"Item": ITEM, "NewMember": {"x": [1]}}).item == ITEM


@pytest.mark.parametrize(
    ("operation", "raw", "none"),
    [
        (PutItem("t", {}), {}, WriteItemOutput()),
        (TransactGetItems([]), {"Responses": []}, TransactGetItemsOutput([])),
        (ReadChanges(), {"Changes": [], "Position": 3}, ReadChangesOutput([], 3)),
        (BatchWriteItem({}), {}, BatchWriteItemOutput({})),
    ],
)
def test_results_may_be_empty(
    operation: Operation[object], raw: dict[str, object], none: object
) -> None:
    assert result_of(HERE, operation, answer(json.dumps(raw).encode())) == none


def test_a_damaged_answer_is_no_answer() -> None:
    body = json.dumps({"Item": ITEM}).encode()
    assert result_of(HERE, GET, answer(body, x_amz_crc32=str(crc32(body)))).item == ITEM
    with pytest.raises(ConnectionFailed, match="damaged") as refused:
        result_of(HERE, GET, answer(body[:-1] + b" ", x_amz_crc32=str(crc32(body))))
    assert refused.value.may_have_arrived


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_packed_answer_is_unpacked(packing: str) -> None:
    pack = gzip.compress if packing == "gzip" else zlib.compress
    packed = pack(json.dumps({"Item": ITEM}).encode())
    checksum = str(crc32(packed))
    assert (
        result_of(HERE, GET, answer(packed, content_encoding=packing, x_amz_crc32=checksum)).item
        == ITEM
    )
    with pytest.raises(ConnectionFailed, match="unpacked"):
        result_of(HERE, GET, answer(packed[:-9], content_encoding=packing))


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b'{"Item":', b'{"Count":"x"}', b"\xff\xfe", b'"']
)
def test_what_is_no_answer_is_told_with_what_came(body: bytes) -> None:
    with pytest.raises(UnexpectedResponse) as refused:
        result_of(HERE, PAGE, answer(body, content_type="text/html"))
    for said in ("Query", "http://localhost:8000", "200", "text/html", "not DynamoDB"):
        assert said in str(refused.value)


@pytest.mark.parametrize("status", [201, 302, 404])
def test_a_status_that_dynamodb_does_not_have_is_told(status: int) -> None:
    with pytest.raises(UnexpectedResponse, match=str(status)):
        result_of(HERE, GET, answer(b"", status))


# A table may be in states that the embedded engine has not.
@pytest.mark.parametrize("status", get_args(TableStatus))
def test_every_state_of_a_table_is_read(status: str) -> None:
    brief: dict[str, Any] = {
        "TableName": "t",
        "TableStatus": status,
        "AttributeDefinitions": [],
        "KeySchema": [],
    }
    body = json.dumps({"Table": brief}).encode()
    assert result_of(HERE, DescribeTable("t"), answer(body)).table.table_status == status


def test_we_know_every_state_that_dynamodb_has() -> None:
    session: Any = Session()  # botocore has no types of its own
    model = session.get_service_model("dynamodb")
    assert set(get_args(TableStatus)) == set(model.shape_for("TableStatus").enum)


# What was added to DynamoDB since is missing in the answers of older servers.
def test_a_table_may_be_described_in_brief() -> None:
    brief: dict[str, Any] = {
        "TableName": "t",
        "TableStatus": "ACTIVE",
        "AttributeDefinitions": [],
        "KeySchema": [],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "i",
                "IndexStatus": "ACTIVE",
                "KeySchema": [],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }
    table = result_of(HERE, DescribeTable("t"), answer(json.dumps({"Table": brief}).encode())).table
    assert (table.table_name, table.table_status) == ("t", "ACTIVE")
    assert not table.deletion_protection_enabled
