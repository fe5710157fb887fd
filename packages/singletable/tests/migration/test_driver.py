"""An application on SwitchingDriver through all phases of a copy: pass, wait, refuse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable import AsyncEngine, AsyncStore, Engine, Store, Table, errors
from singletable.migration import AsyncSwitchingDriver, Copy, Migration, SwitchingDriver, unchanged
from singletable.migration.runner import MigrationRunner
from singletable.migration.state import PHASE_SECONDS
from tests.migration.doubles import Clock
from tests.migration.test_runner import (
    MOVE,
    ONE_WAY,
    OldPerson,
    Person,
    create_tables,
    people,
    pets,
    zoo,
)

OLD = OldPerson(name="ada", age=36)
NEW = Person(name="ada", age=36)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        create_tables(engine, people, pets, zoo)
        Store(engine).put(OLD)
        yield engine


def runner(engine: Engine, clock: Clock, migration: Migration = MOVE) -> MigrationRunner:
    return MigrationRunner(migration, engine, clock=clock, sleep=clock.sleep, segments=1)


def go_to(phase: str, move: MigrationRunner) -> None:
    steps: dict[str, list[Callable[[], object]]] = {
        "not begun": [],
        "ready": [move.run],
        "cut-over": [move.run, move.cut_over],
        "finished": [move.run, move.cut_over, move.finish],
        "rolled-back": [move.run, move.cut_over, lambda: move.rollback(accept_loss=True)],
    }
    for step in steps[phase]:
        step()


def access(store: Store, entity: Any) -> str:
    """Return what is possible with the table of an entity: r, w, or both."""
    key: Any = type(entity).key("ada")
    requests: dict[str, Callable[[], object]] = {
        "r": lambda: store.get(key),
        "w": lambda: store.put(entity),
    }
    found = ""
    for name, request in requests.items():
        try:
            request()
            found += name
        except errors.MigrationError:
            pass
    return found


@pytest.mark.parametrize(
    ("migration", "phase", "old", "new"),
    [
        (MOVE, "not begun", "rw", "rw"),
        (MOVE, "ready", "rw", "r"),
        (MOVE, "cut-over", "r", "rw"),
        (ONE_WAY, "cut-over", "", "rw"),
        (MOVE, "finished", "", "rw"),
        (MOVE, "rolled-back", "rw", ""),
    ],
)
def test_the_phase_decides_which_tables_are_used(
    engine: Engine, clock: Clock, migration: Migration, phase: str, old: str, new: str
) -> None:
    go_to(phase, runner(engine, clock, migration))
    store = Store(SwitchingDriver(engine, migration=migration, clock=clock, sleep=clock.sleep))
    assert (access(store, OLD), access(store, NEW)) == (old, new)


def statements(table: str, key: str) -> list[ops.Operation[Any]]:
    insert = f"INSERT INTO \"{table}\" VALUE {{{key}, 'age': 1}}"
    return [
        ops.ExecuteStatement(insert),
        ops.BatchExecuteStatement([ops.BatchStatementRequest(insert)]),
        ops.ExecuteTransaction([ops.ParameterizedStatement(insert)]),
    ]


@pytest.mark.parametrize("number", range(3))
def test_partiql_statements_obey_the_phase_and_are_carried_over(
    engine: Engine, clock: Clock, number: int
) -> None:
    move = runner(engine, clock)
    move.run()
    driver = SwitchingDriver(engine, migration=MOVE, clock=clock, sleep=clock.sleep)
    into_old = statements("people", "'name': 'bob'")[number]
    driver.execute(into_old)
    driver.execute(ops.ExecuteStatement("SELECT * FROM people WHERE name = 'bob'"))
    with pytest.raises(errors.MigrationError):
        driver.execute(statements("zoo", "'PK': 'x', 'SK': 'y'")[number])
    move.cut_over()
    clock.now += PHASE_SECONDS
    assert Store(engine).get(Person.key("bob")) == Person(name="bob", age=1)
    with pytest.raises(errors.MigrationError):
        driver.execute(into_old)


def test_writes_wait_while_the_tables_switch(engine: Engine, clock: Clock) -> None:
    move = runner(engine, clock)
    move.run()
    waiting = Clock()
    driver = SwitchingDriver(engine, migration=MOVE, clock=waiting, sleep=waiting.sleep)

    def write() -> None:
        clock.on_sleep = None
        with pytest.raises(errors.ServiceUnavailable, match="Nothing was written"):
            driver.execute(ops.PutItem("people", {"name": {"S": "bob"}, "age": {"N": "1"}}))
        assert sum(waiting.slept) == pytest.approx(30, abs=1)
        assert Store(driver).get(OldPerson.key("ada")) == OLD

    clock.on_sleep = write
    assert move.cut_over().paused == 1000 * PHASE_SECONDS


# The process stands still before or after its request reaches the table. Meanwhile, nothing
# happens, the tables are switched, or they are switched and rolled back.
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("seconds", [0, PHASE_SECONDS, 60])
@pytest.mark.parametrize("switch", ["none", "cut-over", "rolled-back"])
def test_an_acknowledged_write_is_never_lost(
    engine: Engine, clock: Clock, when: str, seconds: float, switch: str
) -> None:
    move = runner(engine, clock)
    move.run()

    def stall() -> None:
        clock.now += seconds
        if switch != "none":
            move.cut_over()
        if switch == "rolled-back":
            move.rollback()

    stops: dict[str, Any] = {when: stall}
    slow = InterruptedDriver(engine, ops.PutItem, **stops)
    driver = SwitchingDriver(slow, migration=MOVE, clock=clock, sleep=clock.sleep)
    put = ops.PutItem("people", {"name": {"S": "bob"}, "age": {"N": "1"}})
    if switch == "cut-over":
        with pytest.raises(errors.InternalError, match="may or may not have been applied"):
            driver.execute(put)
        return
    driver.execute(put)
    if switch == "rolled-back":
        move.run()
    move.cut_over()
    assert Store(engine).get(Person.key("bob")) == Person(name="bob", age=1)


def test_a_copy_to_another_address_is_followed_under_the_same_name(clock: Clock) -> None:
    there = Table("people", pk="name", sk=None)
    migration = Migration(Copy(there, unchanged(people)), name="0001_move")
    with Engine.in_memory() as source, Engine.in_memory() as target:
        for engine in (source, target):
            create_tables(engine, people)
        Store(source).put(OLD)
        driver = SwitchingDriver(
            source, target, migration=migration, clock=clock, sleep=clock.sleep
        )
        store = Store(driver)
        move = MigrationRunner(migration, source, target, clock=clock, sleep=clock.sleep)
        move.run()
        store.put(OldPerson(name="bob"))
        move.cut_over()
        clock.now += PHASE_SECONDS
        store.put(OldPerson(name="eve"))
        assert {one.name for one in Store(target).admin.scan(OldPerson)} == {"ada", "bob", "eve"}
        assert {one.name for one in Store(source).admin.scan(OldPerson)} == {"ada", "bob"}


def test_a_request_may_name_a_table_by_its_arn(engine: Engine, clock: Clock) -> None:
    go_to("cut-over", runner(engine, clock))
    arn = engine.execute(ops.DescribeTable("people")).table.table_arn
    driver = SwitchingDriver(engine, migration=MOVE, clock=clock, sleep=clock.sleep)
    with pytest.raises(errors.MigrationError, match="old table"):
        driver.execute(ops.PutItem(arn, {"name": {"S": "bob"}}))


def test_requests_on_both_sides_or_on_other_tables(engine: Engine, clock: Clock) -> None:
    driver = SwitchingDriver(engine, migration=MOVE, clock=clock, sleep=clock.sleep)
    names: dict[str, list[Item]] = {
        "people": [{"name": {"S": "a"}}],
        "zoo": [{"PK": {"S": "a"}, "SK": {"S": "b"}}],
    }
    both = {name: ops.KeysAndAttributes(keys) for name, keys in names.items()}
    with pytest.raises(errors.MigrationError, match="both sides"):
        driver.execute(ops.BatchGetItem(both))
    create_tables(engine, Table("others"))
    go_to("finished", runner(engine, clock))
    driver.execute(ops.PutItem("others", {"PK": {"S": "a"}, "SK": {"S": "b"}}))
    assert driver.execute(ops.DescribeTable("people")).table.table_name == "people"


def test_an_async_application_follows_the_phase(engine: Engine, clock: Clock) -> None:
    async def sleep(seconds: float) -> None:
        clock.sleep(seconds)

    driver = AsyncSwitchingDriver(AsyncEngine(engine), migration=MOVE, clock=clock, sleep=sleep)

    async def put(entity: Any) -> None:
        await AsyncStore(driver).put(entity)

    asyncio.run(put(OldPerson(name="bob")))
    go_to("cut-over", runner(engine, clock))
    clock.now += PHASE_SECONDS
    asyncio.run(put(Person(name="eve", age=1)))
    with pytest.raises(errors.MigrationError):
        asyncio.run(put(OLD))
    assert Store(engine).get(Person.key("bob")) is not None


def test_wrong_arguments_are_rejected(engine: Engine) -> None:
    create: Any = SwitchingDriver
    twice = Table("people", pk="PK", sk=None)
    same = Migration(Copy(twice, *MOVE.steps[0].rules), name="0001")  # type: ignore[attr-defined]
    rows: list[tuple[Callable[[], object], str]] = [
        (lambda: create("memory:", migration=MOVE), "expected a driver"),
        (lambda: create(AsyncEngine(engine), migration=MOVE), "async"),
        (lambda: create(engine, migration="0001"), "expected a Migration"),
        (lambda: create(engine, migration=Migration(*MOVE.steps)), "no name"),
        (lambda: create(engine, migration=same), "side="),
    ]
    for wrong, message in rows:
        with pytest.raises(errors.InvalidValue, match=message):
            wrong()
