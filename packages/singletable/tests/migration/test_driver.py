"""An application that runs on MigratingDriver through all phases of a copy."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from singletable import (
    AsyncEngine,
    AsyncStore,
    Driver,
    Engine,
    ItemKey,
    Store,
    Table,
    connect,
    errors,
)
from singletable import operations as ops
from singletable.migration import Copy, Migration, each, unchanged
from singletable.migration.driver import AsyncMigratingDriver, MigratingDriver
from singletable.migration.markers import GRACE_SECONDS
from singletable.migration.runner import MigrationRunner
from singletable.testing import Crash, InterruptedDriver, endpoint
from singletable.values import Item
from tests.designs.site import COPY
from tests.migration import copy_site
from tests.migration.copy_site import stored
from tests.migration.doubles import Clock, without_feed
from tests.migration.test_runner import (
    MOVE,
    OldPerson,
    OldPet,
    Person,
    Pet,
    create_tables,
    new_items,
    old_items,
    people,
    pets,
    write_new,
    write_old,
    zoo,
)


@pytest.fixture
def engine(engine: Engine) -> Engine:
    create_tables(engine, people, pets, zoo)
    return engine


def driver_on(
    driver: Driver, clock: Clock, migration: Migration = MOVE, **settings: Any
) -> MigratingDriver:
    return MigratingDriver(
        without_feed(driver), migration=migration, clock=clock, sleep=clock.sleep, **settings
    )


def runner_on(
    driver: Driver, clock: Clock, migration: Migration = MOVE, **settings: Any
) -> MigrationRunner:
    return MigrationRunner(
        migration, without_feed(driver), clock=clock, sleep=clock.sleep, segments=1, **settings
    )


def begun(engine: Engine, clock: Clock, **settings: Any) -> MigratingDriver:
    """Return a driver that the runner knows of: it has executed a request."""
    driver = driver_on(engine, clock, **settings)
    Store(driver).put(OldPerson(name="ada", age=36))
    return driver


def at_phase(engine: Engine, clock: Clock, phase: str, **settings: Any) -> MigratingDriver:
    driver = begun(engine, clock, **settings)
    runner = runner_on(engine, clock)
    if phase in ("ready", "cut-over", "finished", "rolled-back"):
        runner.run()
    if phase in ("cut-over", "finished", "rolled-back"):
        runner.cut_over()
    if phase == "finished":
        runner.finish()
    if phase == "rolled-back":
        runner.rollback()
    clock.sleep(2)
    return driver


# With the runner


@pytest.mark.parametrize("seed", range(4))
def test_writes_between_the_requests_of_the_runner_are_carried_over(seed: int) -> None:
    with Engine.in_memory() as engine:
        random = Random(seed)
        copy_site.create_site(engine, random)
        clock = Clock()
        driver = driver_on(engine, clock, COPY)
        copy_site.write_old(driver, random)

        def disturb() -> None:
            if random.random() < 0.3:
                copy_site.write_old(driver, random)

        runner_on(
            InterruptedDriver(engine, before=disturb, times=None), clock, COPY, page_size=3
        ).run()
        copy_site.write_old(driver, random, 10)
        assert stored(engine) == copy_site.freshly_copied(engine)
        assert (driver.failures, driver.last_failure) == (0, None)


def test_a_process_killed_at_any_request_loses_nothing(clock: Clock) -> None:
    for requests in range(0, 30, 2):
        with Engine.in_memory() as engine:
            create_tables(engine, people, pets, zoo)
            driver = at_phase(engine, clock, "ready")
            mortal = InterruptedDriver(engine)
            mortal.crash_after(requests)
            store = Store(driver_on(mortal, clock))
            try:
                for number in range(3):
                    store.put(OldPet(pet="rex", owner=f"owner{number}"))
                    store.delete(OldPet.key("rex"))
            except Crash:
                pass
            runner_on(engine, clock).cut_over()
            assert old_items(engine) == new_items(engine)
            assert Store(driver).get(Person.key("ada")) is not None


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_and_back_loses_nothing(engine: Engine, clock: Clock, seed: int) -> None:
    random = Random(seed)
    driver = begun(engine, clock)
    write_old(driver, random, 15)
    runner = runner_on(engine, clock)
    assert (runner.run().phase, runner.status().changes) == ("ready", "driver")
    for _ in range(15):
        write_old(driver, random)
        assert old_items(engine) == new_items(engine)
    runner.cut_over()
    clock.sleep(2)
    for _ in range(15):
        write_new(driver, random)
        assert old_items(engine) == new_items(engine)
    runner.rollback()
    clock.sleep(2)
    write_old(driver, random)
    with pytest.raises(errors.MigrationError, match="not kept up to date"):
        write_new(driver, random)


def test_a_write_waits_while_the_runner_switches(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "ready")
    new = driver_on(engine, clock)
    tried: list[str] = []

    def write() -> None:
        if runner.status().phase == "switching" and not tried:
            tried.append("switching")
            clock.sleep(2)
            assert Store(driver).get(OldPerson.key("ada")) is not None
            with pytest.raises(errors.ServiceUnavailable, match="switching to the new table"):
                Store(driver).put(OldPerson(name="bob"))

    runner = runner_on(engine, clock)
    runner_on(InterruptedDriver(engine, before=write, times=None), clock).cut_over()
    assert tried
    assert old_items(engine) == new_items(engine)
    Store(new).put(Person(name="bob", age=1))
    assert Store(engine).get(OldPerson.key("bob")) is not None


def test_an_item_that_a_rule_rejects_is_written_and_reported(engine: Engine, clock: Clock) -> None:
    def to_person(old: OldPerson) -> Person:
        if old.age > 100:
            raise ValueError("too old")
        return Person(name=old.name, age=old.age)

    rules = (
        each(OldPerson, to_person),
        each(OldPet, lambda old: Pet(owner=old.owner, pet=old.pet)),
    )
    migration = Migration(Copy(zoo, *rules), name="0001_zoo")
    driver = driver_on(engine, clock, migration)
    Store(driver).put(OldPerson(name="ada"))
    runner = runner_on(engine, clock, migration)
    runner.run()
    clock.sleep(2)
    Store(driver).put_many([OldPerson(name="ada", age=200), OldPerson(name="bob", age=20)])
    assert Store(engine).get(OldPerson.key("ada")) == OldPerson(name="ada", age=200)
    assert Store(engine).get(Person.key("bob")) == Person(name="bob", age=20)
    assert driver.failures == 1
    assert isinstance(driver.last_failure, errors.TransformFailed)
    with pytest.raises(errors.TransformFailed, match="name=ada: ValueError: too old"):
        runner.cut_over()
    Store(driver).put(OldPerson(name="ada", age=100))
    runner.cut_over()
    assert old_items(engine) == new_items(engine)


def puts_person(operation: ops.Operation[Any]) -> bool:
    return isinstance(operation, ops.PutItem) and operation.table_name == "people"


@pytest.mark.parametrize("applied", [False, True])
def test_a_write_with_unknown_outcome_is_carried_over(
    engine: Engine, clock: Clock, applied: bool
) -> None:
    at_phase(engine, clock, "ready")
    lost = errors.ConnectionFailed("lost", may_have_arrived=True)
    when: Any = {"after" if applied else "before": lost}
    driver = driver_on(InterruptedDriver(engine, puts_person, times=None, **when), clock)
    create = ops.PutItem(
        "people",
        {"name": {"S": "bob"}, "age": {"N": "2"}},
        condition_expression="attribute_not_exists(age)",
    )
    with pytest.raises(errors.ConnectionFailed):
        driver.execute(create)
    assert old_items(engine) == new_items(engine)
    # It may still arrive: the marker stays, and the runner looks again.
    engine.execute(ops.PutItem("people", {"name": {"S": "bob"}, "age": {"N": "3"}}))
    before = clock.now
    runner_on(engine, clock).cut_over()
    assert clock.now - before >= GRACE_SECONDS
    assert old_items(engine) == new_items(engine)


def test_rejected_writes_leave_no_marker(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "ready")
    with pytest.raises(Exception, match="conditional request failed"):
        driver.execute(
            ops.PutItem(
                "people", {"name": {"S": "ada"}}, condition_expression="attribute_not_exists(age)"
            )
        )
    with pytest.raises(Exception, match="key"):
        driver.execute(ops.PutItem("people", {"nobody": {"S": "ada"}}))
    before = clock.now
    runner_on(engine, clock).cut_over()
    assert clock.now - before < GRACE_SECONDS


def test_a_slow_write_that_began_before_the_copy_is_carried_over(
    engine: Engine, clock: Clock
) -> None:
    slow = InterruptedDriver(engine, puts_person, before=lambda: runner_on(engine, clock).run())
    begun(engine, clock)
    Store(driver_on(slow, clock)).put(OldPerson(name="bob", age=1))
    assert old_items(engine) == new_items(engine)


def test_large_items_are_carried_over(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "ready")
    for age in range(3):
        text = f"{age} A long text that can be compressed. " * 7000
        item: Item = {"name": {"S": "ada"}, "age": {"N": str(age)}, "text": {"S": text}}
        driver.execute(ops.PutItem("people", item))
    runner_on(engine, clock).cut_over()
    assert old_items(engine) == new_items(engine)


def test_markers_without_room_do_not_stop_the_application(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "ready")
    random = Random(1)
    for age in range(2):
        blob = b64encode(random.randbytes(250_000)).decode()
        item: Item = {"name": {"S": "ada"}, "age": {"N": str(age)}, "blob": {"B": blob}}
        driver.execute(ops.PutItem("people", item))
    runner = runner_on(engine, clock)
    with pytest.raises(errors.MigrationError, match="it starts the copy over"):
        runner.cut_over()
    assert runner.run().phase == "ready"
    runner.cut_over()
    assert old_items(engine) == new_items(engine)


def test_runner_waits_for_drivers_that_started_before_the_new_table_existed(clock: Clock) -> None:
    with Engine.in_memory() as engine:
        create_tables(engine, people, pets)
        driver = begun(engine, clock)
        create_tables(engine, zoo)
        runner = runner_on(engine, clock, changes="driver")
        runner.run()
        Store(driver).put(OldPerson(name="bob", age=1))
        assert old_items(engine) == new_items(engine)
        runner.cut_over()
        Store(driver).put(Person(name="eve", age=1))
        assert old_items(engine) == new_items(engine)


# Phases


REFUSED = {
    "ready": ["new write"],
    "cut-over": ["old write"],
    "finished": ["old read", "old write"],
    "rolled-back": ["new read", "new write"],
}


@pytest.mark.parametrize("phase", REFUSED)
def test_each_version_of_the_application_is_refused_where_it_would_lose_data(
    engine: Engine, clock: Clock, phase: str
) -> None:
    driver = at_phase(engine, clock, phase)
    store = Store(driver)
    calls: dict[str, Callable[[], object]] = {
        "old read": lambda: store.get(OldPerson.key("ada")),
        "old write": lambda: store.put(OldPerson(name="ada", age=1)),
        "new read": lambda: store.get(Person.key("ada")),
        "new write": lambda: store.put(Person(name="ada", age=1)),
    }
    refused: list[str] = []
    for name, call in calls.items():
        try:
            call()
        except errors.MigrationError:
            refused.append(name)
    assert refused == REFUSED[phase]
    assert driver.execute(ops.DescribeTable("people")).table.table_name == "people"


def test_other_tables_pass(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "finished")
    create_tables(driver, Table("other"))
    item: Item = {"PK": {"S": "a"}, "SK": {"S": "b"}}
    driver.execute(ops.PutItem("other", item))
    assert driver.execute(ops.Scan("other")).items == [item]


def test_tables_may_be_named_by_their_arn(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "ready")
    arn = engine.execute(ops.DescribeTable("people")).table.table_arn
    driver.execute(ops.PutItem(arn, {"name": {"S": "bob"}, "age": {"N": "1"}}))
    wanted = {arn: ops.KeysAndAttributes([{"name": {"S": "bob"}}])}
    assert list(driver.execute(ops.BatchGetItem(wanted)).responses) == [arn]
    assert old_items(engine) == new_items(engine)
    assert ("person", "bob", "1") in new_items(engine)
    assert driver.execute(ops.ListTagsOfResource(arn)).tags == []


@pytest.mark.parametrize("phase", ["ready", "cut-over"])
def test_table_of_another_account_or_region_is_not_taken_for_one_of_the_copy(
    engine: Engine, clock: Clock, phase: str
) -> None:
    driver = at_phase(engine, clock, phase)
    before = old_items(engine), new_items(engine)
    item: Item = {"name": {"S": "bob"}, "age": {"N": "1"}}
    for table in ("people", "zoo"):
        arn = engine.execute(ops.DescribeTable(table)).table.table_arn
        account, region = arn.split(":")[4], arn.split(":")[3]
        for foreign in (arn.replace(account, "999999999999"), arn.replace(region, "eu-west-1")):
            for operation in (
                ops.PutItem(foreign, item),
                ops.Scan(foreign),
                ops.DescribeTable(foreign),
            ):
                with pytest.raises((errors.ValidationError, errors.AccessDenied)):
                    driver.execute(operation)
    assert (old_items(engine), new_items(engine)) == before


# The index of another table may have the name of this one.
def test_other_resources_are_not_taken_for_a_table(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "ready")
    arn = engine.execute(ops.DescribeTable("people")).table.table_arn
    for wrong in (f"{arn}/index/people", arn.replace("table/", "backup/"), "other/people"):
        with pytest.raises(errors.ValidationError):
            driver.execute(ops.Scan(wrong))


def test_a_request_on_both_sides_is_refused(engine: Engine, clock: Clock) -> None:
    driver = driver_on(engine, clock)
    keys = {"people": ops.KeysAndAttributes([]), "zoo": ops.KeysAndAttributes([])}
    with pytest.raises(errors.MigrationError, match="BatchGetItem uses people, zoo"):
        driver.execute(ops.BatchGetItem(keys))


def test_wrong_arguments_are_rejected(engine: Engine) -> None:
    create: Any = MigratingDriver
    twin = Table("people", pk="PK", sk="SK")
    with_twin = Migration(Copy(twin, each(OldPerson, lambda old: None)), name="0001_twin")
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: create(engine, migration="0001_zoo"), "expected a Migration"),
        (lambda: create(engine, migration=Migration(name="0001_x")), "a Copy as its last step"),
        (lambda: create(engine, migration=Migration(*MOVE.steps)), "has no name"),
        (lambda: create("memory:", migration=MOVE), "expected a sync driver"),
        (lambda: create(AsyncEngine(engine), migration=MOVE), "expected a sync driver"),
        (lambda: AsyncMigratingDriver(engine, migration=MOVE), "an async driver"),  # type: ignore[arg-type]
        (lambda: create(engine, migration=MOVE, side="old"), "expected 'source' or 'target'"),
        (lambda: create(engine, migration=MOVE, locate="name"), "expected a function"),
        (lambda: create(engine, migration=MOVE, tables={"zoo": "zoo2"}), "not a Table"),
        (lambda: create(engine, migration=with_twin), "both named 'people'"),
    ]
    for call, message in wrong:
        with pytest.raises(errors.InvalidValue, match=message):
            call()


def test_invalid_keys_leave_no_marker(engine: Engine, clock: Clock) -> None:
    driver = at_phase(engine, clock, "ready")
    for key in ({"N": "1"}, {"S": ""}, {"S": "x" * 3000}, {}, {"S": 1}, None):
        item: Any = {"name": key}
        with pytest.raises(errors.OperationError):
            driver.execute(ops.PutItem("people", item))
        with pytest.raises(errors.OperationError):
            driver.execute(ops.DeleteItem("people", item))
    before = clock.now
    assert runner_on(engine, clock).cut_over().phase == "cut-over"
    assert clock.now - before < GRACE_SECONDS


# The new version before the cut-over


def locate(key: Item) -> list[ItemKey[Any]]:
    name = key["PK"].get("S", "").removeprefix("PERSON#")
    kind, _, pet = key["SK"].get("S", "").partition("#")
    return [OldPet.key(pet)] if kind == "PET" else [OldPerson.key(name)]


def copying(engine: Engine, clock: Clock, **settings: Any) -> MigratingDriver:
    """Return a driver while a copy has begun, but copied nothing."""
    driver = begun(engine, clock, **settings)
    Store(driver).put(OldPet(pet="rex", owner="ada"))
    mortal, requests = InterruptedDriver(engine), 0
    while runner_on(engine, clock).status().phase != "copying":
        mortal.crash_after(requests)
        requests += 1
        with suppress(Crash):
            runner_on(mortal, clock).run()
        clock.sleep(31)
    assert new_items(engine) == set()
    return driver


def test_new_items_are_derived_before_they_are_copied(engine: Engine, clock: Clock) -> None:
    driver = copying(engine, clock, locate=locate)
    store = Store(driver)
    assert store.get(Person.key("ada")) == Person(name="ada", age=36)
    assert store.get(Person.key("bob")) is None
    assert store.get_many([Person.key("ada"), Person.key("bob")])[1] is None
    assert store.get(Pet.key("ada", "rex")) == Pet(owner="ada", pet="rex")
    assert store.get(Pet.key("bob", "rex")) is None
    key: Item = {"PK": {"S": "PERSON#ada"}, "SK": {"S": "PERSON"}}
    get = ops.GetItem("zoo", key, projection_expression="age")
    assert driver.execute(get).item == {"age": {"N": "36"}}
    transaction = ops.TransactGetItems([ops.TransactGetItem(ops.Get("zoo", key))])
    (response,) = driver.execute(transaction).responses
    assert response.item == {"name": {"S": "ada"}, "age": {"N": "36"}, **key}
    with pytest.raises(errors.MigrationError, match="not complete yet"):
        driver.execute(ops.Scan("zoo"))


def test_without_locate_an_item_that_is_not_copied_is_an_error(
    engine: Engine, clock: Clock
) -> None:
    store = Store(copying(engine, clock))
    with pytest.raises(errors.MigrationError, match="may not be copied yet"):
        store.get(Person.key("ada"))
    store.put(OldPerson(name="ada", age=37))
    assert store.get(Person.key("ada")) == Person(name="ada", age=37)


def test_an_unchanged_table_is_used_under_both_names(clock: Clock) -> None:
    old, new = Table("old"), Table("new")
    migration = Migration(Copy(new, unchanged(old), back=[unchanged(new)]), name="0001_move")
    item: Item = {"PK": {"S": "a"}, "SK": {"S": "1"}}
    other: Item = {"PK": {"S": "b"}, "SK": {"S": "1"}}
    with Engine.in_memory() as engine:
        create_tables(engine, old, new)
        driver = driver_on(engine, clock, migration)
        driver.execute(ops.PutItem("old", item))
        runner = runner_on(engine, clock, migration)
        runner.run()
        clock.sleep(2)
        driver.execute(ops.PutItem("new", other))
        assert stored(engine, "old") == stored(engine, "new")
        wanted = {"new": ops.KeysAndAttributes([item, other])}
        assert len(driver.execute(ops.BatchGetItem(wanted)).responses["new"]) == 2
        runner.cut_over()
        clock.sleep(2)
        driver.execute(ops.DeleteItem("new", item))
        assert list(stored(engine, "old").values()) == [other]


def test_a_table_of_the_same_name_moves_to_another_address(clock: Clock) -> None:
    old, new = Table("items"), Table("items")
    migration = Migration(Copy(new, unchanged(old), back=[unchanged(new)]), name="0001_move")
    item: Item = {"PK": {"S": "a"}, "SK": {"S": "1"}}
    with Engine.in_memory() as here, Engine.in_memory() as there:
        create_tables(here, old)
        create_tables(there, new)
        source, target = without_feed(here), without_feed(there)
        times: dict[str, Any] = {"clock": clock, "sleep": clock.sleep}
        driver = MigratingDriver(source, target, migration=migration, **times)
        driver.execute(ops.PutItem("items", item))
        runner = MigrationRunner(migration, source, target, segments=1, **times)
        runner.run()
        clock.sleep(2)
        for phase in ("ready", "cut-over"):
            driver.execute(ops.PutItem("items", {**item, "phase": {"S": phase}}))
            assert stored(here, "items") == stored(there, "items")
            assert driver.execute(ops.GetItem("items", item)).item is not None
            if phase == "ready":
                runner.cut_over()
                clock.sleep(2)


# Other faces


def test_the_async_driver_does_the_same(engine: Engine, clock: Clock) -> None:
    async def sleep(seconds: float) -> None:
        clock.sleep(seconds)

    async def use() -> None:
        times: dict[str, Any] = {"clock": clock, "sleep": sleep}
        driver = AsyncMigratingDriver(AsyncEngine(engine), migration=MOVE, **times)
        store = AsyncStore(driver)
        await store.put(OldPerson(name="ada", age=36))
        runner_on(engine, clock).run()
        clock.sleep(2)
        await asyncio.gather(
            *(store.put(OldPet(pet="rex", owner=f"owner{number}")) for number in range(4)),
            store.put_many([OldPerson(name=f"person{number}") for number in range(30)]),
        )
        await store.delete(OldPerson.key("ada"))
        assert (driver.failures, driver.last_failure) == (0, None)

    asyncio.run(use())
    assert old_items(engine) == new_items(engine)
    assert len(new_items(engine)) == 31


def test_migrating_driver_works_over_http(clock: Clock) -> None:
    with endpoint(Engine.in_memory()) as url, connect(f"dynamodb+{url}") as remote:
        create_tables(remote, people, pets, zoo)
        driver = driver_on(remote, clock)
        Store(driver).put(OldPerson(name="ada", age=36))
        runner_on(remote, clock).run()
        clock.sleep(2)
        Store(driver).put(OldPet(pet="rex", owner="ada"))
        with Store(driver).transaction() as transaction:
            transaction.put(OldPet(pet="tom", owner="bob"))
            transaction.delete(OldPerson.key("ada"))
        assert old_items(remote) == new_items(remote) != set()
