"""States last as long as the settings say, and end without a background task."""

from __future__ import annotations

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import (
    ContinuousBackupsUnavailable,
    ResourceNotFound,
    TableNotFound,
    ValidationError,
)
from dynamodb_engine.values import AttributeValue
from tests.conformance.table_requests import TEN, on_demand, provisioned, typed, wide
from tests.engine.control.slow_engine import NOON, SlowEngine

NAMED = {"table_name": "table"}
STREAM = ops.StreamSpecification(stream_enabled=True, stream_view_type="KEYS_ONLY")
ITEM = ops.PutItem("table", {"pk": {"S": "ada"}})


def create_table(slow: SlowEngine, **changes: object) -> None:
    slow(on_demand(**NAMED, **changes))
    slow.wait(10)


def test_creating_a_table_takes_time(slow: SlowEngine) -> None:
    definitions = typed(pk="S", g="S")
    slow(on_demand(**NAMED, attribute_definitions=definitions, global_secondary_indexes=[wide()]))
    for _ in range(2):
        assert slow.table().table_status == "CREATING"
        assert [index.index_status for index in slow.indexes()] == ["CREATING"]
        assert slow(ops.ListTables()).table_names == ["table"]
        slow.wait(5)
    assert slow.table().table_status == "ACTIVE"
    assert [index.index_status for index in slow.indexes()] == ["ACTIVE"]


def test_table_being_created_can_only_be_described(slow: SlowEngine) -> None:
    arn = slow(on_demand(**NAMED)).table_description.table_arn
    being_created = "Table is being created: table"
    assert slow.conflict_message(on_demand(**NAMED)) == being_created
    assert slow.conflict_message(ops.DeleteTable("table")) == being_created
    assert (
        slow.conflict_message(ops.UpdateTable("table", deletion_protection_enabled=True))
        == being_created
    )
    assert slow.conflict_message(ops.TagResource(arn, [ops.Tag("a", "1")])) == being_created
    assert slow.conflict_message(ops.UntagResource(arn, ["a"])) == being_created
    ttl = ops.UpdateTimeToLive("table", ops.TimeToLiveSpecification(True, "ttl"))
    assert slow.conflict_message(ttl) == "Table table is being created"
    with pytest.raises(ValidationError) as error:
        slow(ops.DescribeTimeToLive("table"))
    assert error.value.message == (
        "Cannot describe time to live while table is in CREATING state: "
        "Current table state is CREATING"
    )
    for operation in (ITEM, ops.GetItem("table", {"pk": {"S": "ada"}}), ops.Scan("table")):
        with pytest.raises(ResourceNotFound):
            slow(operation)


# Backups are enabled later than the table; a client must wait for them too.
def test_table_being_created_has_no_backups(slow: SlowEngine) -> None:
    slow(on_demand(**NAMED))
    update = ops.UpdateContinuousBackups("table", ops.PointInTimeRecoverySpecification(False))
    described = slow(ops.DescribeContinuousBackups("table")).continuous_backups_description
    assert described.continuous_backups_status == "DISABLED"
    with pytest.raises(ContinuousBackupsUnavailable) as error:
        slow(update)
    assert error.value.message == (
        "Backups are being enabled for the table: table. Please retry later"
    )
    slow.wait(10)
    assert slow(update).continuous_backups_description == described


def test_deleting_a_table_takes_time(slow: SlowEngine) -> None:
    definitions = typed(pk="S", g="S")
    create_table(slow, attribute_definitions=definitions, global_secondary_indexes=[wide()])
    slow(ITEM)
    arn = slow(ops.DeleteTable("table")).table_description.table_arn
    slow.wait(29)
    table = slow.table()
    assert (table.table_status, table.item_count) == ("DELETING", 0)
    assert table.global_secondary_indexes is None
    assert slow(ops.ListTables()).table_names == ["table"]
    assert slow.conflict_message(on_demand(**NAMED)) == "Table already exists: table"
    assert slow.conflict_message(ops.DeleteTable("table")) == "Table is being deleted: table"
    assert slow.conflict_message(ops.UpdateTable("table", billing_mode="PAY_PER_REQUEST")) == (
        "Table is being deleted: table"
    )
    with pytest.raises(ValidationError, match="DELETING"):
        slow(ops.DescribeTimeToLive("table"))
    with pytest.raises(ResourceNotFound):
        slow(ITEM)
    slow.wait(1)
    assert slow(ops.ListTables()).table_names == []
    for operation in (
        ops.DeleteTable("table"),
        ops.UpdateTable("table", billing_mode="PAY_PER_REQUEST"),
    ):
        with pytest.raises(TableNotFound):
            slow(operation)
    with pytest.raises(ResourceNotFound):
        slow(ops.ListTagsOfResource(arn))


