"""Change a table in place: a new index with its backfill, unique values and counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from benchmarks.harness.measurement import Scale, expect, temporary_folder
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from dynamodb_engine import BatchWriteItem, Engine, PutRequest, WriteRequest
from singletable import Attr, Count, Entity, Index, Key, Store, Table, Unique, attr
from singletable.migration import AddCount, AddIndex, AddUnique, Backfill, Migration, Step
from singletable.migration.runner import MigrationRunner
from singletable.schema import model_of
from singletable.store.batch import MAX_BATCH_WRITES

CLAIM = "a backfill in a file is at least three times as fast as one guarded write for each item"
TARGET = Target(at_least=3)

before = Table("members")
after = Table("members", indexes=[Index("by_city", pk="GSI1PK", sk="GSI1SK")])
CITIES = 10


class OldMember(Entity, table=before, type_tag=("type", "member")):
    """A member before the migration."""

    number: Attr[int] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    city: Attr[str] = attr()
    bio: Attr[str] = attr()
    key = Key(pk=("MEMBER", number), sk="MEMBER")


class City(Entity, table=after, type_tag=("type", "city")):
    """A city that counts its members."""

    name: Attr[str] = attr()
    members: Attr[int] = attr(default=0)
    key = Key(pk=("CITY", name), sk="CITY")


class Member(Entity, table=after, type_tag=("type", "member")):
    """A member in an index by city."""

    number: Attr[int] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    city: Attr[str] = attr()
    bio: Attr[str] = attr()
    key = Key(pk=("MEMBER", number), sk="MEMBER")
    by_city = Key(pk=("CITY", city), sk=("NAME", name)).on(after.indexes[0])


class CountedMember(Entity, table=Table("members"), type_tag=("type", "member")):
    """A member with a unique address, counted by its city."""

    number: Attr[int] = attr()
    email: Attr[str] = attr()
    city: Attr[str] = attr()
    key = Key(pk=("MEMBER", number), sk="MEMBER")
    by_email = Unique(email)
    in_city = Count(City, City.members, key=(city,))


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure the steps of a migration on a file."""
    count = scale.counted
    backfill = _rate(count, _migrate(Backfill(Member)))
    one_by_one = _rate(count, _modify_each)
    rows = [
        [
            "`Backfill`: the keys of the index, guarded by what was read",
            format_rate(backfill),
            format_ratio(backfill / one_by_one),
            TARGET.verdict(backfill / one_by_one),
        ]
    ]
    for name, run in (
        (
            "`AddUnique`: read twice, then a marker for each item",
            AddUnique(CountedMember, "by_email"),
        ),
        (
            "`AddCount`: read three times, and count into 10 items",
            AddCount(CountedMember, "in_city"),
        ),
    ):
        rate = _rate(count, _migrate(run))
        rows.append([name, format_rate(rate), format_ratio(rate / one_by_one), ""])
    rows.append(["`store.modify` for each item", format_rate(one_by_one), "1×", ""])
    batches = _rate(count, _put_all)
    rows.append(
        [
            "BatchWriteItem of the same items, without conditions: the most that is possible",
            format_rate(batches),
            format_ratio(batches / one_by_one),
            "",
        ]
    )
    yield ReportTable(
        f"{count:,} items of 300 bytes in a file, in place",
        ["", "items", "to one write each", "target"],
        rows,
        ["Every transaction or batch is on the disk before the next; one process does it all."],
    )


def _rate(count: int, change: Callable[[Store, Engine, int], None]) -> float:
    with _filled(count) as (store, engine):
        started = time.perf_counter()
        change(store, engine, count)
        return count / (time.perf_counter() - started)


@contextmanager
def _filled(count: int) -> Iterator[tuple[Store, Engine]]:
    with temporary_folder() as folder, Engine.on_file(folder / "members.db") as engine:
        store = Store(engine)
        store.admin.create_table(before)
        store.bulk_load(_members(count))
        store.bulk_load([City(name=f"City {number}") for number in range(CITIES)])
        MigrationRunner(Migration(AddIndex(after, "by_city"), name="0001"), engine).run()
        yield store, engine


def _members(count: int) -> Iterator[OldMember]:
    for n in range(count):
        yield OldMember(
            number=n,
            name=f"Member {n}",
            email=f"member-{n}@example.org",
            city=f"City {n % CITIES}",
            bio="b" * 120,
        )


def _migrate(step: Step) -> Callable[[Store, Engine, int], None]:
    def run(store: Store, engine: Engine, count: int) -> None:
        # The engine is in this process: several threads would take turns.
        MigrationRunner(Migration(step, name="0002"), engine, segments=1).run()
        if isinstance(step, Backfill):
            expect(store.count(Member.by_city("City 0")), -(-count // CITIES))

    return run


def _modify_each(store: Store, engine: Engine, count: int) -> None:
    def change(member: Member) -> None:
        member.bio = member.bio[1:]

    for n in range(count):
        store.modify(Member.key(n), change)


def _put_all(store: Store, engine: Engine, count: int) -> None:
    model = model_of(Member)
    items = [model.item({**vars(member)}) for member in _members(count)]
    for start in range(0, count, MAX_BATCH_WRITES):
        writes = [
            WriteRequest(PutRequest(item)) for item in items[start : start + MAX_BATCH_WRITES]
        ]
        engine.execute(BatchWriteItem({"members": writes}))
