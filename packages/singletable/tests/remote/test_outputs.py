"""Responses are verified, decompressed and decoded, those of older servers too."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from typing import Any, get_args
from zlib import crc32

import msgspec
import pytest
from botocore.session import Session

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.registry import OPERATIONS
from singletable.errors import ConnectionFailed, UnexpectedResponse
from singletable.remote.config import RemoteEndpoint
from singletable.remote.http import Response
from singletable.remote.outputs import decode_output, decode_response

ENDPOINT = RemoteEndpoint("localhost", 8000, tls=False, region="us-east-1")
ITEM = {"PK": {"S": "a"}, "n": {"N": "1"}}
GET = ops.GetItem("votes", {"PK": {"S": "a"}})
PAGE = ops.Query("votes")


def respond(body: bytes, status: int = 200, **headers: str) -> Response:
    fields = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    return Response(status, fields, body, keep_alive=True)


def decode_get_item(raw: dict[str, object]) -> ops.GetItemOutput:
    return decode_response(ENDPOINT, GET, respond(json.dumps(raw).encode()))


# DynamoDB returns these times, the engine does not.
def test_restorable_times_are_decoded() -> None:
    recovery = {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": 1759964704,
        "LatestRestorableDateTime": 1759964999.25,
    }
    backups = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
    body = json.dumps({"ContinuousBackupsDescription": backups}).encode()
    result = decode_response(ENDPOINT, ops.DescribeContinuousBackups("votes"), respond(body))
    decoded = result.continuous_backups_description.point_in_time_recovery_description
    assert decoded is not None
    assert decoded.earliest_restorable_date_time == 1759964704
    assert decoded.latest_restorable_date_time == 1759964999.25


@pytest.mark.parametrize("raw", [{}, {"Item": None}, {"ConsumedCapacity": None}])
def test_missing_item_is_none(raw: dict[str, object]) -> None:
    assert decode_get_item(raw) == ops.GetItemOutput()


def test_item_and_consumed_capacity_are_decoded() -> None:
    result = decode_get_item(
        {"Item": ITEM, "ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}}
    )
    assert result.item == ITEM
    assert result.consumed_capacity is not None
    assert result.consumed_capacity.capacity_units == 0.5


def test_unknown_fields_are_ignored() -> None:
    assert decode_get_item({"Item": ITEM, "NewMember": {"x": [1]}}).item == ITEM


@pytest.mark.parametrize(
    ("operation", "raw", "output"),
    [
        (ops.PutItem("t", {}), {}, ops.WriteItemOutput()),
        (ops.TransactGetItems([]), {"Responses": []}, ops.TransactGetItemsOutput([])),
        (ops.ReadChanges(), {"Changes": [], "Position": 3}, ops.ReadChangesOutput([], 3)),
        (ops.BatchWriteItem({}), {}, ops.BatchWriteItemOutput({})),
    ],
)
def test_empty_outputs_are_decoded(
    operation: ops.Operation[object], raw: dict[str, object], output: object
) -> None:
    assert decode_response(ENDPOINT, operation, respond(json.dumps(raw).encode())) == output


def test_wrong_checksum_raises_connection_failed() -> None:
    body = json.dumps({"Item": ITEM}).encode()
    assert decode_response(ENDPOINT, GET, respond(body, x_amz_crc32=str(crc32(body)))).item == ITEM
    with pytest.raises(ConnectionFailed, match="corrupt") as raised:
        decode_response(ENDPOINT, GET, respond(body[:-1] + b" ", x_amz_crc32=str(crc32(body))))
    assert raised.value.may_have_arrived


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_response_is_decompressed(encoding: str) -> None:
    compress = gzip.compress if encoding == "gzip" else zlib.compress
    compressed = compress(json.dumps({"Item": ITEM}).encode())
    checksum = str(crc32(compressed))
    assert (
        decode_response(
            ENDPOINT, GET, respond(compressed, content_encoding=encoding, x_amz_crc32=checksum)
        ).item
        == ITEM
    )
    with pytest.raises(ConnectionFailed, match="decompress"):
        decode_response(ENDPOINT, GET, respond(compressed[:-9], content_encoding=encoding))


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b'{"Item":', b'{"Count":"x"}', b"\xff\xfe", b'"']
)
def test_invalid_body_raises_unexpected_response(body: bytes) -> None:
    with pytest.raises(UnexpectedResponse) as raised:
        decode_response(ENDPOINT, PAGE, respond(body, content_type="text/html"))
    for text in ("Query", "http://localhost:8000", "200", "text/html", "not DynamoDB"):
        assert text in str(raised.value)


@pytest.mark.parametrize("status", [201, 302, 404])
def test_unexpected_status_raises_unexpected_response(status: int) -> None:
    with pytest.raises(UnexpectedResponse, match=str(status)):
        decode_response(ENDPOINT, GET, respond(b"", status))


# DynamoDB has table statuses that the embedded engine never returns.
@pytest.mark.parametrize("status", get_args(ops.TableStatus))
def test_every_table_status_is_decoded(status: str) -> None:
    brief: dict[str, Any] = {
        "TableName": "t",
        "TableStatus": status,
        "AttributeDefinitions": [],
        "KeySchema": [],
    }
    body = json.dumps({"Table": brief}).encode()
    assert (
        decode_response(ENDPOINT, ops.DescribeTable("t"), respond(body)).table.table_status
        == status
    )


def test_table_statuses_match_botocore() -> None:
    session: Any = Session()  # botocore is untyped
    model = session.get_service_model("dynamodb")
    assert set(get_args(ops.TableStatus)) == set(model.shape_for("TableStatus").enum)


# Older servers leave out fields that DynamoDB added later.
def test_table_description_of_older_server_is_decoded() -> None:
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
    table = decode_response(
        ENDPOINT, ops.DescribeTable("t"), respond(json.dumps({"Table": brief}).encode())
    ).table
    assert (table.table_name, table.table_status) == ("t", "ACTIVE")
    assert not table.deletion_protection_enabled


def test_threads_may_decode_the_first_response_of_a_kind_at_once() -> None:
    """Without a lock, msgspec crashes the process in most runs."""
    program = """
import sys, threading
from dynamodb_engine.operations import DescribeTable
from singletable.remote.outputs import decode_output
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(4)
def decode():
    barrier.wait()
    try:
        decode_output(DescribeTable, b'{"Table": {}}')
    except ValueError:
        pass
threads = [threading.Thread(target=decode) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_every_output_without_required_fields_can_be_empty() -> None:
    for spec in OPERATIONS.values():
        if all(not field.required for field in msgspec.structs.fields(spec.output)):
            assert decode_output(spec.request, b"{}") == spec.output()