def test_table_name_can_be_reused_after_deletion(slow: SlowEngine) -> None:
    create_table(slow)
    slow(ITEM)
    slow(ops.DeleteTable("table"))
    slow.wait(30)
    create_table(slow)
    assert slow.table().table_status == "ACTIVE"
    assert slow(ops.Scan("table")).count == 0


def test_changing_throughput_takes_time(slow: SlowEngine) -> None:
    slow(provisioned(**NAMED))
    slow.wait(10)
    slow(ops.UpdateTable("table", provisioned_throughput=TEN))
    slow.wait(19)
    table = slow.table()
    assert table.table_status == "UPDATING"
    assert table.provisioned_throughput.read_capacity_units == 5
    assert table.provisioned_throughput.last_increase_date_time == NOON + 10
    slow.wait(1)
    assert slow.table().table_status == "ACTIVE"
    assert slow.table().provisioned_throughput.read_capacity_units == 10


# The count of decreases is reset at midnight UTC.
def test_decreases_are_counted_per_day(slow: SlowEngine) -> None:
    slow(provisioned(**NAMED, provisioned_throughput=TEN))
    slow.wait(10)
    counts: list[int] = []
    for units in (9, 8, 7):
        smaller = type(TEN)(units, units)
        slow(ops.UpdateTable("table", provisioned_throughput=smaller))
        counts.append(slow.table().provisioned_throughput.number_of_decreases_today)
        slow.wait(20)
        counts.append(slow.table().provisioned_throughput.number_of_decreases_today)
        if units == 8:
            slow.wait(12 * 60 * 60)
            counts.append(slow.table().provisioned_throughput.number_of_decreases_today)
    assert counts == [0, 1, 1, 2, 0, 0, 1]


def test_changing_ttl_takes_time(slow: SlowEngine) -> None:
    create_table(slow)
    slow(ops.UpdateTimeToLive("table", ops.TimeToLiveSpecification(True, "ttl")))
    assert slow.time_to_live() == "ENABLING"
    slow.wait(60)
    assert slow.time_to_live() == "ENABLED"
    slow(ops.UpdateTimeToLive("table", ops.TimeToLiveSpecification(False, "ttl")))
    description = slow(ops.DescribeTimeToLive("table")).time_to_live_description
    assert description.time_to_live_status == "DISABLING"
    assert description.attribute_name == "ttl"
    slow.wait(60)
    assert slow.time_to_live() == "DISABLED"


def test_changing_a_kinesis_destination_takes_time(slow: SlowEngine) -> None:
    target = ("table", "arn:aws:kinesis:us-east-1:123456789012:stream/votes")
    describe = ops.DescribeKinesisStreamingDestination("table")
    enable = ops.EnableKinesisStreamingDestination(*target)
    disable = ops.DisableKinesisStreamingDestination(*target)
    precision = ops.UpdateKinesisStreamingConfiguration("MICROSECOND")
    update = ops.UpdateKinesisStreamingDestination(*target, precision)
    slow(on_demand(**NAMED))
    for operation in (describe, enable, disable, update):
        with pytest.raises(TableNotFound):
            slow(operation)
    slow.wait(10)
    for change, status, settled in (
        (enable, "ENABLING", "ACTIVE"),
        (update, "UPDATING", "ACTIVE"),
        (disable, "DISABLING", "DISABLED"),
        (enable, "ENABLING", "ACTIVE"),
    ):
        slow(change)
        assert _destination(slow) == status
        for other in (enable, update):
            with pytest.raises(ValidationError, match="not in a valid state to enable Kinesis"):
                slow(other)
        if status == "DISABLING":
            assert slow(disable).destination_status == status
        else:
            with pytest.raises(ValidationError, match="must be ACTIVE"):
                slow(disable)
        slow.wait(70)
        assert _destination(slow) == settled
    slow(ops.DeleteTable("table"))
    assert _destination(slow) == "UPDATING"
    with pytest.raises(ValidationError, match="must be ACTIVE"):
        slow(disable)


