"""DynamoDB Streams: enable, list, describe and read."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import OperationError, ResourceNotFound
from dynamodb_engine.operations import Driver
from dynamodb_engine.values import Item
from tests.conformance.requests import number, text
from tests.conformance.streams import iterator, make_streamed, read, records_of, shards_of
from tests.conformance.table_requests import on_demand, sorted_table
from tests.conformance.tables import put, unused_name
from tests.conformance.transaction_actions import checking, deleting, key, putting, updating

BOTH = ops.StreamSpecification(True, "NEW_AND_OLD_IMAGES")
KEYS = ops.StreamSpecification(True, "KEYS_ONLY")
OFF = ops.StreamSpecification(False)
A, B = key("a"), key("b")
A1: Item = A | {"n": number(1)}
A2: Item = A | {"n": number(2)}


def streamed(driver: Driver, view: ops.StreamSpecification = BOTH) -> tuple[str, str]:
    """Create a table with a stream; return its name and the stream's ARN."""
    request = on_demand(stream_specification=view)
    return request.table_name, make_streamed(driver, request)


def kinds(records: list[ops.Record]) -> list[str]:
    return [record.event_name for record in records]


# --- Records


def test_record_has_the_members_of_aws(driver: Driver) -> None:
    table, arn = streamed(driver)
    put(driver, table, A1)
    (record,) = records_of(driver, arn)
    change = record.dynamodb
    assert (record.event_name, record.event_version, record.event_source, record.aws_region) == (
        "INSERT",
        "1.1",
        "aws:dynamodb",
        "us-east-1",
    )
    assert len(record.event_id) == 32
    assert record.user_identity is None
    assert (change.keys, change.new_image, change.old_image) == (A, A1, None)
    assert change.sequence_number.isdecimal()
    assert 21 <= len(change.sequence_number) <= 40
    assert change.approximate_creation_date_time % 1 == 0


# The sizes of the example in AWS's manual.
@pytest.mark.parametrize(
    ("view", "sizes"),
    [
        ("NEW_AND_OLD_IMAGES", [26, 59, 38]),
        ("NEW_IMAGE", [26, 38, 5]),
        ("OLD_IMAGE", [5, 26, 38]),
        ("KEYS_ONLY", [5, 5, 5]),
    ],
)
def test_view_type_determines_images_and_size(
    driver: Driver, view: ops.StreamViewType, sizes: list[int]
) -> None:
    request = on_demand(
        attribute_definitions=[ops.AttributeDefinition("Id", "N")],
        key_schema=[ops.KeySchemaElement("Id", "HASH")],
        stream_specification=ops.StreamSpecification(True, view),
    )
    arn = make_streamed(driver, request)
    item: Item = {"Id": number(101)}
    first = item | {"Message": text("New item!")}
    second = item | {"Message": text("This item has changed")}
    put(driver, request.table_name, first, second)
    driver.execute(ops.DeleteItem(request.table_name, item))
    changes = [record.dynamodb for record in records_of(driver, arn)]
    has_new, has_old = view.startswith("NEW"), "OLD" in view
    assert [change.new_image for change in changes] == (
        [first, second, None] if has_new else [None] * 3
    )
    assert [change.old_image for change in changes] == (
        [None, first, second] if has_old else [None] * 3
    )
    assert [change.size_bytes for change in changes] == sizes
    assert {change.stream_view_type for change in changes} == {view}


def test_writes_that_change_nothing_leave_no_record(driver: Driver) -> None:
    table, arn = streamed(driver)
    put(driver, table, A1, A1, A | {"n": number("1.0")})
    driver.execute(ops.UpdateItem(table, A, update_expression="SET n = n"))
    driver.execute(ops.DeleteItem(table, B))
    assert kinds(records_of(driver, arn)) == ["INSERT"]


def test_batches_and_transactions_leave_a_record_of_each_changed_item(driver: Driver) -> None:
    table, arn = streamed(driver)
    put(driver, table, A1)
    writes = [ops.WriteRequest(ops.PutRequest(A2)), ops.WriteRequest(ops.PutRequest(B))]
    driver.execute(ops.BatchWriteItem({table: writes}))
    actions = [
        updating(table, A, "SET x = n"),
        deleting(table, B),
        putting(table, key("c")),
        checking(table, key("d"), "attribute_not_exists(pk)"),
    ]
    driver.execute(ops.TransactWriteItems(actions))
    by_key: dict[str, list[str]] = {}
    for record in records_of(driver, arn):
        by_key.setdefault(record.dynamodb.keys["pk"]["S"], []).append(record.event_name)
    assert by_key == {
        "a": ["INSERT", "MODIFY", "MODIFY"],
        "b": ["INSERT", "REMOVE"],
        "c": ["INSERT"],
    }


