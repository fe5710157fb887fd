"""Cut over, roll back, finish: who may do what in which phase, and that no change is lost."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count, takewhile
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from dynamodb_engine import Driver, Engine, Settings
from dynamodb_engine import operations as ops
from dynamodb_engine.retry import send
from dynamodb_engine.testing import Crash, InterruptedDriver, endpoint
from dynamodb_engine.values import Item
from singletable import (
    Attr,
    Binary,
    Entity,
    Key,
    Number,
    Store,
    Table,
    attr,
    connect,
    errors,
    expires,
)
from singletable.migration import Copy, Migration, each, unchanged
from singletable.migration.driver import SwitchingDriver
from singletable.migration.environment import StepProgress
from singletable.migration.runner import MigrationRunner
from singletable.migration.two_addresses import Place
from singletable.schema import model_of
from tests.migration.copy_site import stored
from tests.migration.doubles import Clock, without_streams

people = Table("people", pk="name", sk=None)
pets = Table("pets", pk="pet", sk=None)
zoo = Table("zoo", pk="PK", sk="SK")


class OldPerson(Entity, table=people):
    name: Attr[str] = attr()
    age: Attr[int] = attr(default=0)
    key = Key(pk=name)


class OldPet(Entity, table=pets):
    pet: Attr[str] = attr()
    owner: Attr[str] = attr()
    key = Key(pk=pet)


class Person(Entity, table=zoo):
    name: Attr[str] = attr()
    age: Attr[int] = attr()
    key = Key(pk=("PERSON", name), sk="PERSON")


class Pet(Entity, table=zoo):
    owner: Attr[str] = attr()
    pet: Attr[str] = attr()
    key = Key(pk=("PERSON", owner), sk=("PET", pet))


class Ticket(Entity, table=zoo):
    """Only in the new table."""

    number: Attr[int] = attr()
    key = Key(pk=("TICKET", number), sk="TICKET")


FORWARD = (
    each(OldPerson, lambda old: Person(name=old.name, age=old.age)),
    each(OldPet, lambda old: Pet(owner=old.owner, pet=old.pet)),
)
BACK = (
    each(Person, lambda new: OldPerson(name=new.name, age=new.age)),
    each(Pet, lambda new: OldPet(pet=new.pet, owner=new.owner)),
    each(Ticket, lambda new: None),
)
MOVE = Migration(Copy(zoo, *FORWARD, back=BACK), name="0001_zoo")
ONE_WAY = Migration(Copy(zoo, *FORWARD), name="0001_zoo")


expiring = Table("expiring", pk="name", sk=None, ttl="until")


class OldGuest(Entity, table=expiring):
    name: Attr[str] = attr()
    until: Attr[datetime | None] = expires(default=None)
    key = Key(pk=name)


FORGET = Copy(
    zoo,
    each(OldGuest, lambda old: Person(name=old.name, age=0)),
    back=[each(Person, lambda new: OldGuest(name=new.name))],
)


def create_tables(driver: Driver, *tables: Table) -> None:
    for table in tables:
        Store(driver).admin.create_table(table)


def write_old(driver: Driver, random: Random, times: int = 1) -> None:
    for _ in range(times):
        name, pet = random.choice("abcd"), random.choice("pqrs")
        match random.randrange(5):
            case 0 | 1:
                item: Item = {"name": {"S": name}, "age": {"N": str(random.randrange(5))}}
                driver.execute(ops.PutItem("people", item))
            case 2:
                driver.execute(ops.PutItem("pets", {"pet": {"S": pet}, "owner": {"S": name}}))
            case 3:
                driver.execute(ops.DeleteItem("people", {"name": {"S": name}}))
            case _:
                driver.execute(ops.DeleteItem("pets", {"pet": {"S": pet}}))


def write_new(driver: Driver, random: Random, times: int = 1) -> None:
    for _ in range(times):
        name, pet = random.choice("abcd"), random.choice("pqrs")
        match random.randrange(5):
            case 0 | 1:
                _put(driver, Person(name=name, age=random.randrange(5)))
            case 2:
                for owner in "abcd":
                    driver.execute(ops.DeleteItem("zoo", Pet.key(owner, pet).key))
                _put(driver, Pet(owner=name, pet=pet))
            case 3:
                driver.execute(ops.DeleteItem("zoo", Person.key(name).key))
            case _:
                _put(driver, Ticket(number=random.randrange(5)))


def _put(driver: Driver, entity: Entity) -> None:
    """Put without the retries of a store: a driver refuses writes for some seconds."""
    driver.execute(ops.PutItem("zoo", model_of(type(entity)).item(vars(entity))))


def old_items(driver: Driver) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for item in stored(driver, "people").values():
        found.add(("person", str(item["name"].get("S")), str(item["age"].get("N"))))
    for item in stored(driver, "pets").values():
        found.add(("pet", str(item["pet"].get("S")), str(item["owner"].get("S"))))
    return found


def new_items(driver: Driver) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for item in stored(driver, "zoo").values():
        kind = str(item["SK"].get("S")).partition("#")[0]
        if kind == "PERSON":
            found.add(("person", str(item["name"].get("S")), str(item["age"].get("N"))))
        elif kind == "PET":
            found.add(("pet", str(item["pet"].get("S")), str(item["owner"].get("S"))))
    return found


@pytest.fixture
def engine(engine: Engine) -> Engine:
    create_tables(engine, people, pets, zoo)
    return engine


def runner(
    driver: Driver,
    clock: Clock,
    migration: Migration = MOVE,
    target: Driver | None = None,
    **settings: Any,
) -> MigrationRunner:
    settings = {"segments": 1, "page_size": 3, **settings}
    return MigrationRunner(migration, driver, target, clock=clock, sleep=clock.sleep, **settings)


# Where


@contextmanager
def _target(kind: str, tmp_path: Path) -> Generator[Driver]:
    if kind == "file":
        with Engine.on_file(tmp_path / "zoo.db") as engine:
            yield engine
    else:
        with endpoint(Engine.in_memory()) as url, connect(f"dynamodb+{url}") as far:
            yield far


@pytest.mark.parametrize("kind", ["file", "http"])
def test_a_copy_to_another_address_and_back(kind: str, clock: Clock, tmp_path: Path) -> None:
    random = Random(1)
    with Engine.in_memory() as source, _target(kind, tmp_path) as target:
        create_tables(source, people, pets)
        create_tables(target, zoo)
        write_old(source, random, 20)
        move = runner(source, clock, target=target, segments=2)
        assert move.run().phase == "ready"
        write_old(source, random, 5)
        assert move.status().lag
        assert move.cut_over().phase == "cut-over"
        assert new_items(target) == old_items(source)
        write_new(target, random, 20)
        assert move.rollback().phase == "rolled-back"
        assert old_items(source) == new_items(target)


def test_tables_with_number_and_binary_keys(clock: Clock) -> None:
    numbers = Table("numbers", pk=Number("n"), sk=None)
    blobs = Table("blobs", pk=Number("n"), sk=Binary("b"))
    copied = Table("copied", pk=Number("n"), sk=None)

    class OldBlob(Entity, table=blobs):
        n: Attr[int] = attr()
        b: Attr[bytes] = attr()
        key = Key(pk=n, sk=b)

    class Blob(Entity, table=copied):
        n: Attr[int] = attr()
        b: Attr[bytes] = attr()
        key = Key(pk=n)

    move = Migration(
        Copy(
            copied,
            unchanged(numbers),
            each(OldBlob, lambda old: Blob(n=old.n + 1000, b=old.b)),
        ),
        name="0001_numbers",
    )
    with Engine.in_memory() as engine:
        create_tables(engine, numbers, blobs, copied)
        for number in range(8):
            engine.execute(ops.PutItem("numbers", {"n": {"N": str(number)}}))
            engine.execute(ops.PutItem("blobs", {"n": {"N": str(number)}, "b": {"B": "AAEC"}}))
        disturbed = InterruptedDriver(
            engine,
            before=lambda: engine.execute(ops.DeleteItem("numbers", {"n": {"N": "5"}})),
            times=None,
        )
        assert runner(disturbed, clock, move).run().phase == "ready"
        assert len(stored(engine, "copied")) == 15


# Changes


def test_changes_are_followed_until_stopped(engine: Engine, clock: Clock) -> None:
    random = Random(2)
    move = runner(engine, clock)
    move.run()
    left = 30

    def is_over() -> bool:
        nonlocal left
        left -= 1
        if left % 2:
            write_old(engine, random)
        return left <= 0

    move.follow(is_over)
    write_old(engine, random)
    left = 4
    move.follow(is_over)
    assert new_items(engine) == old_items(engine)


def test_a_follower_leaves_the_cut_over_to_another_process(engine: Engine, clock: Clock) -> None:
    random = Random(3)
    write_old(engine, random, 10)
    follower = runner(engine, clock)
    follower.run()
    done: list[str] = []

    def is_over() -> bool:
        if not done:
            write_old(engine, random)
            runner(engine, clock).cut_over()
        done.append("poll")
        if len(done) < 6:
            write_new(engine, random)
        return len(done) > 20

    follower.follow(is_over)
    assert old_items(engine) == new_items(engine)
    assert follower.status().lag == 0
    # What the follower has carried back is not the work of a forgotten process.
    assert follower.status().stray_writes == ()


def test_without_streams_the_application_must_be_stopped(engine: Engine, clock: Clock) -> None:
    random = Random(4)
    write_old(engine, random, 10)
    driver = without_streams(engine)
    with pytest.raises(errors.MigrationError, match="cannot be enabled"):
        runner(driver, clock).run()
    assert new_items(engine) == set()
    move = runner(driver, clock, changes="none")
    assert (move.run().phase, move.status().changes) == ("ready", "none")
    assert runner(driver, clock).cut_over().stray_writes is None
    with pytest.raises(errors.MigrationError, match='changes="none"'):
        move.rollback()
    assert move.status().phase == "cut-over"
    assert move.rollback(accept_loss=True).phase == "rolled-back"


@pytest.mark.parametrize("seed", range(4))
def test_writes_of_an_application_on_a_switching_driver_are_carried_over_and_back(
    engine: Engine, clock: Clock, seed: int
) -> None:
    random = Random(seed)
    write_old(engine, random, 15)
    application = SwitchingDriver(engine, migration=MOVE, clock=clock, sleep=clock.sleep)
    write = write_old
    left = 0

    def disturb() -> None:
        nonlocal left
        if left and random.random() < 0.5:
            left -= 1
            # A process is not up to date right after the phase changes: then it is refused.
            with suppress(errors.MigrationError, errors.ServiceUnavailable):
                write(application, random)

    move = runner(InterruptedDriver(engine, before=disturb, times=None), clock)
    write_old(application, random)
    left = 30
    assert move.run().changes == "stream"
    left = 20
    rounds = iter(range(25))
    move.follow(lambda: next(rounds, None) is None)
    left = 10
    move.cut_over()
    left = 0
    assert new_items(engine) == old_items(engine)
    clock.now += 10
    write, left = write_new, 20
    rounds = iter(range(25))
    move.follow(lambda: next(rounds, None) is None)
    left = 10
    move.rollback()
    assert new_items(engine) == old_items(engine)


def streams(driver: Driver) -> dict[str, bool]:
    """Return which tables have a stream."""
    tables = {name: driver.execute(ops.DescribeTable(name)).table for name in ("people", "zoo")}
    return {name: one.stream_specification is not None for name, one in tables.items()}


@pytest.mark.parametrize("end", ["finish", "rollback"])
def test_streams_that_the_migration_has_enabled_are_disabled_at_its_end(
    engine: Engine, clock: Clock, end: str
) -> None:
    on = ops.StreamSpecification(stream_enabled=True, stream_view_type="NEW_AND_OLD_IMAGES")
    engine.execute(ops.UpdateTable("pets", stream_specification=on))
    move = runner(engine, clock)
    move.run()
    assert streams(engine) == {"people": True, "zoo": False}
    move.cut_over()
    assert streams(engine) == {"people": True, "zoo": True}
    getattr(move, end)()
    assert streams(engine) == {"people": False, "zoo": False}
    kept = engine.execute(ops.DescribeTable("pets")).table.stream_specification
    assert kept == on


def test_a_stream_without_old_images_is_refused(engine: Engine, clock: Clock) -> None:
    keys = ops.StreamSpecification(stream_enabled=True, stream_view_type="KEYS_ONLY")
    engine.execute(ops.UpdateTable("pets", stream_specification=keys))
    with pytest.raises(errors.MigrationError, match="KEYS_ONLY"):
        runner(engine, clock).run()
    assert new_items(engine) == set()


@pytest.mark.parametrize("in_use", [False, True], ids=["empty target", "target in use"])
@pytest.mark.parametrize("reason", ["a day behind", "disabled"])
def test_a_stream_without_all_changes_starts_the_copy_over(
    clock: Clock, in_use: bool, reason: str
) -> None:
    random = Random(5)
    notes: list[str] = []

    def listen(progress: StepProgress) -> None:
        # With a number, a note may be replaced by the next one.
        notes.append("" if progress.done else progress.note)

    with Engine.in_memory(Settings(clock=clock)) as engine:
        create_tables(engine, people, pets, zoo)
        if in_use:
            Store(engine).put(Ticket(number=1))
        write_old(engine, random, 20)
        move = runner(engine, clock, on_progress=listen)
        move.run()
        before = new_items(engine)
        Store(engine).put(Ticket(number=1))
        if reason == "disabled":
            off = ops.StreamSpecification(stream_enabled=False)
            engine.execute(ops.UpdateTable("people", stream_specification=off))
        write_old(engine, random, 50)
        clock.now += 25 * 3600
        write_old(engine, random, 50)
        with pytest.raises(errors.MigrationError, match="Run the migration again"):
            move.cut_over()
        assert move.status().phase == "ready"
        assert not any(notes)
        assert move.run().phase == "ready"
        assert any("starting over" in note for note in notes)
        assert any("are not deleted" in note for note in notes) == in_use
        assert in_use or new_items(engine) == old_items(engine) != before
        # It belongs to the application, not to the copy.
        assert Store(engine).get(Ticket.key(1)) is not None


# Cut-over and rollback


@pytest.mark.rest
@pytest.mark.parametrize("action", ["cut_over", "rollback"])
def test_switching_killed_at_any_request_continues(action: str) -> None:
    for requests in count():
        random = Random(requests)
        clock = Clock()
        with Engine.in_memory() as engine:
            create_tables(engine, people, pets, zoo)
            write_old(engine, random, 12)
            runner(engine, clock).run()
            write_old(engine, random, 4)
            if action == "rollback":
                runner(engine, clock).cut_over()
                write_new(engine, random, 6)
            driver = InterruptedDriver(engine)
            driver.crash_after(requests)
            try:
                getattr(runner(driver, clock), action)()
            except Crash:
                pass
            else:
                assert requests > 10
                return
            clock.now += 60
            assert getattr(runner(engine, clock), action)().lag in (0, None)
            assert new_items(engine) == old_items(engine), requests


def test_a_follower_ends_a_cut_over_that_was_killed(engine: Engine, clock: Clock) -> None:
    move = runner(engine, clock)
    move.run()
    driver = InterruptedDriver(engine)
    clock.on_sleep = lambda: driver.crash_after(0)  # while writes are paused
    with pytest.raises(Crash):
        runner(driver, clock).cut_over()
    clock.on_sleep = None
    assert move.status().phase == "switching"
    # Until the lease of the killed process expires, it may still be at work.
    move.follow(lambda: clock.now > 1020)
    assert move.status().phase == "switching"
    move.follow(lambda: clock.now > 1040)
    assert move.status().phase == "ready"


def test_expired_items_and_changes_copied_back_are_not_stray_writes(clock: Clock) -> None:
    with Engine.in_memory(Settings(clock=clock)) as engine:
        create_tables(engine, expiring, zoo)
        old: Item = {"name": {"S": "ada"}, "until": {"N": "1500"}}
        engine.execute(ops.PutItem("expiring", old))
        move = runner(engine, clock, Migration(FORGET, name="0001_forget"))
        move.run()
        move.cut_over()
        clock.now = 2000
        assert engine.execute(ops.SweepExpired()).removed == 1
        assert move.status().stray_writes == ()
        _put(engine, Person(name="bob", age=1))
        rounds = iter((False, False, True))
        before = move.environment().state.position
        move.follow(lambda: next(rounds))
        assert move.environment().state.position != before
        assert move.status().stray_writes == ()


@pytest.mark.parametrize("seed", range(8))
def test_a_copy_after_a_rollback_starts_over(engine: Engine, clock: Clock, seed: int) -> None:
    random = Random(seed)
    write_old(engine, random, 15)
    move = runner(engine, clock)
    move.run()
    move.cut_over()
    write_new(engine, random, 15)
    assert move.status().lag
    move.rollback()
    assert old_items(engine) == new_items(engine)
    write_old(engine, random, 15)
    assert move.run().phase == "ready"
    assert move.cut_over().phase == "cut-over"
    assert old_items(engine) == new_items(engine)
    assert move.finish().phase == "finished"


def test_a_rollback_without_back_rules_must_accept_the_loss(engine: Engine, clock: Clock) -> None:
    move = runner(engine, clock, ONE_WAY)
    move.run()
    move.cut_over()
    Store(engine).put(Person(name="new", age=1))
    with pytest.raises(errors.MigrationError, match="no back="):
        move.rollback()
    with pytest.raises(errors.MigrationError, match="no back="):
        move.follow(lambda: False)
    assert move.status().phase == "cut-over"
    assert move.rollback(accept_loss=True).phase == "rolled-back"
    assert old_items(engine) == set()


def test_an_incomplete_copy_is_not_cut_over(engine: Engine, clock: Clock) -> None:
    Store(engine).put(OldPerson(name="ada"))
    move = runner(engine, clock)
    move.run()
    Store(engine).delete(Person.key("ada"))
    with pytest.raises(errors.MigrationError, match=r"PK=PERSON#ada SK=PERSON is missing"):
        move.cut_over()
    assert move.status().phase == "ready"


def test_a_failing_rule_stops_the_cut_over_only(engine: Engine, clock: Clock) -> None:
    move = runner(engine, clock)
    move.run()
    engine.execute(ops.PutItem("people", {"name": {"S": "ada"}, "age": {"S": "old"}}))
    with pytest.raises(errors.TransformFailed, match="name=ada"):
        move.cut_over()
    assert (move.status().phase, move.status().lag) == ("ready", 1)


def test_phases_are_checked(engine: Engine, clock: Clock) -> None:
    move = runner(engine, clock)
    for action in (move.cut_over, move.rollback, move.finish):
        with pytest.raises(errors.MigrationError, match="has not begun"):
            action()
    move.run()
    for action in (move.rollback, move.finish):
        with pytest.raises(errors.MigrationError, match="phase 'ready'"):
            action()
    move.cut_over()
    assert move.run().phase == "cut-over"
    assert move.cut_over().phase == "cut-over"
    move.finish()
    for action in (move.cut_over, move.rollback):
        with pytest.raises(errors.MigrationError, match="phase 'finished'"):
            action()
    assert move.run().phase == "finished"


# Finish


def test_writes_to_the_old_tables_after_the_cut_over_are_reported(
    engine: Engine, clock: Clock
) -> None:
    Store(engine).put(OldPerson(name="ada", age=1))
    move = runner(engine, clock)
    move.run()
    move.cut_over()
    Store(engine).put(Person(name="ada", age=2))
    Store(engine).put(OldPerson(name="forgotten"))
    rounds = iter((False, False, True))
    move.follow(lambda: next(rounds))
    assert move.status().stray_writes == ({"name": {"S": "forgotten"}},)
    with pytest.raises(errors.MigrationError, match="name=forgotten"):
        move.finish(drop_old=True)
    assert move.status().phase == "cut-over"
    assert move.finish(drop_old=True, accept_loss=True).phase == "finished"


def test_finish_records_the_history_and_drops_old_tables_on_request(
    engine: Engine, clock: Clock
) -> None:
    move = runner(engine, clock)
    move.run()
    move.cut_over()
    assert move.finish().ended == clock.now
    assert set(engine.execute(ops.ListTables()).table_names) == {"people", "pets", "zoo"}
    move.finish(drop_old=True)
    assert set(engine.execute(ops.ListTables()).table_names) == {"zoo"}
    assert move.finish(drop_old=True).phase == "finished"
    history = move.environment().run(move.history.read())
    assert [one.name for one in history] == ["0001_zoo"]


# Leases and input


def test_two_runners_exclude_each_other(engine: Engine, clock: Clock) -> None:
    for number in range(10):
        Store(engine).put(OldPerson(name=str(number)))
    failures: list[errors.MigrationLocked] = []

    def disturb() -> None:
        status = other.status()
        if status.lease is not None and not failures:
            with pytest.raises(errors.MigrationLocked, match="being run by one") as locked:
                other.run()
            failures.append(locked.value)

    other = runner(engine, clock, owner="other")
    assert (
        runner(InterruptedDriver(engine, before=disturb, times=None), clock, owner="one")
        .run()
        .phase
        == "ready"
    )
    assert failures
    assert other.run().phase == "ready"


def _is_spoiled_by_a_stall(at: int) -> bool | None:
    """Return whether a copy that stalls at a request differs; None if there are fewer requests."""
    random, clock, requests = Random(at), Clock(), count(1)

    def disturb() -> None:
        if next(requests) == at:
            clock.now += 60
            for _ in range(2):
                write_old(engine, random, 3)
                other.run()

    with Engine.in_memory() as engine:
        create_tables(engine, people, pets, zoo)
        write_old(engine, random, 20)
        other = runner(engine, clock, owner="other")
        with suppress(errors.MigrationLocked):
            runner(InterruptedDriver(engine, before=disturb, times=None), clock, owner="one").run()
        return None if next(requests) <= at else new_items(engine) != old_items(engine)


@pytest.mark.rest
def test_a_runner_that_stalls_at_any_request_damages_nothing() -> None:
    results = list(takewhile(lambda one: one is not None, map(_is_spoiled_by_a_stall, count(1))))
    assert len(results) > 20
    assert not any(results)


def test_no_thread_writes_after_one_has_lost_the_lease(engine: Engine, clock: Clock) -> None:
    runner(engine, clock, owner="other").run()
    env = runner(engine, clock).environment()
    env.renewed = clock.now - 60
    with pytest.raises(errors.MigrationLocked):
        env.keep_lease()
    late = ops.PutItem(Place("target", "zoo"), {"PK": {"S": "late"}, "SK": {"S": "late"}})
    with pytest.raises(errors.MigrationLocked):
        env.run(send(env.context.retry_policy, late))
    assert not new_items(engine)


def test_an_old_table_that_does_not_exist_is_named(engine: Engine, clock: Clock) -> None:
    engine.execute(ops.DeleteTable("pets"))
    with pytest.raises(errors.MigrationError, match="old table 'pets' does not exist"):
        runner(engine, clock).run()


def test_old_tables_that_were_deleted_after_the_cut_over_do_not_prevent_the_end(
    engine: Engine, clock: Clock
) -> None:
    move = runner(engine, clock)
    move.run()
    move.cut_over()
    engine.execute(ops.DeleteTable("people"))
    assert move.finish(drop_old=True).phase == "finished"
    assert "pets" not in engine.execute(ops.ListTables()).table_names


def test_a_table_is_not_copied_onto_itself_by_another_address(engine: Engine, clock: Clock) -> None:
    again = Table("people", pk="name", sk=None)
    Store(engine).put(OldPerson(name="ada"))
    before = engine.execute(ops.Scan("people")).items
    onto_itself = Migration(Copy(again, unchanged(people)), name="0001_again")
    far = InterruptedDriver(engine)
    with pytest.raises(errors.MigrationError, match="is the new table itself"):
        MigrationRunner(onto_itself, engine, far, clock=clock, sleep=clock.sleep).run()
    assert engine.execute(ops.Scan("people")).items == before


def test_steps_may_not_change_while_a_migration_runs(engine: Engine, clock: Clock) -> None:
    engine.execute(ops.PutItem("people", {"name": {"S": "ada"}, "age": {"S": "old"}}))
    with pytest.raises(errors.TransformFailed):
        runner(engine, clock).run()
    other = Migration(Copy(zoo, FORWARD[0]), name=MOVE.name)
    with pytest.raises(errors.MigrationError, match=r"Copy\(people, pets -> zoo\)"):
        runner(engine, clock, other).run()


def test_wrong_input_is_rejected_before_anything_changes(engine: Engine, clock: Clock) -> None:
    with pytest.raises(errors.InvalidValue, match="expected a Migration"):
        runner(engine, clock, cast("Migration", MOVE.copy))
    with pytest.raises(errors.InvalidValue, match="no name"):
        runner(engine, clock, Migration(Copy(zoo, *FORWARD)))
    with pytest.raises(errors.InvalidValue, match="no steps"):
        runner(engine, clock, Migration(name="0001_nothing"))
    with pytest.raises(errors.InvalidValue, match="segments"):
        runner(engine, clock, segments=0)
    with pytest.raises(errors.InvalidValue, match="changes"):
        runner(engine, clock, changes="often")
    with pytest.raises(errors.InvalidValue, match="at the same address"):
        runner(engine, clock, tables={zoo: "people"}).run()
    with pytest.raises(errors.InvalidValue, match="expected a driver"):
        runner(cast("Driver", "memory://"), clock)
    with pytest.raises(errors.MigrationError, match="rollback"):
        runner(engine, clock).down()
    with Engine.in_memory() as empty:
        create_tables(empty, people, pets)
        with pytest.raises(errors.MigrationError, match="'zoo' does not exist"):
            runner(empty, clock).run()
        assert runner(empty, clock).status().phase is None
