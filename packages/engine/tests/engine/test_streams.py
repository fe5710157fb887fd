"""Streams over time: expired iterators, trimmed records, split shards, and what the feed keeps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Delays, Engine, Retention, Settings, StreamShards
from dynamodb_engine.engine.change_feed import BLOCK
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.errors import ExpiredIterator, ResourceNotFound, TrimmedDataAccess
from tests.conformance.requests import text
from tests.conformance.streams import iterator, make_streamed, read, records_of, shards_of
from tests.conformance.table_requests import on_demand
from tests.conformance.tables import put
from tests.conformance.transaction_actions import key
from tools.testing.clock import NOON, Clock

BOTH = ops.StreamSpecification(True, "NEW_AND_OLD_IMAGES")
OFF = ops.StreamSpecification(False)
HOUR, DAY = 3600.0, 86400.0
TABLE = on_demand(table_name="things", stream_specification=BOTH)
SPLITS = StreamShards(first=1, most=4, records=10)


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still."""
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """Return an engine whose streams have one shard at first, which is split after 10 changes."""
    settings = Settings(clock=clock, retention=Retention(records=1), stream_shards=SPLITS)
    with Engine.in_memory(settings) as engine:
        yield engine


def write(engine: Engine, count: int) -> None:
    put(engine, "things", *(key(f"{number}") for number in range(count)))


def test_iterator_expires_after_fifteen_minutes(engine: Engine, clock: Clock) -> None:
    arn = make_streamed(engine, TABLE)
    place = iterator(engine, arn, shards_of(engine, arn)[0].shard_id)
    clock.now += 900
    engine.execute(ops.GetRecords(place))
    clock.now += 1
    with pytest.raises(ExpiredIterator) as raised:
        engine.execute(ops.GetRecords(place))
    assert raised.value.code == "ExpiredIteratorException"


def test_records_are_kept_for_a_day(engine: Engine, clock: Clock) -> None:
    arn = make_streamed(engine, TABLE)
    shard = shards_of(engine, arn)[0].shard_id
    put(engine, "things", key("old"))
    (old,) = records_of(engine, arn)
    clock.now += HOUR
    put(engine, "things", key("new"))
    clock.now += DAY - HOUR
    assert len(records_of(engine, arn)) == 2
    place = iterator(engine, arn, shard, "AT_SEQUENCE_NUMBER", old.dynamodb.sequence_number)
    clock.now += 1
    assert [record.dynamodb.keys for record in records_of(engine, arn)] == [key("new")]
    with pytest.raises(TrimmedDataAccess):
        engine.execute(ops.GetRecords(place))
    with pytest.raises(TrimmedDataAccess):
        iterator(engine, arn, shard, "AT_SEQUENCE_NUMBER", old.dynamodb.sequence_number)
    start = shards_of(engine, arn)[0].sequence_number_range.starting_sequence_number
    assert start > old.dynamodb.sequence_number
    assert len(list(read(engine, iterator(engine, arn, shard, "AT_SEQUENCE_NUMBER", start)))) == 1


# "The first stream record whose ApproximateCreationDateTime is at or after the timestamp"; older
# ones are like TRIM_HORIZON.
@pytest.mark.parametrize(
    ("time", "found"), [(-DAY, "bc"), (0, "bc"), (0.25, "c"), (0.5, "c"), (0.75, "")]
)
def test_iterator_starts_at_a_time(engine: Engine, clock: Clock, time: float, found: str) -> None:
    arn = make_streamed(engine, TABLE)
    put(engine, "things", key("a"))
    clock.now += DAY + 1
    start = clock.now
    put(engine, "things", key("b"))
    clock.now += 0.5
    put(engine, "things", key("c"))
    clock.now += 0.5
    shard = shards_of(engine, arn)[0].shard_id
    place = iterator(engine, arn, shard, "AT_TIMESTAMP", timestamp=start + time)
    keys = [record.dynamodb.keys["pk"]["S"] for record in read(engine, place)]
    assert "".join(keys) == found


