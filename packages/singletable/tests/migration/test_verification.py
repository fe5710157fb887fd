"""Steps in place, tables and indexes: every kind of fault is found, and repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable import Attr, Count, Engine, Entity, Index, Key, Store, Table, Unique, attr
from singletable.migration import (
    AddCount,
    AddIndex,
    AddUnique,
    Backfill,
    CreateTable,
    DropIndex,
    DropTable,
    Migration,
    Rewrite,
    each,
)
from singletable.migration.rehearsal import CountingDriver, dry_run
from singletable.migration.runner import MigrationRunner, verify
from singletable.migration.verification import Verification
from tests.migration.doubles import Clock

before = Table("shop", indexes=[Index("unused", pk="unused")])
shop = Table("shop", indexes=[Index("by_city", pk="city", sk="email", projection="KEYS_ONLY")])
extra = Table("extra")
waste = Table("waste")


class City(Entity, table=shop, type_tag=("type", "city")):
    name: Attr[str] = attr()
    people: Attr[int] = attr(default=0)
    key = Key(pk=("CITY", name), sk="CITY")


class Person(Entity, table=shop, type_tag=("type", "person")):
    city: Attr[str] = attr()
    number: Attr[int] = attr()
    email: Attr[str] = attr()
    greeting: Attr[str] = attr(default="hello")
    key = Key(pk=("CITY", city), sk=("PERSON", number))
    by_email = Unique(email)
    counted = Count(City, City.people, key=(city,))


class OldNote(Entity, table=shop, type_tag=("type", "oldnote")):
    text: Attr[str] = attr()
    key = Key(pk=("NOTE", text), sk="OLD")


class Note(Entity, table=shop, type_tag=("type", "note")):
    text: Attr[str] = attr()
    key = Key(pk=("NOTE", text), sk="NEW")


MIGRATION = Migration(
    DropIndex(before, "unused"),
    AddIndex(shop, "by_city"),
    CreateTable(extra),
    DropTable(waste),
    Backfill(Person),
    AddUnique(Person, "by_email"),
    AddCount(Person, "counted"),
    Rewrite(each(OldNote, lambda old: Note(text=old.text))),
    name="0001_everything",
)
STEPS = [step.describe() for step in MIGRATION.steps]


class Tables:
    """The tables before the migration, with items."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.clock = Clock()
        store = Store(engine)
        for table in (before, waste):
            store.admin.create_table(table)
        for number in range(12):
            self.put(self.person(number))
        for city in ("c0", "c1", "c2"):
            item = {"PK": f"CITY#{city}", "SK": "CITY", "type": "city", "name": city}
            self.put({name: {"S": text} for name, text in item.items()})
        for text in ("a", "b"):
            item = {"PK": f"NOTE#{text}", "SK": "OLD", "type": "oldnote", "text": text}
            self.put({name: {"S": value} for name, value in item.items()})

    def person(self, number: int, email: str | None = None) -> Item:
        city = f"c{number % 3}"
        sk = Person.key(city, number).key["SK"]
        return {
            "PK": {"S": f"CITY#{city}"},
            "SK": sk,
            "type": {"S": "person"},
            "city": {"S": city},
            "number": {"N": str(number)},
            "email": {"S": email or f"{number}@x.org"},
        }

    def put(self, item: Item) -> None:
        self.engine.execute(ops.PutItem("shop", item))

    def runner(self, migration: Migration = MIGRATION) -> MigrationRunner:
        return MigrationRunner(
            migration, self.engine, segments=1, clock=self.clock, sleep=self.clock.sleep
        )

    def verify(self, *, repair: bool = False) -> dict[str, Verification]:
        return {report.step: report for report in verify(self.runner(), repair=repair)}


@pytest.fixture
def tables() -> Iterator[Tables]:
    with Engine.in_memory() as engine:
        yield Tables(engine)


def test_nothing_is_verified_before_it_is_done(tables: Tables) -> None:
    assert tables.verify() == {}


def test_finished_migration_has_no_faults(tables: Tables) -> None:
    tables.runner().run()
    reports = tables.verify()
    assert list(reports) == STEPS
    assert all(report.ok for report in reports.values()), reports
    index = reports["AddIndex(shop, by_city)"]
    assert index.stored == index.expected == {"shop.by_city": 12}
    assert reports["AddUnique(Person, by_email)"].stored == {"Person.by_email": 12}


def edit(key: Item, expression: str, **values: str) -> Callable[[Tables], object]:
    numbers = {f":{name}": {"N": value} for name, value in values.items()}
    return lambda tables: tables.engine.execute(
        ops.UpdateItem(
            "shop",
            key,
            update_expression=expression,
            expression_attribute_values=numbers or None,  # type: ignore[arg-type]
        )
    )


PERSON: Item = {"PK": {"S": "CITY#c1"}, "SK": Person.key("c1", 1).key["SK"]}
MARKER: Item = {"PK": {"S": "UNIQUE#Person#email#1@x.org"}, "SK": {"S": "UNIQUE"}}
CITY: Item = {"PK": {"S": "CITY#c1"}, "SK": {"S": "CITY"}}

