"""Creating, updating and deleting an index takes time, one index at a time."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine import Delays
from dynamodb_engine.errors import LimitExceeded, ValidationError
from dynamodb_engine.operations import (
    DeleteGlobalSecondaryIndexAction,
    DeleteTable,
    OnDemandThroughput,
    PutItem,
    Scan,
    StreamSpecification,
    UpdateGlobalSecondaryIndexAction,
    UpdateTable,
)
from dynamodb_engine.operations import GlobalSecondaryIndexUpdate as IndexUpdate
from tests.conformance.table_requests import (
    FIVE,
    TEN,
    add_index,
    added,
    on_demand,
    provisioned,
    typed,
    wide,
)
from tests.engine.control.slow_engine import SlowEngine, slow_engine

ADD = add_index("table", added(provisioned_throughput=FIVE), g="S")
ADD_ANOTHER = add_index("table", added("by-h", provisioned_throughput=FIVE), g="S")
REMOVE = UpdateTable(
    "table",
    global_secondary_index_updates=[IndexUpdate(delete=DeleteGlobalSecondaryIndexAction("by-g"))],
)
UPDATE_INDEX = UpdateTable(
    "table",
    global_secondary_index_updates=[
        IndexUpdate(update=UpdateGlobalSecondaryIndexAction("by-g", TEN))
    ],
)
IOPS = UpdateTable("table", provisioned_throughput=TEN)
ENABLE = UpdateTable(
    "table",
    stream_specification=StreamSpecification(stream_enabled=True, stream_view_type="KEYS_ONLY"),
)
CLASS = UpdateTable("table", table_class="STANDARD_INFREQUENT_ACCESS")
BUSY = "Cannot delete table while indexes are being created, updated, or deleted."


def create_table(slow: SlowEngine, *, index: bool = False) -> None:
    """Create the table with five units, optionally with an index of five."""
    indexes = [wide(provisioned_throughput=FIVE)] if index else None
    definitions = typed(pk="S", g="S") if index else typed(pk="S")
    slow(
        provisioned(
            table_name="table",
            attribute_definitions=definitions,
            global_secondary_indexes=indexes,
        )
    )
    slow.wait(10)


def check_one_at_a_time(slow: SlowEngine, operation: UpdateTable) -> None:
    """Check that the operation must wait for another index."""
    with pytest.raises(LimitExceeded) as error:
        slow(operation)
    assert error.value.message == (
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
        "per table"
    )


# While resources are allocated the table is UPDATING; while the index is backfilled it is ACTIVE.
def test_index_is_allocated_then_backfilled_then_active(slow: SlowEngine) -> None:
    create_table(slow)
    slow(PutItem("table", {"pk": {"S": "1"}, "g": {"S": "x"}}))
    slow(ADD)
    states: list[tuple[str, str, bool | None, int]] = []
    for seconds in (19, 1, 39, 1):
        slow.wait(seconds)
        (index,) = slow.indexes()
        states.append(
            (slow.table().table_status, index.index_status, index.backfilling, index.item_count)
        )
    assert states == [
        ("UPDATING", "CREATING", False, 0),
        ("ACTIVE", "CREATING", True, 0),
        ("ACTIVE", "CREATING", True, 0),
        ("ACTIVE", "ACTIVE", None, 1),
    ]


# The index is maintained from the start, but cannot be read before it is complete.
def test_index_can_be_read_when_it_is_active(slow: SlowEngine) -> None:
    create_table(slow)
    slow(PutItem("table", {"pk": {"S": "1"}, "g": {"S": "x"}}))
    slow(ADD)
    slow(PutItem("table", {"pk": {"S": "2"}, "g": {"S": "x"}}))
    slow.wait(59)
    with pytest.raises(ValidationError):
        slow(Scan("table", "by-g"))
    slow.wait(1)
    assert slow(Scan("table", "by-g")).count == 2


def test_deleting_an_index_takes_time(slow: SlowEngine) -> None:
    create_table(slow, index=True)
    slow(REMOVE)
    slow.wait(49)
    table = slow.table()
    assert table.table_status == "UPDATING"
    assert [index.index_status for index in slow.indexes()] == ["DELETING"]
    assert table.attribute_definitions == typed(g="S", pk="S")
    with pytest.raises(ValidationError):
        slow(Scan("table", "by-g"))
    slow.wait(1)
    table = slow.table()
    assert table.table_status == "ACTIVE"
    assert slow.indexes() == []
    assert table.attribute_definitions == typed(pk="S")


# The key of an index being deleted is an attribute like any other.
def test_index_being_deleted_does_not_restrict_items(slow: SlowEngine) -> None:
    create_table(slow, index=True)
    slow(REMOVE)
    slow(PutItem("table", {"pk": {"S": "1"}, "g": {"N": "1"}}))
    assert slow(Scan("table")).count == 1


def test_index_name_can_be_reused_after_deletion(slow: SlowEngine) -> None:
    create_table(slow, index=True)
    slow(REMOVE)
    check_one_at_a_time(slow, ADD)
    slow.wait(50)
    slow(ADD)
    slow.wait(60)
    assert [index.index_status for index in slow.indexes()] == ["ACTIVE"]


def test_other_indexes_wait_for_one_being_created(slow: SlowEngine) -> None:
    create_table(slow)
    slow(ADD)
    for seconds in (19, 1, 39):
        slow.wait(seconds)
        check_one_at_a_time(slow, ADD_ANOTHER)
        assert slow.conflict_message(DeleteTable("table")) == BUSY
        assert slow.conflict_message(IOPS) == (
            "Can't change table IOPS when an index is being created. Table: table Indexes: [by-g]"
        )
    slow.wait(1)
    slow(ADD_ANOTHER)


# An index can be deleted while it is backfilled, but not while resources are allocated.
def test_index_can_be_deleted_while_it_is_backfilled(slow: SlowEngine) -> None:
    create_table(slow)
    slow(ADD)
    names = "Table: table Index: by-g"
    assert slow.conflict_message(REMOVE) == (
        "Index creation is in resource allocation phase. Retry deletion during backfilling phase "
        f"or when the index is active. {names}"
    )
    assert (
        slow.conflict_message(UPDATE_INDEX)
        == f"Index is being created but is not backfilling yet. {names}"
    )
    slow.wait(20)
    slow(UPDATE_INDEX)
    slow(REMOVE)
    assert [index.index_status for index in slow.indexes()] == ["DELETING"]
    slow.wait(50)
    assert slow.indexes() == []


def test_changes_wait_for_an_index_being_deleted(slow: SlowEngine) -> None:
    create_table(slow, index=True)
    slow(REMOVE)
    slow.wait(49)
    names = "Table: table Index: by-g"
    assert slow.conflict_message(UPDATE_INDEX) == f"Index is being deleted. {names}"
    assert slow.conflict_message(REMOVE) == f"Index is being deleted. {names}"
    assert slow.conflict_message(DeleteTable("table")) == BUSY
    assert slow.conflict_message(IOPS) == (
        "Can't change table IOPS when an index is being deleted. Table: table Indexes: [by-g]"
    )


def test_limits_wait_for_an_index_being_deleted(slow: SlowEngine) -> None:
    definitions = typed(pk="S", g="S")
    slow(
        on_demand(
            table_name="table",
            attribute_definitions=definitions,
            global_secondary_indexes=[wide()],
        )
    )
    slow.wait(10)
    slow(REMOVE)
    limits = UpdateTable("table", on_demand_throughput=OnDemandThroughput(5))
    assert slow.conflict_message(limits) == (
        "OnDemandThroughput cannot be updated while index deletion is in progress for indexes: "
        "[by-g]"
    )


def test_updating_an_index_takes_time(slow: SlowEngine) -> None:
    create_table(slow, index=True)
    slow(UPDATE_INDEX)
    slow.wait(19)
    (index,) = slow.indexes()
    assert (slow.table().table_status, index.index_status) == ("ACTIVE", "UPDATING")
    assert index.provisioned_throughput.read_capacity_units == 5
    assert slow.conflict_message(UPDATE_INDEX) == "Index is being updated. Table: table Index: by-g"
    assert slow.conflict_message(DeleteTable("table")) == BUSY
    slow.wait(1)
    (index,) = slow.indexes()
    assert index.index_status == "ACTIVE"
    assert index.provisioned_throughput.read_capacity_units == 10


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (
            IOPS,
            "Can't create or delete indexes while table IOPS are being updated. Table: table",
        ),
        (ENABLE, "Can't create or delete an index when stream status is being updated."),
        (CLASS, "Can't create or delete an index when a table class update is in progress."),
    ],
    ids=["units", "stream", "class"],
)
def test_indexes_wait_for_a_change_of_the_table(
    slow: SlowEngine, first: UpdateTable, message: str
) -> None:
    create_table(slow)
    slow(first)
    assert slow.conflict_message(ADD) == message
    slow.wait(20)
    slow(ADD)


# Without a delay for allocation, backfilling starts at once.
def test_backfilling_alone_may_take_time() -> None:
    with slow_engine(Delays(create_index=5)) as slow:
        create_table(slow)
        slow(ADD)
        (index,) = slow.indexes()
        assert (slow.table().table_status, index.backfilling) == ("ACTIVE", True)
        slow.wait(5)
        (index,) = slow.indexes()
        assert (index.index_status, index.backfilling) == ("ACTIVE", None)