# Settings.retention would keep a single change.
def test_feed_keeps_a_day_of_changes_from_the_start_of_a_stream(
    engine: Engine, clock: Clock
) -> None:
    engine.execute(on_demand(table_name="other"))
    put(engine, "other", *(key(str(number)) for number in range(3 * BLOCK)))
    before = engine.execute(ops.ReadChanges(after=None)).position
    arn = make_streamed(engine, TABLE)
    write(engine, 1)
    put(engine, "other", *(key(f"x{number}") for number in range(3 * BLOCK)))
    assert len(records_of(engine, arn)) == 1
    with pytest.raises(TrimmedDataAccess):
        engine.execute(ops.ReadChanges(after=before - 1))
    engine.execute(ops.UpdateTable("things", stream_specification=OFF))
    clock.now += DAY + 1
    put(engine, "other", *(key(f"y{number}") for number in range(BLOCK)))
    with pytest.raises(TrimmedDataAccess):
        engine.execute(ops.ReadChanges(after=before + BLOCK))


def test_disabled_stream_is_forgotten_after_a_day(engine: Engine, clock: Clock) -> None:
    arn = make_streamed(engine, TABLE)
    engine.execute(ops.DeleteTable("things"))
    clock.now += DAY - 1
    assert engine.execute(ops.DescribeStream(arn)).stream_description.stream_status == "DISABLED"
    clock.now += 2
    assert engine.execute(ops.ListStreams()).streams == []
    with pytest.raises(ResourceNotFound):
        engine.execute(ops.DescribeStream(arn))


def test_records_of_deleted_tables_are_removed_with_their_streams(tmp_path: Path) -> None:
    clock = Clock()
    with Engine.on_file(tmp_path / "file.db", Settings(clock=clock, durable=False)) as engine:
        make_streamed(engine, TABLE)
        engine.execute(ops.DeleteTable("things"))
        assert list(engine._catalog.tables) == ["things"]
        clock.now += DAY + 1
        engine.execute(on_demand(table_name="other"))
        assert list(engine._catalog.tables) == ["other"]


# --- Shards


def test_shards_are_split_after_many_changes_and_then_replaced(engine: Engine) -> None:
    arn = make_streamed(engine, TABLE)
    write(engine, 35)
    shards = shards_of(engine, arn)
    children: defaultdict[str | None, list[str]] = defaultdict(list)
    for shard in shards:
        children[shard.parent_shard_id].append(shard.shard_id)
    (first,) = children[None]
    second = children[first]
    third = [id_ for parent in second for id_ in children[parent]]
    fourth = [id_ for parent in third for id_ in children[parent]]
    assert [len(ids) for ids in (second, third, fourth)] == [2, 4, 4]
    assert [s.shard_id for s in shards] == [first, *second, *third, *fourth]
    is_open = {s.shard_id: not s.sequence_number_range.ending_sequence_number for s in shards}
    assert [id_ for id_, open_ in is_open.items() if open_] == fourth
    page = engine.execute(
        ops.DescribeStream(arn, shard_filter=ops.ShardFilter("CHILD_SHARDS", second[1]))
    )
    assert [s.shard_id for s in page.stream_description.shards] == third[2:]
    for shard in shards:
        numbers = shard.sequence_number_range
        for record in read(engine, iterator(engine, arn, shard.shard_id)):
            number = record.dynamodb.sequence_number
            assert numbers.starting_sequence_number < number
            assert number <= (numbers.ending_sequence_number or number)
    assert len(records_of(engine, arn)) == 35


