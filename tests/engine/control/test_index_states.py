"""An index takes time to come and to go, and one at a time."""

from __future__ import annotations

import pytest

from singletable.engine import Delays
from singletable.errors import LimitExceeded, ValidationError
from singletable.operations import (
    DeleteGlobalSecondaryIndexAction,
    DeleteTable,
    OnDemandThroughput,
    PutItem,
    Scan,
    StreamSpecification,
    UpdateGlobalSecondaryIndexAction,
    UpdateTable,
)
from singletable.operations import GlobalSecondaryIndexUpdate as IndexUpdate
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
from tests.engine.control.clock import Slow, slow_engine

ADD = add_index("table", added(provisioned_throughput=FIVE), g="S")
ADD_ANOTHER = add_index("table", added("by-h", provisioned_throughput=FIVE), g="S")
REMOVE = UpdateTable(
    "table",
    global_secondary_index_updates=[IndexUpdate(delete=DeleteGlobalSecondaryIndexAction("by-g"))],
)
RATE = UpdateTable(
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


def made(slow: Slow, *, index: bool = False) -> None:
    """Make the table, of five units, with an index of five or without."""
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


def one_at_a_time(slow: Slow, operation: UpdateTable) -> None:
    """Assert that the operation is refused because another index comes or goes."""
    with pytest.raises(LimitExceeded) as refused:
        slow(operation)
    assert refused.value.message == (
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
        "per table"
    )


# First room is made for it, and the table is busy; then it is filled, and the table is not.
def test_an_index_is_allocated_then_filled_then_active(slow: Slow) -> None:
    made(slow)
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


# It is kept up to date from the first moment, but nobody may look into it before it is whole.
def test_an_index_is_read_only_once_it_is_active(slow: Slow) -> None:
    made(slow)
    slow(PutItem("table", {"pk": {"S": "1"}, "g": {"S": "x"}}))
    slow(ADD)
    slow(PutItem("table", {"pk": {"S": "2"}, "g": {"S": "x"}}))
    slow.wait(59)
    with pytest.raises(ValidationError):
        slow(Scan("table", "by-g"))
    slow.wait(1)
    assert slow(Scan("table", "by-g")).count == 2


def test_an_index_goes_in_its_time(slow: Slow) -> None:
    made(slow, index=True)
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


# Once an index is on its way out, its key is an attribute like any other.
def test_items_are_free_of_an_index_that_goes(slow: Slow) -> None:
    made(slow, index=True)
    slow(REMOVE)
    slow(PutItem("table", {"pk": {"S": "1"}, "g": {"N": "1"}}))
    assert slow(Scan("table")).count == 1


def test_the_name_of_an_index_is_free_once_it_is_gone(slow: Slow) -> None:
    made(slow, index=True)
    slow(REMOVE)
    one_at_a_time(slow, ADD)
    slow.wait(50)
    slow(ADD)
    slow.wait(60)
    assert [index.index_status for index in slow.indexes()] == ["ACTIVE"]


def test_other_indexes_wait_for_one_that_comes(slow: Slow) -> None:
    made(slow)
    slow(ADD)
    for seconds in (19, 1, 39):
        slow.wait(seconds)
        one_at_a_time(slow, ADD_ANOTHER)
        assert slow.in_use(DeleteTable("table")) == BUSY
        assert slow.in_use(IOPS) == (
            "Can't change table IOPS when an index is being created. Table: table Indexes: [by-g]"
        )
    slow.wait(1)
    slow(ADD_ANOTHER)


# An index can be given up while it is filled, not while room is made for it.
def test_an_index_is_given_up_while_it_is_filled(slow: Slow) -> None:
    made(slow)
    slow(ADD)
    where = "Table: table Index: by-g"
    assert slow.in_use(REMOVE) == (
        "Index creation is in resource allocation phase. Retry deletion during backfilling phase "
        f"or when the index is active. {where}"
    )
    assert slow.in_use(RATE) == f"Index is being created but is not backfilling yet. {where}"
    slow.wait(20)
    slow(RATE)
    slow(REMOVE)
    assert [index.index_status for index in slow.indexes()] == ["DELETING"]
    slow.wait(50)
    assert slow.indexes() == []


def test_changes_wait_for_an_index_that_goes(slow: Slow) -> None:
    made(slow, index=True)
    slow(REMOVE)
    slow.wait(49)
    where = "Table: table Index: by-g"
    assert slow.in_use(RATE) == f"Index is being deleted. {where}"
    assert slow.in_use(REMOVE) == f"Index is being deleted. {where}"
    assert slow.in_use(DeleteTable("table")) == BUSY
    assert slow.in_use(IOPS) == (
        "Can't change table IOPS when an index is being deleted. Table: table Indexes: [by-g]"
    )


def test_limits_wait_for_an_index_that_goes(slow: Slow) -> None:
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
    assert slow.in_use(limits) == (
        "OnDemandThroughput cannot be updated while index deletion is in progress for indexes: "
        "[by-g]"
    )


def test_an_index_changes_in_its_time(slow: Slow) -> None:
    made(slow, index=True)
    slow(RATE)
    slow.wait(19)
    (index,) = slow.indexes()
    assert (slow.table().table_status, index.index_status) == ("ACTIVE", "UPDATING")
    assert index.provisioned_throughput.read_capacity_units == 5
    assert slow.in_use(RATE) == "Index is being updated. Table: table Index: by-g"
    assert slow.in_use(DeleteTable("table")) == BUSY
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
    slow: Slow, first: UpdateTable, message: str
) -> None:
    made(slow)
    slow(first)
    assert slow.in_use(ADD) == message
    slow.wait(20)
    slow(ADD)


# Without a delay for allocation an index is filled from the first look on.
def test_only_filling_may_take_time() -> None:
    with slow_engine(Delays(create_index=5)) as slow:
        made(slow)
        slow(ADD)
        (index,) = slow.indexes()
        assert (slow.table().table_status, index.backfilling) == ("ACTIVE", True)
        slow.wait(5)
        (index,) = slow.indexes()
        assert (index.index_status, index.backfilling) == ("ACTIVE", None)