FAULTS: dict[str, tuple[Callable[[Tables], object], str, str, str]] = {
    "attribute": (edit(PERSON, "REMOVE greeting"), STEPS[4], "different", "PK=CITY#c1 SK=PERSON"),
    "new item without a marker": (
        lambda tables: tables.put({**tables.person(20), "greeting": {"S": "hi"}}),
        STEPS[5],
        "different",
        "email#20@x.org",
    ),
    "marker of another": (
        edit(MARKER, "SET owner_SK = PK"),
        STEPS[5],
        "extra",
        "its owner does not have its value",
    ),
    "number": (edit(CITY, "SET people = :n", n="99"), STEPS[6], "different", "PK=CITY#c1 SK=CITY"),
    "old item": (
        lambda tables: tables.put(
            {
                "PK": {"S": "NOTE#z"},
                "SK": {"S": "OLD"},
                "type": {"S": "oldnote"},
                "text": {"S": "z"},
            }
        ),
        STEPS[7],
        "different",
        "PK=NOTE#z SK=OLD",
    ),
    "index": (
        lambda tables: tables.engine.execute(
            ops.UpdateTable(
                "shop",
                global_secondary_index_updates=[
                    ops.GlobalSecondaryIndexUpdate(
                        delete=ops.DeleteGlobalSecondaryIndexAction("by_city")
                    )
                ],
            )
        ),
        STEPS[1],
        "missing",
        "index by_city of shop",
    ),
    "created table": (
        lambda tables: tables.engine.execute(ops.DeleteTable("extra")),
        STEPS[2],
        "missing",
        "table extra",
    ),
    "dropped table": (
        lambda tables: Store(tables.engine).admin.create_table(waste),
        STEPS[3],
        "extra",
        "table waste",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_kind_of_fault_is_found(tables: Tables, name: str) -> None:
    tables.runner().run()
    plant, step, kind, text = FAULTS[name]
    plant(tables)
    report = tables.verify()[step]
    assert not report.ok
    assert any(one.kind == kind and text in str(one) for one in report.faults), report.faults


def test_faults_are_repaired(tables: Tables) -> None:
    tables.runner().run()
    for name in ("attribute", "number", "old item"):
        FAULTS[name][0](tables)
    reports = tables.verify(repair=True)
    assert all(report.ok for report in reports.values()), reports
    assert sum(report.repaired for report in reports.values()) == 3
    assert all(not report.faults for report in tables.verify().values())


def test_a_repair_whose_condition_fails_is_not_counted(tables: Tables) -> None:
    tables.runner().run()
    FAULTS["attribute"][0](tables)
    store = Store(tables.engine)

    def repair() -> None:
        store.update(Person.key("c1", 1), Person.greeting.set("hey"))

    driver = InterruptedDriver(tables.engine, ops.TransactWriteItems, before=repair)
    runner = MigrationRunner(MIGRATION, driver, segments=1, sleep=tables.clock.sleep)
    report = verify(runner, repair=True)[4]
    assert (report.step, report.faults, report.repaired) == (STEPS[4], [], 0)


def test_concurrent_writes_are_not_faults(tables: Tables) -> None:
    tables.runner().run()
    store = Store(tables.engine)
    FAULTS["attribute"][0](tables)
    # The application repairs the item before it is looked at again.
    tables.clock.on_sleep = lambda: store.update(Person.key("c1", 1), Person.greeting.set("hey"))
    report = tables.verify()[STEPS[4]]
    assert (report.suspects, report.faults) == (1, [])


def test_the_plan_is_what_the_run_consumes(tables: Tables) -> None:
    plan = dry_run(MIGRATION, tables.engine, segments=1, clock=tables.clock)
    for number, step in enumerate(MIGRATION.steps):
        driver = CountingDriver(tables.engine)
        alone = Migration(step, name=f"step{number}")
        if isinstance(step, DropTable):
            continue
        MigrationRunner(
            alone, driver, segments=1, clock=tables.clock, sleep=tables.clock.sleep
        ).run()
        planned = plan.steps[number]
        done = driver.count
        read = done.read_units + done.state_read_units
        write = done.write_units + done.state_write_units
        # A scan reads the state, too, which may be in another block of 4 KB.
        assert planned.read_units == pytest.approx(read, abs=1), planned.step
        # DynamoDB writes the entries of a new index.
        expected = 12 if isinstance(step, AddIndex) else write
        assert planned.write_units == expected, planned.step


def test_a_dry_run_changes_nothing_and_finds_duplicates(tables: Tables) -> None:
    result = dry_run(MIGRATION, tables.engine, segments=1, clock=tables.clock)
    assert result.ok
    backfill = result.steps[4]
    (example, *_) = backfill.examples
    # The entity has the default before and after, so the attributes are shown.
    assert isinstance(example.after[0], dict)
    assert example.after[0]["greeting"] == {"S": "hello"}
    # Markers are new items, so there is nothing to show that changes.
    assert result.steps[5].examples == []
    (example, *_) = result.steps[7].examples
    assert isinstance(example.before[0], OldNote)
    assert example.after == [Note(text=example.before[0].text)]
    tables.put(tables.person(30, "1@x.org"))
    result = dry_run(MIGRATION, tables.engine, segments=1, clock=tables.clock)
    unique = result.steps[5]
    assert (result.ok, unique.failed) == (False, 2)
    assert tables.verify() == {}
