"""Cancel calls of an async store at random points: a read right after shows what stays.

Run it with python -m drills.cancellation [--tries N] [--seed N]. Every kind of write is canceled in
every way that asyncio and anyio have, in memory, on a file, over HTTP, on PostgreSQL and on
MariaDB. What a consistent read returns right after the cancellation is compared with what is stored
when nothing is in progress any more. Other calls write meanwhile, and must not notice.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import anyio

from drills.client_runners import serve
from drills.sql_servers import single_server
from dynamodb_engine.engine.server_engine import ServerEngine
from singletable import (
    AsyncDriver,
    AsyncEngine,
    AsyncStore,
    Attr,
    Engine,
    Entity,
    Key,
    Store,
    Table,
    Unique,
    attr,
    connect_async,
)

TABLE = Table("things")
BATCH = 30  # more than one request
NEIGHBORS = 2  # calls that are not canceled, beside each one that is


class Thing(Entity, table=TABLE):
    """An item that a canceled call writes."""

    thing_id: Attr[str] = attr()
    n: Attr[int] = attr(default=0)
    key = Key(pk=("THING", thing_id), sk="THING")


class Member(Entity, table=TABLE):
    """An item with a unique value: creating one is a transaction."""

    member_id: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("MEMBER", member_id), sk="MEMBER")
    unique_email = Unique(email)


# Opens the storage; opening it again, after it was closed, shows what is stored.
Open: TypeAlias = Callable[[], AbstractContextManager[Engine]]
# Wraps the driver of the store, to break it.
Wrap: TypeAlias = Callable[[AsyncDriver], AsyncDriver]
State: TypeAlias = dict[str, object]


@dataclass(slots=True)
class CancellationRound:
    """The result of a round: what happened to the canceled calls, and what is wrong."""

    canceled: int = 0
    applied: int = 0  # of those
    faults: list[str] = field(default_factory=list[str])


def run_round(
    seed: int, open_engine: Open, tries: int, *, over_http: bool = False, wrap: Wrap | None = None
) -> CancellationRound:
    """Cancel calls, one after the other, and compare what was read with what is stored."""
    result = CancellationRound()
    seen: dict[str, State] = {}
    with open_engine() as engine:
        Store(engine).admin.create_table(TABLE, if_missing=True)
        with _serve(engine) if over_http else nullcontext() as address:

            async def cancel_all() -> None:
                driver = AsyncEngine(engine) if address is None else connect_async(address)
                store = AsyncStore(driver if wrap is None else wrap(driver))
                chance = Random(seed)
                for number in range(tries):
                    name = f"{seed}-{number}"
                    seen[name] = await _cancel_one(store, name, chance, result)
                if address is not None:
                    await driver.aclose()

            asyncio.run(cancel_all())
    with open_engine() as engine:
        again = Store(engine)
        for name, state in seen.items():
            stored = _read_sync(again, name)
            differences = [part for part in state if state[part] != stored[part]]
            for part in differences:
                result.faults.append(
                    f"{name}: a read found {part} {state[part]}, but later {stored[part]}"
                )
            result.applied += bool(stored.get("written"))
    return result


def _serve(engine: Engine) -> AbstractContextManager[str]:
    return serve(AsyncEngine(engine))


async def _cancel_one(
    store: AsyncStore, name: str, chance: Random, result: CancellationRound
) -> State:
    """Start a write and its neighbors, cancel it, and return what is there right after that."""
    await store.put(Thing(thing_id=f"{name}-old"))
    kind = chance.choice(list(WRITES))
    cancel = chance.choice(list(CANCELS))
    neighbors = [
        asyncio.create_task(store.put(Thing(thing_id=f"{name}-beside-{n}")))
        for n in range(NEIGHBORS)
    ]
    try:
        await CANCELS[cancel](
            WRITES[kind](store, name), chance.choice([0, 0.003]) * chance.random()
        )
    except (asyncio.CancelledError, TimeoutError):
        result.canceled += 1
    state = await _read(store, name)
    for outcome in await asyncio.gather(*neighbors, return_exceptions=True):
        if isinstance(outcome, BaseException):
            result.faults.append(f"{name}: {kind}, {cancel}: another call raised {outcome!r}")
    return state


# The writes.


async def _transact(store: AsyncStore, name: str) -> None:
    async with store.transaction() as transaction:
        for part in range(3):
            transaction.put(Thing(thing_id=f"{name}-{part}"))
        transaction.update(Thing.key(f"{name}-old"), Thing.n.add(1))


async def _modify(store: AsyncStore, name: str) -> None:
    def increase(thing: Thing) -> None:
        thing.n += 1

    await store.modify(Thing.key(f"{name}-old"), increase)


async def _several(store: AsyncStore, name: str) -> None:
    for part in range(3):
        await store.create(Thing(thing_id=f"{name}-{part}"))


WRITES: dict[str, Callable[[AsyncStore, str], Awaitable[object]]] = {
    "create": lambda store, name: store.create(Thing(thing_id=f"{name}-0")),
    "unique": lambda store, name: store.create(Member(member_id=name, email=name)),
    "update": lambda store, name: store.update(Thing.key(f"{name}-old"), Thing.n.add(1)),
    "delete": lambda store, name: store.delete(Thing.key(f"{name}-old")),
    "put_many": lambda store, name: store.put_many(
        [Thing(thing_id=f"{name}-{part}") for part in range(BATCH)]
    ),
    "modify": _modify,
    "transaction": _transact,
    "several calls": _several,
}


# The ways to cancel.


async def _cancel_task(work: Awaitable[object], delay: float, times: int = 1) -> None:
    task = asyncio.ensure_future(work)
    await asyncio.sleep(delay)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    await task


async def _cancel_twice(work: Awaitable[object], delay: float) -> None:
    await _cancel_task(work, delay, times=2)


async def _wait_for(work: Awaitable[object], delay: float) -> None:
    await asyncio.wait_for(work, delay)


async def _time_out(work: Awaitable[object], delay: float) -> None:
    async with asyncio.timeout(delay):
        await work


async def _fail_beside(work: Awaitable[object], delay: float) -> None:
    """Fail in another task of a group, which cancels this one."""

    async def wait() -> None:
        await work

    with suppress(ExceptionGroup):
        async with asyncio.TaskGroup() as group:
            group.create_task(wait())
            await asyncio.sleep(delay)
            raise ZeroDivisionError
    raise asyncio.CancelledError


async def _fail_after(work: Awaitable[object], delay: float) -> None:
    """Let anyio cancel, which it does again in each turn of the event loop."""
    with anyio.fail_after(delay):
        await work


CANCELS: dict[str, Callable[[Awaitable[object], float], Awaitable[None]]] = {
    "task.cancel": _cancel_task,
    "task.cancel twice": _cancel_twice,
    "asyncio.wait_for": _wait_for,
    "asyncio.timeout": _time_out,
    "TaskGroup": _fail_beside,
    "anyio.fail_after": _fail_after,
}


# What is there.


def _keys(name: str) -> list[Any]:
    return [Thing.key(f"{name}-{part}") for part in ("old", *range(BATCH))]


async def _read(store: AsyncStore, name: str) -> State:
    things = await store.get_many(_keys(name), consistent=True)
    member = await store.get(Member.key(name), consistent=True)
    found = await store.find(Member.unique_email(name))
    return _state(things, member, found)


def _read_sync(store: Store, name: str) -> State:
    things = store.get_many(_keys(name), consistent=True)
    member = store.get(Member.key(name), consistent=True)
    return _state(things, member, store.find(Member.unique_email(name)))


def _state(things: list[Thing | None], member: Member | None, found: Member | None) -> State:
    """Return the items, and whether anything was written."""
    old, *new = [None if thing is None else thing.n for thing in things]
    written = old != 0 or member is not None or any(n is not None for n in new)
    return {"old": old, "new": new, "member": member, "found": found, "written": written}


# The storages.


@contextmanager
def storages(folder: Path) -> Generator[dict[str, tuple[Open, bool]]]:
    """Yield how to open each storage, and whether to use it over HTTP."""
    with ExitStack() as stack:
        memory = stack.enter_context(Engine.in_memory())
        opens: dict[str, tuple[Open, bool]] = {
            "memory": (lambda: nullcontext(memory), False),
            "file": (lambda: Engine.on_file(folder / "a.db"), False),
            "http": (lambda: Engine.on_file(folder / "b.db"), True),
        }
        for kind in ("postgresql", "mariadb"):
            server = stack.enter_context(single_server(kind))
            opens[kind] = (partial(ServerEngine.at, server.new_address()), False)
        yield opens


def main() -> int:
    """Run the drill and return the exit code: 0 if every read was true."""
    parser = argparse.ArgumentParser(prog="python -m drills.cancellation", description=__doc__)
    parser.add_argument("--tries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"cancellation: {options.tries} calls on each storage, SEED={options.seed}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, storages(Path(folder)) as opens:
        for name, (open_engine, over_http) in opens.items():
            result = run_round(options.seed, open_engine, options.tries, over_http=over_http)
            failed += len(result.faults)
            for fault in result.faults[:10]:
                print(f"  {name}: {fault}", flush=True)
            counts = f"{result.canceled} canceled, {result.applied} applied"
            print(f"cancellation on {name}: {counts}, {len(result.faults)} faults", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