def test_expired_items_are_removed_by_the_service(driver: Driver) -> None:
    table, arn = streamed(driver, KEYS)
    driver.execute(ops.UpdateTimeToLive(table, ops.TimeToLiveSpecification(True, "t")))
    put(driver, table, A | {"t": number(1_790_000_000)})
    driver.execute(ops.SweepExpired(table))
    _, removed = records_of(driver, arn)
    assert removed.user_identity == ops.Identity("dynamodb.amazonaws.com", "Service")


# --- Order and iterators


@pytest.mark.parametrize("limit", [None, 1, 3])
def test_changes_of_an_item_are_in_order_and_none_is_repeated(
    driver: Driver, limit: int | None
) -> None:
    request = sorted_table(stream_specification=BOTH)
    arn = make_streamed(driver, request)
    for n in range(4):
        for pk in "abcde":
            put(driver, request.table_name, {"pk": text(pk), "sk": text("x"), "n": number(n)})
    records = records_of(driver, arn, limit)
    seen: dict[str, list[str]] = {}
    for record in records:
        image = record.dynamodb.new_image or {}
        seen.setdefault(image["pk"]["S"], []).append(image["n"]["N"])
    assert seen == {pk: ["0", "1", "2", "3"] for pk in "abcde"}
    numbers = [record.dynamodb.sequence_number for record in records]
    assert len({record.event_id for record in records}) == len(set(numbers)) == 20


def test_iterators_start_at_after_and_behind_a_record(driver: Driver) -> None:
    table, arn = streamed(driver)
    put(driver, table, A1, A2)
    driver.execute(ops.DeleteItem(table, A))
    (shard,) = {
        shard.shard_id
        for shard in shards_of(driver, arn)
        if list(read(driver, iterator(driver, arn, shard.shard_id)))
    }
    middle = list(read(driver, iterator(driver, arn, shard)))[1].dynamodb.sequence_number
    at = read(driver, iterator(driver, arn, shard, "AT_SEQUENCE_NUMBER", middle))
    after = read(driver, iterator(driver, arn, shard, "AFTER_SEQUENCE_NUMBER", middle))
    assert kinds(list(at)) == ["MODIFY", "REMOVE"]
    assert kinds(list(after)) == ["REMOVE"]
    latest = iterator(driver, arn, shard, "LATEST")
    page = driver.execute(ops.GetRecords(latest))
    assert page.records == []
    put(driver, table, A1)
    assert kinds(list(read(driver, page.next_shard_iterator))) == ["INSERT"]


@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_start_of_a_shard_is_before_its_first_record(
    driver: Driver, kind: ops.ShardIteratorType
) -> None:
    table, arn = streamed(driver)
    starts = [
        iterator(driver, arn, shard.shard_id, kind, number)
        for shard in shards_of(driver, arn)
        for number in [shard.sequence_number_range.starting_sequence_number]
    ]
    put(driver, table, A, B)
    found = [record for start in starts for record in read(driver, start)]
    assert kinds(found) == ["INSERT", "INSERT"]


# TrimmedDataAccessException is for numbers of the shard that are older than a day. DynamoDB Local
# rejects the others so; what AWS answers is not documented.
@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_sequence_number_from_before_or_after_a_shard_is_rejected(
    driver: Driver, kind: ops.ShardIteratorType
) -> None:
    table, first = streamed(driver)
    put(driver, table, A1)
    driver.execute(ops.UpdateTable(table, stream_specification=OFF))
    driver.execute(ops.UpdateTable(table, stream_specification=BOTH))
    second = driver.execute(ops.DescribeTable(table)).table.latest_stream_arn
    assert second is not None
    put(driver, table, A2)
    numbers = [records_of(driver, arn)[0].dynamodb.sequence_number for arn in (first, second)]
    for arn, foreign in ((first, numbers[1]), (second, numbers[0])):
        for shard in shards_of(driver, arn):
            with pytest.raises(
                OperationError, match="Invalid SequenceNumber for the shard"
            ) as raised:
                iterator(driver, arn, shard.shard_id, kind, foreign)
            assert raised.value.code == "ValidationException"


def test_sequence_number_of_a_sibling_is_a_position_in_the_shard(driver: Driver) -> None:
    table, arn = streamed(driver)
    put(driver, table, *(key(letter) for letter in "abcdef"))
    numbers = [record.dynamodb.sequence_number for record in records_of(driver, arn)]
    for shard in shards_of(driver, arn):
        own = [
            r.dynamodb.sequence_number for r in read(driver, iterator(driver, arn, shard.shard_id))
        ]
        for after in numbers:
            place = iterator(driver, arn, shard.shard_id, "AFTER_SEQUENCE_NUMBER", after)
            found = [record.dynamodb.sequence_number for record in read(driver, place)]
            assert found == [one for one in own if one > after]


