"""The store keeps its guarantees on a driver that fails as DynamoDB does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.faults import AsyncFaultyDriver, Faults, FaultyDriver, Next
from dynamodb_engine.testing import LaggingDriver
from singletable import errors
from singletable.store import AsyncStore, Store
from tests.store.indexed_entity import Task, check_indexes, tasks
from tests.store.store_adapter import AsyncDriverAdapter
from tools.testing.designs.members import Member, check_markers, members
from tools.testing.designs.votes import Ballot, Candidate, ballot, votes

ADA = Ballot.key("L", "ada")
ALL = Ballot.key.partition("L")


@pytest.fixture
def driver(waits: list[float]) -> FaultyDriver:
    return FaultyDriver(Engine.in_memory())


@pytest.fixture(params=["in process", "over HTTP"])
def store(driver: FaultyDriver, request: pytest.FixtureRequest) -> Store:
    store = Store(driver)
    if request.param == "over HTTP":
        behind, remote = request.getfixturevalue("far_end")
        behind.engine = AsyncDriverAdapter(driver)
        store = Store(remote)
    for table in (votes, tasks, members):
        store.admin.create_table(table)
    return store


PASSING = {
    "throttled": Faults(throttle=Next(4)),
    "unavailable": Faults(unavailable=Next(4)),
    "internal": Faults(internal=Next(4)),
}


@pytest.mark.parametrize("name", PASSING)
def test_read_is_retried(store: Store, driver: FaultyDriver, name: str) -> None:
    store.put(ballot("ada", choice="Ann"))
    reads = (
        lambda: store.get(ADA),
        lambda: list(store.query(ALL)),
        lambda: store.count(ALL),
        lambda: store.page(ALL, 1).items,
        lambda: list(store.select(ALL, Ballot.voter)),
        lambda: list(store.hydrate(Ballot.by_choice("L", "Ann"))),
        lambda: store.get_many([ADA]),
        lambda: store.transact_get(ADA),
        lambda: list(store.admin.scan(Ballot)),
        lambda: store.admin.items(votes, 9).items,
    )
    for read in reads:
        expected = read()
        with driver.inject(PASSING[name]):
            assert read() == expected
            assert sum(driver.injected.values()) == 4


@pytest.mark.parametrize("name", ["throttled", "unavailable"])
def test_write_that_was_not_applied_is_retried(
    store: Store, driver: FaultyDriver, name: str
) -> None:
    writes = (
        lambda: store.create(ballot("ada")),
        lambda: store.put(ballot("ada", rank=1)),
        lambda: store.update(ADA, Ballot.rank.add(1)),
        lambda: store.put_many([ballot("bea")]),
        lambda: store.delete(Ballot.key("L", "bea")),
        lambda: store.create(Member(name="ada", email="a@x")),
        lambda: store.admin.clear(members),
    )
    for write in writes:
        with driver.inject(PASSING[name]):
            write()
            assert sum(driver.injected.values()) == 4
    assert store.get(ADA) == ballot("ada", rank=2)


def test_retries_end_with_an_error(store: Store, driver: FaultyDriver) -> None:
    with driver.inject(Faults(throttle=1.0)), pytest.raises(errors.Throttled):
        store.get(ADA)
    with driver.inject(Faults(unavailable=1.0)), pytest.raises(errors.ServiceUnavailable):
        store.put(ballot("ada"))


# The write may or may not have been applied: adding once more would be wrong in one of the two
# cases.
@pytest.mark.parametrize("after", [False, True])
def test_conditional_write_with_unknown_outcome_is_not_retried(
    store: Store, driver: FaultyDriver, after: bool
) -> None:
    store.put(ballot("ada"))
    faults = Faults(internal_after=Next(1)) if after else Faults(internal=Next(1))
    writes: list[Callable[[], object]] = [
        lambda: store.update(ADA, Ballot.rank.add(1)),
        lambda: store.create(ballot("bea")),
        lambda: store.delete(ADA),
    ]
    for write in writes:
        assert store.get(ADA) == ballot("ada", rank=1 if after and write is not writes[0] else 0)
        with driver.inject(faults), pytest.raises(errors.InternalError, match="may or may not"):
            write()


def test_idempotent_write_is_retried(store: Store, driver: FaultyDriver) -> None:
    with driver.inject(Faults(internal_after=Next(3))):
        store.put(ballot("ada"))
    with driver.inject(Faults(internal_after=Next(3))):
        store.put_many([ballot("bea"), ballot("cid")])
    assert store.count(ALL) == 3


# Each transaction has a token, so it is applied once, however often its response is lost.
def test_transaction_is_applied_once_after_a_lost_response(
    store: Store, driver: FaultyDriver
) -> None:
    store.put(ballot("ada"))
    with (
        driver.inject(Faults(internal_after=Next(3), operations=("TransactWriteItems",))),
        store.transaction() as transaction,
    ):
        transaction.update(ADA, Ballot.rank.add(1))
        transaction.create(Candidate(election="L", name="Ann"))
    assert store.get(ADA) == ballot("ada", rank=1)
    with driver.inject(Faults(internal_after=Next(2), operations=("TransactWriteItems",))):
        store.create(Member(name="ada", email="a@x"))
    with driver.inject(Faults(in_progress=Next(2))):
        store.create(Member(name="bea", email="b@x"))
    check_markers(driver)


# An index lags behind its table: hydrate returns current items, and none that have left the index.
def test_hydrate_skips_stale_index_entries(store: Store, driver: FaultyDriver) -> None:
    assert isinstance(driver.driver, Engine)
    for name in ("ada", "bea", "cid"):
        store.put(ballot(name, choice="Ann"))
    of_ann = Ballot.by_choice("L", "Ann")
    lagging = Store(LaggingDriver(driver.driver, indexes_only=True))
    store.update(Ballot.key("L", "ada"), Ballot.choice.set("Bob"))
    store.delete(Ballot.key("L", "bea"))
    assert [one.voter for one in lagging.hydrate(of_ann)] == ["cid"]


OPERATIONS = (
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "TransactWriteItems",
    "TransactGetItems",
    "BatchWriteItem",
    "BatchGetItem",
)


# Reads that a write depends on are consistent, so that stale reads cannot mislead it.
@pytest.mark.parametrize("seed", range(3))
def test_invariants_hold_under_all_faults(store: Store, driver: FaultyDriver, seed: int) -> None:
    faults = Faults(
        throttle=0.1,
        unavailable=0.1,
        internal=0.05,
        internal_after=0.05,
        in_progress=0.1,
        conflict=0.2,
        unprocessed=0.2,
        seed=seed,
        operations=OPERATIONS,
    )
    rejected = suppress(errors.ConditionFailed, errors.OperationError)
    with driver.inject(faults):
        for turn in range(60):
            name, task = f"m{turn % 4}", Task.key("b", turn % 3)
            with rejected:
                store.put(Member(name=name, email=f"e{turn % 3}@x", handle=f"h{turn % 5}"))
            with rejected:
                store.update(Member.key(name), Member.email.set(f"e{turn % 5}@x"))
            with rejected:
                store.put(Task(board="b", number=turn % 3, owner="ada", level=turn % 9))
            with rejected:
                store.update(task, Task.level.add(2), Task.state.set("done"))
            with rejected:
                store.update(task, Task.state.set("open"))
            if turn % 7 == 0:
                with rejected:
                    store.delete(Member.key(name))
        assert len(driver.injected) > 4
    check_markers(driver)
    check_indexes(driver, ["b"])


def test_async_store_does_not_block_the_loop_while_waiting() -> None:
    async def work() -> list[float]:
        with Engine.in_memory() as engine:
            driver = AsyncFaultyDriver(AsyncEngine(engine), Faults(throttle=Next(5)))
            store = AsyncStore(driver)
            await store.admin.create_table(votes)
            ticks: list[float] = []
            done = asyncio.Event()

            async def tick() -> None:
                while not done.is_set():
                    ticks.append(asyncio.get_running_loop().time())
                    await asyncio.sleep(0.001)

            ticking = asyncio.create_task(tick())
            assert await store.get(ADA) is None
            done.set()
            await ticking
            return ticks

    assert len(asyncio.run(work())) > 1
