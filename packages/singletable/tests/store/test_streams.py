"""`store.stream`: every change at least once, in order per item, shared by workers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, cast

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine, Settings, StreamShards
from dynamodb_engine.operations import Driver, StreamSpecification, UpdateTable
from dynamodb_engine.values import Item
from singletable.errors import (
    InvalidValue,
    ItemMismatch,
    OutOfScope,
    TrimmedDataAccess,
    show_key,
)
from singletable.schema import Attr, Entity, Key, Number, Table, attr
from singletable.store import Change, Store, StreamOptions
from singletable.testing import StoreClock
from tests.store.store_adapter import StoreOpener
from tools.testing.designs.members import Member, members

paper = Table("paper")
TABLES = (paper, members)
DAY = timedelta(days=1)


class Slip(Entity, table=paper):
    election: Attr[str] = attr()
    voter: Attr[str] = attr()
    rank: Attr[int] = attr(default=0)
    key = Key(pk=("ELECTION", election), sk=("SLIP", voter))


class Note(Entity, table=paper):
    name: Attr[str] = attr()
    key = Key(pk=("NOTE", name), sk=("NOTE",))


def slip(voter: str, election: str = "L", rank: int = 0) -> Slip:
    return Slip(election=election, voter=voter, rank=rank)


def enable(store: Store, opener: StoreOpener, view: ops.StreamViewType) -> Store:
    opener.driver.execute(
        UpdateTable(paper.name, stream_specification=StreamSpecification(True, view))
    )
    return store


@pytest.fixture
def streamed(store: Store, opener: StoreOpener) -> Store:
    """Return a store whose table `paper` has a stream."""
    return enable(store, opener, "NEW_AND_OLD_IMAGES")


def rest(store: Store, **options: Any) -> list[Change[Any]]:
    """Return the changes of slips until the end of the stream."""
    return list(store.stream(Slip, **cast(StreamOptions, {"follow": False, **options})))


def names(changes: list[Change[Any]]) -> list[str]:
    return [item.voter for change in changes for item in [change.new or change.old] if item]


def test_changes_have_images_time_and_sequence(streamed: Store) -> None:
    streamed.create(slip("ada"))
    streamed.update(Slip.key("L", "ada"), Slip.rank.set(2))
    streamed.create(Note(name="L"))
    streamed.delete(Slip.key("L", "ada"))
    changes = rest(streamed)
    assert [(one.kind, one.old, one.new) for one in changes] == [
        ("INSERT", None, slip("ada")),
        ("MODIFY", slip("ada"), slip("ada", rank=2)),
        ("REMOVE", slip("ada", rank=2), None),
    ]
    numbers = [int(one.position) for one in changes]
    assert numbers == sorted(set(numbers))
    assert not any(one.expired for one in changes)


def test_stream_of_several_entities_has_all_of_them(streamed: Store) -> None:
    streamed.create(Note(name="Ann"))
    streamed.create(slip("ada"))
    found = [change.new for change in streamed.stream(Note, Slip, follow=False)]
    assert len(found) == 2
    assert Note(name="Ann") in found
    assert slip("ada") in found


def test_consumer_continues_after_its_checkpoint(streamed: Store) -> None:
    for voter in ("ada", "bea", "cid"):
        streamed.create(slip(voter))
    consumer = {"name": "index", "checkpoints": paper, "worker": "w", "page": 1}
    # The third page is requested, so the second is done; the third may not be.
    first = list(islice(streamed.stream(Slip, **cast(StreamOptions, consumer)), 3))
    again = rest(streamed, **consumer)
    assert sorted(names(first)) == ["ada", "bea", "cid"]
    assert names(again) == names(first)[2:]
    assert rest(streamed, **consumer) == []
    streamed.create(slip("dan"))
    assert names(rest(streamed, **consumer)) == ["dan"]
    assert len(rest(streamed, name="other", checkpoints=paper)) == 4


def test_lease_keeps_others_away_until_it_ends(streamed: Store, clock: StoreClock) -> None:
    streamed.create(slip("ada"))
    consumer = {"name": "index", "checkpoints": paper}
    crashed = streamed.stream(
        Slip, **cast(StreamOptions, {**consumer, "worker": "first", "lease": 30})
    )
    assert names([next(crashed)]) == ["ada"]
    assert rest(streamed, **consumer, worker="second") == []
    clock.now += timedelta(seconds=31)
    assert names(rest(streamed, **consumer, worker="second")) == ["ada"]


def test_worker_that_lost_its_lease_saves_nothing(streamed: Store, clock: StoreClock) -> None:
    for number in range(4):
        streamed.create(slip(f"v{number}"))
    consumer = {"name": "index", "checkpoints": paper, "page": 1, "lease": 30}
    slow = streamed.stream(Slip, **cast(StreamOptions, {**consumer, "worker": "slow"}))
    first = next(slow)
    clock.now += timedelta(seconds=31)
    second = rest(streamed, **consumer, worker="quick")
    assert names([first])[0] in names(second)
    assert len(second) == 4
    assert rest(streamed, **consumer, worker="slow") == []


def test_older_changes_can_be_skipped(streamed: Store, clock: StoreClock) -> None:
    streamed.create(slip("ada"))
    assert rest(streamed, since=clock.now + timedelta(days=400 * 365)) == []
    assert len(rest(streamed, since=clock.now - timedelta(days=20 * 365))) == 1


def test_disabled_and_enabled_again_is_one_sequence(streamed: Store, opener: StoreOpener) -> None:
    streamed.create(slip("ada"))
    off = UpdateTable(paper.name, stream_specification=StreamSpecification(False))
    opener.driver.execute(off)
    streamed.update(Slip.key("L", "ada"), Slip.rank.set(2))
    enable(streamed, opener, "NEW_AND_OLD_IMAGES")
    streamed.delete(Slip.key("L", "ada"))
    consumer = {"name": "index", "checkpoints": members}
    assert [change.kind for change in rest(streamed, **consumer)] == ["INSERT", "REMOVE"]
    assert rest(streamed, **consumer) == []


def test_stream_needs_both_images(store: Store, opener: StoreOpener) -> None:
    enable(store, opener, "KEYS_ONLY").create(slip("ada"))
    with pytest.raises(ItemMismatch, match=r"INSERT record has no new image.*NEW_AND_OLD_IMAGES"):
        rest(store)
    # A disabled stream without images is skipped.
    opener.driver.execute(UpdateTable(paper.name, stream_specification=StreamSpecification(False)))
    with pytest.raises(InvalidValue, match="has no stream"):
        rest(store)
    enable(store, opener, "NEW_AND_OLD_IMAGES").delete(Slip.key("L", "ada"))
    assert [change.kind for change in rest(store)] == ["REMOVE"]


# Items that do not fit


def put_raw(driver: Driver, voter: str, rank: str) -> None:
    """Write an item as another program does, whose rank is a text."""
    key = Slip.key("L", voter).key
    values: Item = {"election": {"S": "L"}, "voter": {"S": voter}, "rank": {"S": rank}}
    driver.execute(ops.PutItem(paper.name, {**key, **values}))


@pytest.fixture
def poisoned(streamed: Store, opener: StoreOpener) -> Store:
    """Return a store whose stream has two changes that fit, two that do not, and one more."""
    streamed.create(slip("ada"))
    streamed.create(slip("bob"))
    put_raw(opener.driver, "eve", "12,5")
    put_raw(opener.driver, "mal", "13,5")
    streamed.create(slip("cem"))
    return streamed


@pytest.mark.parametrize("page", [1, 2, 3, 100])
def test_stream_reports_and_skips_items_that_do_not_fit(poisoned: Store, page: int) -> None:
    problems: list[ItemMismatch] = []
    options = {"page": page, "on_mismatch": problems.append}
    assert names(rest(poisoned, **options)) == ["ada", "bob", "cem"]
    assert [show_key(one.key or {})[-10:] for one in problems] == ["'SLIP#eve'", "'SLIP#mal'"]
    assert {one.path for one in problems} == {"Slip.rank"}


@pytest.mark.parametrize("page", [1, 2, 3, 100])
def test_stream_stops_at_the_item_that_does_not_fit(poisoned: Store, page: int) -> None:
    delivered: list[Change[Any]] = []
    stream = poisoned.stream(Slip, follow=False, page=page)
    with pytest.raises(ItemMismatch) as raised:
        delivered.extend(stream)
    assert names(delivered) == ["ada", "bob"]
    error = raised.value
    assert int(error.position or 0) > int(delivered[-1].position)
    assert error.when is not None
    assert error.when >= delivered[-1].when
    assert f"The change is {error.position} of shard {error.shard}, from " in str(error)


# The error says what to choose as `since`.
def test_stream_goes_on_after_the_time_of_the_error(engine: Engine, clock: StoreClock) -> None:
    store = Store(engine, clock=clock)
    put_raw(engine, "eve", "12,5")
    with pytest.raises(ItemMismatch) as raised:
        rest(store)
    assert raised.value.when == clock.now
    clock.advance(seconds=1)
    store.create(slip("ada"))
    assert names(rest(store, since=clock.now)) == ["ada"]


def test_skipped_changes_are_reported_once(poisoned: Store, opener: StoreOpener) -> None:
    problems: list[ItemMismatch] = []
    options = {"name": "a", "checkpoints": members, "on_mismatch": problems.append, "page": 1}
    assert len(rest(poisoned, **options)) == 3
    assert rest(poisoned, **options) == []
    put_raw(opener.driver, "eve", "14,5")
    assert rest(poisoned, **options) == []
    assert rest(poisoned, **options) == []
    assert len(problems) == 3


def test_failing_report_stops_the_stream(poisoned: Store) -> None:
    def fail(error: ItemMismatch) -> None:
        raise ZeroDivisionError

    options = {"name": "a", "checkpoints": members, "worker": "w", "page": 1}
    with pytest.raises(ZeroDivisionError):
        rest(poisoned, **options, on_mismatch=fail)
    problems: list[ItemMismatch] = []
    assert names(rest(poisoned, **options, on_mismatch=problems.append)) == ["cem"]
    assert len(problems) == 2


@pytest.mark.parametrize(
    ("entities", "options", "message"),
    [
        ([Slip], {}, "table 'paper' has no stream. Enable one"),
        ([Slip, Member], {}, "entities of one table, but got entities of 'members', 'paper'"),
        ([Slip], {"checkpoints": paper}, "name the consumer"),
        ([Slip], {"name": "printer"}, "pass checkpoints="),
        ([Slip], {"page": 0}, "a whole number, 1 or more"),
        ([Slip], {"since": datetime(2026, 11, 1)}, "datetime with a time zone"),
        (
            [Slip],
            {"name": "x", "checkpoints": Table("numbers", pk=Number("n"))},
            "but 'numbers' has",
        ),
    ],
)
def test_impossible_stream_is_rejected(
    store: Store, entities: list[type[Any]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        list(store.stream(*entities, **cast(StreamOptions, {"follow": False, **options})))


# --- Shards that are split, and several workers, on the engine with a clock of its own


@pytest.fixture
def engine(clock: StoreClock) -> Iterator[Engine]:
    """Return an engine that splits the shards of a stream after 20 changes."""
    shards = StreamShards(first=1, records=20)
    yield from open_engine(Settings(clock=lambda: clock.now.timestamp(), stream_shards=shards))


def open_engine(settings: Settings) -> Iterator[Engine]:
    """Yield an engine with a stream."""
    with Engine.in_memory(settings) as engine:
        view = StreamSpecification(True, "NEW_AND_OLD_IMAGES")
        store = Store(engine)
        for table in TABLES:
            store.admin.create_table(table)
        engine.execute(UpdateTable(paper.name, stream_specification=view))
        yield engine


def test_unknown_option_is_rejected(engine: Engine) -> None:
    with pytest.raises(TypeError, match=r"stream\(\) has no option 'pages'"):
        Store(engine).stream(Slip, pages=1)  # type: ignore[call-overload]


def test_scoped_store_has_no_stream(engine: Engine) -> None:
    with pytest.raises(OutOfScope):
        rest(Store(engine).scoped(election="L"))


def test_consumer_waits_for_changes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(engine)
    waits: list[float] = []

    def write_later(seconds: float) -> None:
        waits.append(seconds)
        store.create(slip("ada"))

    monkeypatch.setattr("time.sleep", write_later)
    (change,) = islice(store.stream(Slip, poll=7), 1)
    assert (waits, names([change])) == ([7], ["ada"])


def test_parents_come_before_children(engine: Engine, clock: StoreClock) -> None:
    store = Store(engine, clock=clock)
    voters = [f"v{number}" for number in range(10)]
    for voter in voters:
        store.create(slip(voter, voter))
    for rank in range(1, 10):
        for voter in voters:
            store.update(Slip.key(voter, voter), Slip.rank.set(rank))
    ranks: dict[str, list[int]] = {}
    for change in rest(store, name="index", checkpoints=members, page=3):
        if change.new is not None:
            ranks.setdefault(change.new.voter, []).append(change.new.rank)
    assert ranks == {voter: list(range(10)) for voter in voters}
    assert rest(store, name="index", checkpoints=members) == []


def test_workers_share_shards(engine: Engine, clock: StoreClock) -> None:
    store = Store(engine, clock=clock)
    consumer = {"name": "index", "checkpoints": members, "page": 10, "follow": False}
    voters = [f"v{number}" for number in range(200)]
    for voter in voters:
        store.create(slip(voter, voter))
    read: dict[str, set[str]] = {"w0": set(), "w1": set()}
    while len(read["w0"] | read["w1"]) < len(voters):
        for worker, seen in read.items():
            # It is killed after one page: the leases and the other page stay.
            options = cast(StreamOptions, {**consumer, "worker": worker})
            seen.update(names(list(islice(store.stream(Slip, **options), 15))))
            clock.now += timedelta(seconds=1)
    assert min(map(len, read.values())) > 50


# Both workers would look at the first shards only, and nobody at the others.
@pytest.mark.parametrize("election", ["A", "B", "C", "D", "E", "F"])
def test_shards_without_changes_are_not_left_to_each_other(
    clock: StoreClock, election: str
) -> None:
    shards = StreamShards(first=4)
    for engine in open_engine(Settings(clock=lambda: clock.now.timestamp(), stream_shards=shards)):
        store = Store(engine, clock=clock)
        key: Item = {"PK": {"S": "stream#index"}, "SK": {"S": "worker#w1"}}
        until = repr((clock.now + DAY).timestamp())
        engine.execute(
            ops.PutItem(members.name, {**key, "Owner": {"S": "w1"}, "Until": {"N": until}})
        )
        store.create(slip("ada", election))
        assert names(rest(store, name="index", checkpoints=members, worker="w0")) == ["ada"]


def test_consumer_that_is_a_day_behind_is_told_what_is_lost(
    engine: Engine, clock: StoreClock
) -> None:
    store = Store(engine, clock=clock)
    consumer = {"name": "index", "checkpoints": members}
    store.create(slip("ada"))
    assert names(rest(store, **consumer)) == ["ada"]
    # A quiet day loses nothing, if the consumer looks in between.
    for _ in range(3):
        clock.now += DAY * 0.9
        assert rest(store, **consumer) == []
    store.create(slip("bea"))
    clock.now += DAY * 2
    store.create(slip("cid"))
    with pytest.raises(TrimmedDataAccess, match="more than a day behind"):
        rest(store, **consumer)


class BusyTable:
    """A driver for a table that others write to: when the stream is read, for a day and a half."""

    def __init__(self, engine: Engine, clock: StoreClock) -> None:
        self.engine, self.clock, self.end = engine, clock, clock.now + DAY * 1.5

    def execute(self, operation: ops.Operation[Any], /) -> Any:
        if isinstance(operation, ops.GetRecords):
            self.clock.now += timedelta(minutes=14)  # an iterator lives for fifteen
            if self.clock.now > self.end:
                Store(self.engine).put(slip("bea"))
            else:
                Store(self.engine).put_many([Note(name=f"{self.clock.now}{n}") for n in (1, 2)])
        return self.engine.execute(operation)


def test_checkpoint_moves_on_without_changes_of_the_entities(clock: StoreClock) -> None:
    shards = StreamShards(first=1)
    for engine in open_engine(Settings(clock=lambda: clock.now.timestamp(), stream_shards=shards)):
        store, busy = Store(engine, clock=clock), Store(BusyTable(engine, clock), clock=clock)
        store.create(slip("ada"))
        consumer = {"name": "index", "checkpoints": members, "page": 2}
        changes = busy.stream(Slip, **cast(StreamOptions, consumer))
        assert names([next(changes), next(changes)]) == ["ada", "bea"]
        # The worker is killed before it is done with the second, and its lease ends.
        clock.now += timedelta(minutes=2)
        assert names(rest(store, **consumer)) == ["bea"]
