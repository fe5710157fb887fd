"""The streams of several tables as one change log, and reading it to its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from dynamodb_engine import Engine, PutItem, Settings
from dynamodb_engine import operations as ops
from dynamodb_engine.engine.settings import StreamShards
from dynamodb_engine.steps import run
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable import Store, Table, errors
from singletable.migration.change_log import ChangeLog
from singletable.migration.state import is_state_item
from singletable.migration.two_addresses import Place, TwoAddressDriver
from singletable.store.context import Context, create_context
from tests.migration.doubles import Clock

users = Table("users", pk="username", sk=None)
likes = Table("likes", pk="post", sk=None)
CONTEXT: Context = create_context(
    {users: Place("source", "users"), likes: Place("source", "likes")}
)
ON = ops.StreamSpecification(stream_enabled=True, stream_view_type="NEW_AND_OLD_IMAGES")


@dataclass
class Streamed:
    """An engine with streams of many shards, and their log."""

    engine: Engine
    log: ChangeLog = field(
        default_factory=lambda: ChangeLog(CONTEXT, [users, likes], "0001", page=3)
    )
    clock: Clock = field(default_factory=Clock)
    written: list[tuple[Table, Item]] = field(default_factory=list[tuple[Table, Item]])

    def run(self, steps: Any, driver: Any = None) -> Any:
        places = TwoAddressDriver(driver or self.engine, self.engine)
        return run(places, steps, self.clock.sleep)

    def write(self, count: int) -> None:
        for _ in range(count):
            number = len(self.written)
            table = users if number % 4 else likes
            key: Item = {table.pk.name: {"S": str(number)}}
            self.engine.execute(PutItem(table.name, key))
            self.written.append((table, key))

    def read_all(self, position: str) -> list[tuple[Table, Item]]:
        found: list[tuple[Table, Item]] = []
        is_last = False
        while not is_last:
            batch = self.run(self.log.read(position))
            found += [(one.table, one.key) for one in batch.changes]
            position, is_last = batch.position, batch.is_last
        return found

    def stored(self, table: Table) -> list[Item]:
        return self.engine.execute(ops.Scan(table.name, consistent_read=True)).items


@pytest.fixture
def streamed() -> Iterator[Streamed]:
    settings = Settings(stream_shards=StreamShards(first=2, most=8, records=20))
    with Engine.in_memory(settings) as engine:
        for table in (users, likes):
            Store(engine).admin.create_table(table)
            engine.execute(ops.UpdateTable(table.name, stream_specification=ON))
        yield Streamed(engine)


def by_name(found: list[tuple[Table, Item]]) -> list[str]:
    return sorted(f"{table.name} {key}" for table, key in found)


def test_all_changes_after_a_position_are_read_while_shards_split(streamed: Streamed) -> None:
    streamed.write(10)
    start = streamed.run(streamed.log.end())
    streamed.write(100)
    assert by_name(streamed.read_all(start)) == by_name(streamed.written[10:])


def test_the_end_is_after_all_changes_and_leaves_no_sentinel(streamed: Streamed) -> None:
    streamed.write(30)
    end = streamed.run(streamed.log.end())
    assert streamed.read_all(end) == []
    assert not any(is_state_item(item) for item in streamed.stored(users))
    streamed.write(1)
    assert streamed.read_all(streamed.run(streamed.log.end(end))) == []


def test_the_end_waits_for_records_that_a_stream_returns_late(streamed: Streamed) -> None:
    """GetRecords of DynamoDB may return nothing although there are changes."""
    streamed.write(5)
    hidden = iter(range(20))

    class Late(InterruptedDriver):
        def execute(self, operation: Any, /) -> Any:
            if isinstance(operation, ops.GetRecords) and next(hidden, None) is not None:
                return ops.GetRecordsOutput([], operation.shard_iterator)
            return super().execute(operation)

    end = streamed.run(streamed.log.end(), Late(streamed.engine))
    assert streamed.read_all(end) == []
    assert streamed.clock.slept


def test_a_stream_that_stays_behind_is_reported(streamed: Streamed) -> None:
    class Silent(InterruptedDriver):
        def execute(self, operation: Any, /) -> Any:
            if isinstance(operation, ops.GetRecords):
                return ops.GetRecordsOutput([], operation.shard_iterator)
            return super().execute(operation)

    with pytest.raises(errors.MigrationError, match="behind"):
        streamed.run(streamed.log.end(), Silent(streamed.engine))


@pytest.mark.parametrize("position", ["7", "", "{}", '{"source/users": {"label": "x"}}'])
def test_a_position_of_another_log_is_refused(streamed: Streamed, position: str) -> None:
    with pytest.raises(errors.TrimmedDataAccess):
        streamed.run(streamed.log.read(position))


def test_sentinels_of_a_killed_process_are_deleted(streamed: Streamed) -> None:
    start = streamed.run(streamed.log.end())
    killed = ChangeLog(CONTEXT, [users, likes], "0001")
    killed.begin_drain()
    streamed.run(killed.read(start))
    streamed.run(killed.is_drained())
    assert any(is_state_item(item) for item in streamed.stored(users))
    streamed.run(streamed.log.end(start))
    assert not any(is_state_item(item) for item in streamed.stored(users))
