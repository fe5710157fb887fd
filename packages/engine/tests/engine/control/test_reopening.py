"""Tables and their states survive reopening the file."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine, Settings
from tests.conformance.table_requests import (
    TEN,
    add_index,
    added,
    local,
    on_demand,
    provisioned,
    sorted_table,
    typed,
    wide,
)
from tests.engine.control.slow_engine import DELAYS, NOON, SlowEngine
from tools.testing.clock import Clock


@contextmanager
def open_engine(path: Path, now: float = NOON) -> Generator[SlowEngine]:
    """Open an engine on a file at a given time."""
    clock = Clock(now)
    with Engine.on_file(path, Settings(clock=clock, delays=DELAYS)) as engine:
        yield SlowEngine(engine, clock)


def test_description_survives_reopening(tmp_path: Path) -> None:
    everything = sorted_table(
        table_name="table",
        attribute_definitions=typed(pk="S", sk="S", l="N", g="B"),
        local_secondary_indexes=[local(projection=ops.Projection("INCLUDE", ["b", "a"]))],
        global_secondary_indexes=[wide(on_demand_throughput=ops.OnDemandThroughput(5))],
        stream_specification=ops.StreamSpecification(
            stream_enabled=True, stream_view_type="NEW_IMAGE"
        ),
        sse_specification=ops.SSESpecification(enabled=True),
        table_class="STANDARD_INFREQUENT_ACCESS",
        deletion_protection_enabled=True,
        tags=[ops.Tag("a", "1")],
    )
    with open_engine(tmp_path / "tables.db") as slow:
        slow(everything)
        slow.wait(10)
        before = slow.table()
        slow(ops.PutItem("table", {"pk": {"S": "1"}, "sk": {"S": "1"}, "l": {"N": "1"}}))
    with open_engine(tmp_path / "tables.db", NOON + 10) as slow:
        assert slow(ops.ListTagsOfResource(before.table_arn)).tags == [ops.Tag("a", "1")]
        after = slow.table()
        assert (after.item_count, after.table_id) == (1, before.table_id)
        assert after.key_schema == before.key_schema
        assert after.stream_specification == before.stream_specification
        assert after.sse_description == before.sse_description
        assert slow(ops.Scan("table", "by-l")).count == 1


def test_state_ends_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with open_engine(path) as slow:
        slow(provisioned(table_name="table"))
    with open_engine(path, NOON + 9) as slow:
        assert slow.table().table_status == "CREATING"
        slow.wait(1)
        slow(ops.UpdateTable("table", provisioned_throughput=TEN))
    with open_engine(path, NOON + 29) as slow:
        assert slow.table().table_status == "UPDATING"
        assert slow.table().provisioned_throughput.read_capacity_units == 5
        slow.wait(1)
        assert slow.table().provisioned_throughput.read_capacity_units == 10
        slow(ops.DeleteTable("table"))
    with open_engine(path, NOON + 59) as slow:
        assert slow(ops.ListTables()).table_names == ["table"]
        slow.wait(1)
        assert slow(ops.ListTables()).table_names == []
        slow(on_demand(table_name="table"))


def test_added_index_survives_reopening(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with open_engine(path) as slow:
        slow(on_demand(table_name="table"))
        slow.wait(10)
        slow(ops.PutItem("table", {"pk": {"S": "1"}, "g": {"S": "x"}}))
        slow(add_index("table", added(), g="S"))
    with open_engine(path, NOON + 100) as slow:
        query = ops.Query(
            "table",
            "by-g",
            key_condition_expression="g = :g",
            expression_attribute_values={":g": {"S": "x"}},
        )
        assert slow(query).count == 1
        assert slow(ops.DescribeTable("table")).table.table_status == "ACTIVE"
