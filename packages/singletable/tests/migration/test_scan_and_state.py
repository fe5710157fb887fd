"""Leases, checkpoints, scans in rounds, and the rate limit."""

from __future__ import annotations

from functools import partial

import pytest

from dynamodb_engine.operations import PutItem
from dynamodb_engine.steps import Steps, run
from dynamodb_engine.values import Item
from singletable import Attr, Binary, Driver, Engine, Entity, Key, Number, Store, Table, attr
from singletable.errors import MigrationLocked
from singletable.migration.applied import Applied, HistoryStore
from singletable.migration.environment import Environment, migration_context
from singletable.migration.rate_limit import RateLimit
from singletable.migration.scan import scan_rounds
from singletable.migration.state import State, StateStore
from singletable.migration.two_addresses import Place, TwoAddressDriver
from tests.migration.doubles import Clock

plain = Table("plain", pk="id", sk=None)
numbers = Table("numbers", pk=Number("n"), sk=Binary("b"))


@pytest.fixture
def engine(engine: Engine) -> Engine:
    for table in (plain, numbers):
        Store(engine).admin.create_table(table)
    return engine


def states(table: Table, owner: str, clock: Clock) -> StateStore:
    return StateStore(table, table.name, "0001_test", owner=owner, clock=clock)


@pytest.mark.parametrize("table", [plain, numbers], ids=lambda table: table.name)
def test_two_runners_never_hold_the_lease_together(
    engine: Engine, clock: Clock, table: Table
) -> None:
    one, other = states(table, "one", clock), states(table, "other", clock)
    state = run(engine, one.acquire(State("copying", started=clock.now)))
    with pytest.raises(MigrationLocked, match="being run by one"):
        run(engine, other.acquire(state))
    clock.now += 31
    taken = run(engine, other.acquire(State("running", started=0)))
    assert taken.phase == "copying"
    with pytest.raises(MigrationLocked, match="took over"):
        run(engine, one.save(state))
    run(engine, other.release(taken))
    assert run(engine, one.acquire(state)) == state


def test_history_is_ordered_and_can_be_undone(engine: Engine) -> None:
    history = HistoryStore(plain, plain.name)
    run(engine, history.record(Applied("0001_a", 1.0)))
    run(engine, history.record(Applied("0002_b", 2.0, "abc")))
    run(engine, history.remove("0001_a"))
    assert run(engine, history.read()) == [Applied("0002_b", 2.0, "abc")]


def environment(driver: Driver, clock: Clock, *, segments: int, rate: float | None) -> Environment:
    context = migration_context({plain: "source"}, {}, clock)
    store = StateStore(plain, Place("target", "plain"), "0001_test", owner="one", clock=clock)
    places = TwoAddressDriver(driver, driver)
    return Environment(
        places,
        context,
        store,
        run(places, store.acquire(State("copying", started=clock.now))),
        RateLimit(rate, clock),
        segments=segments,
        page_size=3,
        clock=clock,
        sleep=clock.sleep,
    )


@pytest.mark.parametrize("segments", [1, 4])
def test_an_interrupted_scan_continues_after_its_last_round(
    engine: Engine, clock: Clock, segments: int
) -> None:
    for number in range(40):
        engine.execute(PutItem("plain", {"id": {"S": f"item{number}"}}))
    seen: list[str] = []
    fail_at = 3

    def handle(items: list[Item]) -> Steps[None]:
        nonlocal fail_at
        fail_at -= 1
        if not fail_at:
            raise KeyboardInterrupt
        seen.extend(str(item["id"].get("S")) for item in items)
        yield from ()

    env = environment(engine, clock, segments=segments, rate=None)
    with pytest.raises(KeyboardInterrupt):
        scan_rounds(env, "users", plain, handle)
    env = environment(engine, clock, segments=2, rate=None)
    scan_rounds(env, "users", plain, handle)
    assert set(seen) == {f"item{number}" for number in range(40)}
    assert len(seen) <= 40 + 3 * segments


def test_a_scan_keeps_its_rate(engine: Engine, clock: Clock) -> None:
    for number in range(40):
        engine.execute(PutItem("plain", {"id": {"S": f"item{number}"}, "text": {"S": "x" * 5000}}))
    env = environment(engine, clock, segments=1, rate=10)
    started = clock.now

    def handle(items: list[Item]) -> Steps[None]:
        yield from ()

    scan_rounds(env, "users", plain, handle)
    seconds = clock.now - started
    assert env.limit.consumed / seconds == pytest.approx(10, rel=0.1)


def test_throttling_halves_the_rate_which_then_recovers(clock: Clock) -> None:
    limit = RateLimit(100, clock)
    limit.slow_down()
    assert limit.rate == 50
    clock.now += 30
    limit.delay()
    assert limit.rate == 100


def test_throttling_sets_a_limit_if_there_is_none(clock: Clock) -> None:
    limit = RateLimit(None, clock)
    clock.now += 10
    limit.spend(1000)
    limit.slow_down()
    assert limit.rate == 50
    assert limit.throttled == 1


class User(Entity, table=plain):
    """Takes every key of the table."""

    user_id: Attr[str] = attr(name="id")
    key = Key(pk=user_id)


def test_state_items_match_no_entity(engine: Engine, clock: Clock) -> None:
    store = Store(engine)
    run(engine, states(plain, "one", clock).acquire(State("copying", started=0)))
    store.put(User(user_id="ada"))
    assert list(store.admin.scan(User)) == [User(user_id="ada")]
    assert [change.new for change in store.changes(User, after=0).changes] == [User(user_id="ada")]


# Each method is one arrow of the state machine; a wrong one is an error of ours.
def test_a_migration_enters_a_phase_only_from_the_phases_before() -> None:
    state = State("running", started=0)
    with pytest.raises(AssertionError, match="running -> rolled-back"):
        state.roll_back()
    phases = [state.phase]
    for move in (
        partial(state.begin_copy, "0"),
        state.complete_copy,
        state.begin_switch,
        state.cancel_switch,
        state.begin_switch,
        partial(state.end_switch, "stream", "7"),
        state.begin_switch,
        state.cancel_switch,
        partial(state.finish, 5),
    ):
        move()
        phases.append(state.phase)
    assert phases[1:6] == ["copying", "ready", "switching", "ready", "switching"]
    assert phases[6:] == ["cut-over", "switching", "cut-over", "finished"]