# --- The life of a stream


@pytest.mark.parametrize("view", get_args(ops.StreamViewType))
def test_enabled_stream_is_listed_and_described(driver: Driver, view: ops.StreamViewType) -> None:
    request = on_demand()
    driver.execute(request)
    table = request.table_name
    specification = ops.StreamSpecification(True, view)
    updated = driver.execute(ops.UpdateTable(table, stream_specification=specification))
    arn = updated.table_description.latest_stream_arn
    assert arn is not None
    label = arn.rpartition("/")[2]
    listed = driver.execute(ops.ListStreams(table)).streams
    assert listed == [ops.Stream(arn, table, label)]
    stream = driver.execute(ops.DescribeStream(arn)).stream_description
    assert (stream.stream_status, stream.stream_view_type) == ("ENABLED", view)
    assert (stream.table_name, stream.stream_label) == (table, label)
    assert stream.key_schema == request.key_schema
    ids = [shard.shard_id for shard in stream.shards]
    assert ids == sorted(ids)
    assert all(28 <= len(id_) <= 65 for id_ in ids)
    described = driver.execute(ops.DescribeTable(table)).table
    assert described.latest_stream_arn == arn
    assert described.stream_specification == specification


def test_disabled_stream_is_closed_and_can_still_be_read(driver: Driver) -> None:
    table, first = streamed(driver)
    put(driver, table, A1)
    driver.execute(ops.UpdateTable(table, stream_specification=OFF))
    put(driver, table, A2)
    driver.execute(ops.UpdateTable(table, stream_specification=KEYS))
    driver.execute(ops.DeleteItem(table, A))
    second = driver.execute(ops.DescribeTable(table)).table.latest_stream_arn
    assert second is not None
    arns = [stream.stream_arn for stream in driver.execute(ops.ListStreams(table)).streams]
    assert arns == [first, second]
    assert driver.execute(ops.DescribeStream(first)).stream_description.stream_status == "DISABLED"
    shards = shards_of(driver, first)
    assert all(shard.sequence_number_range.ending_sequence_number for shard in shards)
    ends = [
        driver.execute(ops.GetRecords(iterator(driver, first, shard.shard_id, "LATEST")))
        for shard in shards
    ]
    assert ends == [ops.GetRecordsOutput([])] * len(shards)
    assert kinds(records_of(driver, first)) == ["INSERT"]
    assert kinds(records_of(driver, second)) == ["REMOVE"]


def test_stream_of_a_deleted_table_can_still_be_read(driver: Driver) -> None:
    table, first = streamed(driver)
    put(driver, table, A1)
    driver.execute(ops.DeleteTable(table))
    assert table not in driver.execute(ops.ListTables()).table_names
    assert kinds(records_of(driver, first)) == ["INSERT"]
    second = make_streamed(driver, on_demand(table_name=table, stream_specification=KEYS))
    put(driver, table, B)
    assert first != second
    assert [record.dynamodb.keys for record in records_of(driver, first)] == [A]
    assert [record.dynamodb.keys for record in records_of(driver, second)] == [B]
    assert len(driver.execute(ops.ListStreams(table)).streams) == 2


def test_streams_are_listed_in_pages(driver: Driver) -> None:
    arns = sorted(streamed(driver)[1] for _ in range(3))
    found: list[str] = []
    last = None
    while True:
        page = driver.execute(ops.ListStreams(limit=1, exclusive_start_stream_arn=last))
        found += [stream.stream_arn for stream in page.streams]
        last = page.last_evaluated_stream_arn
        if last is None:
            break
    assert [arn for arn in found if arn in arns] == arns
    assert driver.execute(ops.ListStreams(unused_name())).streams == []


# --- Rejected requests

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/{table}/stream/{label}"
UNKNOWN = ARN.format(table="missing", label="2026-01-01T00:00:00.000")
SHARD = "shardId-00000001414576573621-f55eea83"
INVALID = "One or more parameter values were invalid: "
LENGTH = (
    "1 validation error detected: Value 'x' at '{}' failed to satisfy constraint: "
    "Member must have length greater than or equal to {}"
)
AT, LATEST, TIME = "AT_SEQUENCE_NUMBER", "LATEST", "AT_TIMESTAMP"
NUMBER = "1" + "0" * 20

