"""Enable, disable, update and describe Kinesis streaming destinations."""

from __future__ import annotations

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import TableNotFound
from dynamodb_engine.operations import Driver
from tests.conformance.errors import validation_error
from tests.conformance.tables import make_table, unused_name

STREAMS = "arn:aws:kinesis:us-east-1:123456789012:stream"
ARN, OTHER = f"{STREAMS}/votes", f"{STREAMS}/counts"
MICROS = ops.EnableKinesisStreamingConfiguration("MICROSECOND")
TO_MICROS = ops.UpdateKinesisStreamingConfiguration("MICROSECOND")
STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "
ENABLED = (
    f"{STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform "
    "ENABLE operation."
)
NOT_ACTIVE = f"{STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
NOTHING_TO_UPDATE = (
    "Streaming destination cannot be updated with given parameters: "
    "UpdateKinesisStreamingConfiguration cannot be null or contain only null values"
)


def destinations(driver: Driver, table: str) -> list[ops.KinesisDataStreamDestination]:
    """Return the destinations of a table."""
    output = driver.execute(ops.DescribeKinesisStreamingDestination(table))
    assert output.table_name == table
    return output.kinesis_data_stream_destinations


# As recorded from AWS: the configuration is always in the response, and there is no precision in
# the description until it has been set.
def test_destination_is_enabled_updated_disabled_and_enabled_again(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert destinations(driver, table) == []
    enable = ops.EnableKinesisStreamingDestination(table, ARN)
    assert driver.execute(enable) == ops.KinesisStreamingDestinationOutput(
        table, ARN, "ENABLING", ops.EnableKinesisStreamingConfiguration()
    )
    active = [ops.KinesisDataStreamDestination(ARN, "ACTIVE")]
    assert destinations(driver, table) == active
    update = ops.UpdateKinesisStreamingDestination(table, ARN, TO_MICROS)
    assert driver.execute(update) == ops.UpdateKinesisStreamingDestinationOutput(
        table, ARN, "UPDATING", TO_MICROS
    )
    (updated,) = destinations(driver, table)
    assert updated.approximate_creation_date_time_precision == "MICROSECOND"
    disable = ops.DisableKinesisStreamingDestination(table, ARN)
    assert driver.execute(disable) == ops.KinesisStreamingDestinationOutput(table, ARN, "DISABLING")
    assert [d.destination_status for d in destinations(driver, table)] == ["DISABLED"]
    driver.execute(enable)
    assert destinations(driver, table) == active


# AWS's manual suggests two; a second one is rejected like a duplicate.
@pytest.mark.parametrize("arn", [ARN, OTHER, "not-an-arn"])
def test_table_has_one_enabled_destination(driver: Driver, arn: str) -> None:
    table = make_table(driver, pk="S")
    driver.execute(ops.EnableKinesisStreamingDestination(table, ARN, MICROS))
    enable = ops.EnableKinesisStreamingDestination(table, arn)
    assert validation_error(driver, enable) == ENABLED
    driver.execute(ops.DisableKinesisStreamingDestination(table, ARN))
    driver.execute(ops.EnableKinesisStreamingDestination(table, OTHER))
    assert [d.stream_arn for d in destinations(driver, table)] == [OTHER, ARN]


# AWS accepts the request, and the description has the reason. A failed destination can be enabled
# again or replaced, but neither updated nor disabled.
@pytest.mark.parametrize(
    ("arn", "reason"),
    [
        ("not-an-arn", "User does not have a permission"),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/votes", "User does not have a permission"),
        (f"{ARN}/consumer/reader:1", "User does not have a permission"),
        (f"{STREAMS}/../../votes", "User does not have a permission"),
        (ARN.replace("east", "west"), "belongs to a stream which is not in the current region"),
        (ARN.replace("123", "321"), "belongs to a stream which is not in Active state"),
    ],
)
def test_stream_that_cannot_be_used_fails_later(driver: Driver, arn: str, reason: str) -> None:
    table = make_table(driver, pk="S")
    for _ in range(2):
        enabled = driver.execute(ops.EnableKinesisStreamingDestination(table, arn))
        assert enabled.destination_status == "ENABLING"
    (failed,) = destinations(driver, table)
    assert failed.destination_status == "ENABLE_FAILED"
    assert reason in (failed.destination_status_description or "")
    disable = ops.DisableKinesisStreamingDestination(table, arn)
    assert validation_error(driver, disable) == NOT_ACTIVE
    update = ops.UpdateKinesisStreamingDestination(table, arn, TO_MICROS)
    assert validation_error(driver, update) == (
        f"{STATE}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE "
        f"state. TableName: {table}, kdsArn: {arn}"
    )
    driver.execute(ops.EnableKinesisStreamingDestination(table, ARN))
    statuses = [d.destination_status for d in destinations(driver, table)]
    assert statuses == ["ACTIVE", "ENABLE_FAILED"]


def test_rejected_changes_of_a_destination(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    driver.execute(ops.EnableKinesisStreamingDestination(table, ARN))
    disable, update = ops.DisableKinesisStreamingDestination, ops.UpdateKinesisStreamingDestination
    same, empty = (ops.UpdateKinesisStreamingConfiguration(p) for p in ("MILLISECOND", None))
    table_id = driver.execute(ops.DescribeTable(table)).table.table_id
    for operation, message in (
        (disable(table, OTHER), NOT_ACTIVE),
        (disable(table, "not-an-arn"), NOT_ACTIVE),
        (
            disable(table, ARN, MICROS),
            "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters",
        ),
        (update(table, ARN), NOTHING_TO_UPDATE),
        (update(table, ARN, empty), NOTHING_TO_UPDATE),
        (
            update(table, ARN, same),
            "Invalid Request: Precision is already set to the desired value of MILLISECOND for "
            f"tableId: {table_id}, kdsArn: {ARN}",
        ),
        (
            update(table, OTHER, TO_MICROS),
            f"{STATE}No streaming destination with streamArn: {OTHER} found for table with "
            f"tableName: {table}",
        ),
    ):
        assert validation_error(driver, operation) == message
    assert destinations(driver, table) == [ops.KinesisDataStreamDestination(ARN, "ACTIVE")]


def test_failed_destinations_are_listed_up_to_a_limit(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    for number in range(22):
        driver.execute(ops.EnableKinesisStreamingDestination(table, f"bad-{number}"))
    listed = [destination.stream_arn for destination in destinations(driver, table)]
    assert listed == [f"bad-{number}" for number in reversed(range(2, 22))]


def test_missing_table_error_names_the_table(driver: Driver) -> None:
    name = unused_name()
    for operation in (
        ops.EnableKinesisStreamingDestination(name, ARN),
        ops.DisableKinesisStreamingDestination(name, ARN),
        ops.UpdateKinesisStreamingDestination(name, ARN, TO_MICROS),
        ops.DescribeKinesisStreamingDestination(name),
    ):
        with pytest.raises(TableNotFound) as raised:
            driver.execute(operation)
        assert raised.value.message == f"Requested resource not found: Table: {name} not found"
