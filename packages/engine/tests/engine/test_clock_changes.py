"""A clock that is set back or forward: nothing acknowledged is hidden, lost or undone.

A stored time may be compared with the clock only where a clock that is set back does no harm, but
keeps something longer: a change in the feed, an idempotency token, an item with TTL. States follow
from time that never goes backward.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamodb_engine import Delays, Engine, Retention, Settings
from dynamodb_engine import operations as ops
from dynamodb_engine.errors import TableNotFound
from tests.conformance.requests import number
from tests.conformance.table_requests import add_index, added, on_demand
from tests.engine.control.slow_engine import DELAYS
from tools.testing.clock import NOON, Clock

HOUR = 60 * 60
YEAR = 365 * 24 * HOUR
# Times that the clock shows, one after another; it may or may not be right again at the end.
JUMPS: dict[str, list[float]] = {
    "back an hour": [NOON - HOUR],
    "back ten years": [NOON - 10 * YEAR],
    "to 1970": [0.0],
    "before 1970": [-YEAR],
    "forward 50 years and back": [NOON + 50 * YEAR, NOON],
    "back and forth": [NOON - YEAR, NOON + YEAR, 0.0, NOON],
}
COUNT_UP = ops.TransactWriteItems(
    [
        ops.TransactWriteItem(
            update=ops.Update(
                "table",
                {"pk": {"S": "a"}},
                "ADD hits :one",
                expression_attribute_values={":one": {"N": "1"}},
            )
        )
    ],
    client_request_token="token",
)
BY_G = ops.Query(
    "table",
    "by-g",
    key_condition_expression="g = :g",
    expression_attribute_values={":g": {"S": "x"}},
)
LASTING = Retention(seconds=100 * YEAR)  # one that a jump of the clock does not exceed


def fill(engine: Engine, clock: Clock) -> None:
    """Make every kind of change, and wait until it is complete."""
    for name in ("table", "dropped"):
        engine.execute(on_demand(table_name=name))
    clock.now += 100
    engine.execute(ops.PutItem("table", {"pk": {"S": "a"}, "g": {"S": "x"}}))
    expires = number(int(NOON + HOUR))
    engine.execute(ops.PutItem("table", {"pk": {"S": "b"}, "g": {"S": "x"}, "expires": expires}))
    engine.execute(add_index("table", added(), g="S"))
    engine.execute(ops.UpdateTimeToLive("table", ops.TimeToLiveSpecification(True, "expires")))
    engine.execute(ops.DeleteTable("dropped"))
    clock.now += 100
    engine.execute(COUNT_UP)


def check(engine: Engine) -> None:
    """Check that all of it is there, in its final state."""
    assert engine.execute(ops.ListTables()).table_names == ["table"]
    described = engine.execute(ops.DescribeTable("table")).table
    assert (described.table_status, described.item_count) == ("ACTIVE", 2)
    assert [i.index_status for i in described.global_secondary_indexes or ()] == ["ACTIVE"]
    with pytest.raises(TableNotFound):
        engine.execute(ops.DescribeTable("dropped"))
    ttl = engine.execute(ops.DescribeTimeToLive("table")).time_to_live_description
    assert ttl.time_to_live_status == "ENABLED"
    assert engine.execute(ops.SweepExpired()).removed == 0
    assert engine.execute(ops.Scan("table")).count == 2
    assert engine.execute(BY_G).count == 2
    assert len(engine.execute(ops.ReadChanges(after=0)).changes) == 3
    engine.execute(COUNT_UP)  # replayed: the token is known
    item = engine.execute(ops.GetItem("table", {"pk": {"S": "a"}})).item
    assert item is not None
    assert item["hits"] == {"N": "1"}


@pytest.mark.parametrize("delays", [Delays(), DELAYS], ids=["instant", "slow"])
@pytest.mark.parametrize("jump", JUMPS)
def test_nothing_is_hidden_or_undone_by_the_clock(
    tmp_path: Path, jump: str, delays: Delays
) -> None:
    clock = Clock()
    settings = Settings(clock=clock, delays=delays, retention=LASTING)
    with Engine.on_file(tmp_path / "table.db", settings) as engine:
        fill(engine, clock)
        check(engine)
        # A jump forward is time that passes: a sweep there would delete what has expired by then,
        # and tokens are kept for ten minutes.
        for clock.now in JUMPS[jump]:
            if clock.now <= NOON:
                check(engine)
            else:
                assert engine.execute(ops.Scan("table")).count == 2
    # Opened again by a process that never saw the right time.
    clock.now = min(JUMPS[jump])
    with Engine.on_file(tmp_path / "table.db", settings) as engine:
        check(engine)
        engine.execute(on_demand(table_name="dropped"))


@pytest.mark.parametrize("jump", JUMPS)
def test_pending_change_completes_after_its_delay_at_the_latest(jump: str) -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock, delays=DELAYS)) as engine:
        engine.execute(on_demand(table_name="table"))
        for clock.now in JUMPS[jump]:
            engine.execute(ops.ListTables())
        clock.now += DELAYS.create_table
        assert engine.execute(ops.DescribeTable("table")).table.table_status == "ACTIVE"
        engine.execute(add_index("table", added(), g="S"))
        status = [
            (engine.execute(ops.DescribeTable("table")).table.global_secondary_indexes or [])[0]
            for clock.now in (clock.now, clock.now + DELAYS.update_table + DELAYS.create_index)
        ]
        assert [index.index_status for index in status] == ["CREATING", "ACTIVE"]