REJECTED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "short ARN": (ops.DescribeStream, {"stream_arn": "x"}, LENGTH.format("streamArn", 37)),
    "not an ARN": (ops.DescribeStream, {"stream_arn": "x" * 40}, "Invalid StreamArn"),
    "ARN of a table": (
        ops.DescribeStream,
        {"stream_arn": UNKNOWN.partition("/stream")[0] + "-with-a-name"},
        "Invalid StreamArn",
    ),
    "shards": (
        ops.DescribeStream,
        {"limit": 101},
        f"{INVALID}Limit cannot be greater than the maximum: 100",
    ),
    "streams": (
        ops.ListStreams,
        {"limit": 101},
        f"{INVALID}Limit cannot be greater than the maximum allowed size: 100",
    ),
    "ARN of a table as its name": (
        ops.ListStreams,
        {"table_name": "table:x"},
        "1 validation error detected: Value 'table:x' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    "start of a list": (
        ops.ListStreams,
        {"exclusive_start_stream_arn": "x" * 40},
        "Invalid StreamArn",
    ),
    "records": (
        ops.GetRecords,
        {"limit": 1001},
        f"{INVALID}Limit should be less than or equal to 1000",
    ),
    "iterator": (ops.GetRecords, {"shard_iterator": "x" * 40}, "Invalid ShardIterator"),
    "position in iterator": (
        ops.GetRecords,
        {"shard_iterator": f"{UNKNOWN}|1|c2hhcmR8OTk5OTk5OTk5OTk5OTk5OTk5OTl8MQ=="},
        "Invalid ShardIterator",
    ),
    "short shard": (ops.GetShardIterator, {"shard_id": "x"}, LENGTH.format("shardId", 28)),
    "type": (
        ops.GetShardIterator,
        {"shard_iterator_type": "FIRST"},
        "1 validation error detected: Value 'FIRST' at 'shardIteratorType' failed to satisfy "
        "constraint: Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, "
        "AT_TIMESTAMP, AT_SEQUENCE_NUMBER, TRIM_HORIZON]",
    ),
    "number too much": (
        ops.GetShardIterator,
        {"sequence_number": NUMBER},
        f"{INVALID}SequenceNumber should not be passed for this iterator type",
    ),
    "number for a time": (
        ops.GetShardIterator,
        {"shard_iterator_type": TIME, "timestamp": 1, "sequence_number": NUMBER},
        f"{INVALID}SequenceNumber should not be passed for this iterator type",
    ),
    "time too much": (
        ops.GetShardIterator,
        {"timestamp": 1.5},
        f"{INVALID}Timestamp should not be passed for this iterator type",
    ),
    "no time": (
        ops.GetShardIterator,
        {"shard_iterator_type": TIME},
        f"{INVALID}Invalid Timestamp",
    ),
    "time in the future": (
        ops.GetShardIterator,
        {"shard_iterator_type": TIME, "timestamp": 9e9},
        f"{INVALID}Timestamp cannot be in the future",
    ),
    "no number": (
        ops.GetShardIterator,
        {"shard_iterator_type": AT},
        f"{INVALID}Invalid SequenceNumber",
    ),
    "not a number": (
        ops.GetShardIterator,
        {"shard_iterator_type": AT, "sequence_number": "x" * 21},
        f"{INVALID}Invalid SequenceNumber",
    ),
    "unknown number": (
        ops.GetShardIterator,
        {"shard_iterator_type": AT, "sequence_number": "9" * 21},
        "Invalid SequenceNumber for the shard",
    ),
    "unknown shard": (
        ops.GetShardIterator,
        {"shard_id": SHARD},
        "Requested resource not found: Shard does not exist",
    ),
    "unknown stream": (
        ops.DescribeStream,
        {"stream_arn": UNKNOWN},
        f"Requested resource not found: Stream: {UNKNOWN} not found",
    ),
}


@pytest.mark.parametrize("name", REJECTED)
def test_invalid_request_is_rejected(driver: Driver, name: str) -> None:
    _, arn = streamed(driver, KEYS)
    shard = shards_of(driver, arn)[0].shard_id
    operation, parameters, message = REJECTED[name]
    valid: dict[Any, dict[str, str]] = {
        ops.ListStreams: {},
        ops.DescribeStream: {"stream_arn": arn},
        ops.GetShardIterator: {
            "stream_arn": arn,
            "shard_id": shard,
            "shard_iterator_type": LATEST,
        },
        ops.GetRecords: {"shard_iterator": iterator(driver, arn, shard)},
    }
    with pytest.raises(OperationError) as raised:
        driver.execute(operation(**{**valid[operation], **parameters}))
    assert raised.value.message == message
    is_missing = isinstance(raised.value, ResourceNotFound)
    assert raised.value.code == (
        "ResourceNotFoundException" if is_missing else "ValidationException"
    )
    assert is_missing == name.startswith("unknown s")