def _destination(slow: SlowEngine) -> str:
    output = slow(ops.DescribeKinesisStreamingDestination("table"))
    (destination,) = output.kinesis_data_stream_destinations
    return destination.destination_status


# More items than one batch of the backfill has.
def test_expiry_is_backfilled_for_every_item(slow: SlowEngine) -> None:
    create_table(slow)
    past: AttributeValue = {"N": str(int(NOON) - 1)}
    for number in range(2100):
        slow(ops.PutItem("table", {"pk": {"S": str(number)}, "ttl": past}))
    slow(ops.UpdateTimeToLive("table", ops.TimeToLiveSpecification(True, "ttl")))
    slow.wait(60)
    assert [slow(ops.SweepExpired("table")).removed for _ in range(4)] == [1000, 1000, 100, 0]


IOPS = ops.UpdateTable("table", provisioned_throughput=TEN)
ON_DEMAND = ops.UpdateTable("table", billing_mode="PAY_PER_REQUEST")
LIMITS = ops.UpdateTable("table", on_demand_throughput=ops.OnDemandThroughput(5, 5))
ENABLE = ops.UpdateTable("table", stream_specification=STREAM)
CLASS = ops.UpdateTable("table", table_class="STANDARD_INFREQUENT_ACCESS")
SSE = ops.UpdateTable("table", sse_specification=ops.SSESpecification(enabled=True))
PROTECT = ops.UpdateTable("table", deletion_protection_enabled=True)
REMOVE = ops.DeleteTable("table")

NOT_ACTIVE = "Table needs to be in ACTIVE status to modify deletion protection setting."
STREAM_NAMES = "Table: table Stream: 2027-01-15T12:00:10.000 Operation: ENABLE"
CONFLICTS = [
    (IOPS, IOPS, "Table IOPS are currently being updated. Table: table"),
    (ON_DEMAND, IOPS, "Table IOPS are currently being updated. Table: table"),
    (IOPS, CLASS, "Table IOPS are currently being updated. Table: table"),
    (
        ON_DEMAND,
        LIMITS,
        "OnDemandThroughput cannot be updated while BillingMode update is in progress",
    ),
    (
        IOPS,
        ENABLE,
        "Can't enable or disable stream while table IOPS are being updated. Table: table",
    ),
    (IOPS, PROTECT, NOT_ACTIVE),
    (IOPS, REMOVE, "Table: table is in the process of being updated."),
    (ENABLE, ENABLE, f"A stream status change is currently in progress. {STREAM_NAMES}"),
    (
        ENABLE,
        IOPS,
        f"Can't change table IOPS when stream status is being updated. {STREAM_NAMES}",
    ),
    (ENABLE, REMOVE, "Cannot delete table while stream is being enabled/disabled."),
    (
        CLASS,
        CLASS,
        "Can't update table class when a table class update is in progress. Table: table "
        "TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS",
    ),
    (CLASS, REMOVE, "Table: table is in the process of being updated."),
    (SSE, SSE, "Server-Side Encryption is still being updated"),
]


# While a change is pending, AWS rejects most others, and says which change is pending.
@pytest.mark.parametrize(("first", "second", "message"), CONFLICTS, ids=[m for *_, m in CONFLICTS])
def test_change_waits_for_another(
    slow: SlowEngine,
    first: ops.UpdateTable,
    second: ops.UpdateTable | ops.DeleteTable,
    message: str,
) -> None:
    slow(provisioned(**NAMED))
    slow.wait(10)
    slow(first)
    slow.wait(19)
    assert slow.conflict_message(second) == message
    slow.wait(1)
    assert slow.table().table_status == "ACTIVE"


# Deletion protection and on-demand limits change at once.
def test_immediate_changes_leave_the_table_active(slow: SlowEngine) -> None:
    create_table(slow)
    for request in (PROTECT, LIMITS):
        assert slow(request).table_description.table_status == "ACTIVE"
        assert slow.table().table_status == "ACTIVE"