def test_iterator_from_before_a_split_ends_with_its_shard(engine: Engine) -> None:
    arn = make_streamed(engine, TABLE)
    write(engine, 5)
    place = iterator(engine, arn, shards_of(engine, arn)[0].shard_id)
    first = engine.execute(ops.GetRecords(place))
    put(engine, "things", *(key(f"x{number}") for number in range(20)))
    assert first.next_shard_iterator is not None
    rest = engine.execute(ops.GetRecords(first.next_shard_iterator))
    assert (len(first.records), len(rest.records)) == (5, 5)
    assert rest.next_shard_iterator is None


def test_shards_without_changes_of_the_last_day_are_gone(engine: Engine, clock: Clock) -> None:
    arn = make_streamed(engine, TABLE)
    write(engine, 10)
    first, *_ = shards_of(engine, arn)
    clock.now += DAY + 1
    shards = shards_of(engine, arn)
    assert [shard.parent_shard_id for shard in shards] == [first.shard_id] * 2
    with pytest.raises(ResourceNotFound, match="Shard does not exist"):
        iterator(engine, arn, first.shard_id)


def test_page_ends_at_a_megabyte_of_items_and_other_shards_do_not_hide_records(
    clock: Clock,
) -> None:
    settings = Settings(clock=clock, stream_shards=StreamShards(first=2))
    with Engine.in_memory(settings) as engine:
        arn = make_streamed(engine, TABLE)
        large = [key(str(number)) | {"x": text("x" * 300_000)} for number in range(40)]
        put(engine, "things", *large)
        sizes = [
            len(engine.execute(ops.GetRecords(iterator(engine, arn, shard.shard_id))).records)
            for shard in shards_of(engine, arn)
        ]
        assert sizes == [3, 3]
        assert len(records_of(engine, arn)) == 40


def test_images_that_are_not_in_the_view_do_not_count_to_the_page(clock: Clock) -> None:
    new_images = ops.StreamSpecification(True, "NEW_IMAGE")
    with Engine.in_memory(Settings(clock=clock, stream_shards=StreamShards(first=1))) as engine:
        arn = make_streamed(engine, on_demand(stream_specification=new_images, table_name="things"))
        put(engine, "things", *(key("a") | {"x": text(letter * 300_000)} for letter in "xyz"))
        (shard,) = shards_of(engine, arn)
        output = engine.execute(ops.GetRecords(iterator(engine, arn, shard.shard_id)))
        assert len(output.records) == 3


# --- States and stored records


def test_status_follows_the_delays_of_control_operations(clock: Clock) -> None:
    delays = Delays(create_table=10, update_table=10)
    with Engine.in_memory(Settings(clock=clock, delays=delays)) as engine:
        arn = make_streamed(engine, TABLE)

        def status() -> str:
            return engine.execute(ops.DescribeStream(arn)).stream_description.stream_status

        seen = [status()]
        clock.now = NOON + 10
        seen.append(status())
        engine.execute(ops.UpdateTable("things", stream_specification=OFF))
        seen.append(status())
        clock.now = NOON + 20
        seen.append(status())
    assert seen == ["ENABLING", "ENABLED", "DISABLING", "DISABLED"]


def test_stream_survives_closing_the_file(tmp_path: Path) -> None:
    settings = Settings(durable=False, stream_shards=SPLITS)
    with Engine.on_file(tmp_path / "file.db", settings) as engine:
        arn = make_streamed(engine, TABLE)
        write(engine, 25)
        before = records_of(engine, arn)
    with Engine.on_file(tmp_path / "file.db", settings) as engine:
        assert records_of(engine, arn) == before
        assert len(before) == 25


# Releases before streams stored a label only.
def test_stream_of_an_older_file_has_all_changes(engine: Engine) -> None:
    arn = make_streamed(engine, TABLE)
    write(engine, 3)

    def forget(execute: Execute) -> None:
        record = engine._catalog.tables["things"].record
        engine._catalog.update(execute, replace(record, streams=()))

    engine._database.write(forget)
    assert len(records_of(engine, arn)) == 3
    engine.execute(ops.UpdateTable("things", stream_specification=OFF))
    assert len(records_of(engine, arn)) == 3
