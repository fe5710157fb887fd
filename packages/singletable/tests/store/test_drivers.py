"""Store and AsyncStore check their driver and observers, and use the driver they were given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

import pytest

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.faults import FaultyDriver
from dynamodb_engine.operations import TransactWriteItems
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.retry import unwrap_retries
from singletable import AsyncStore, InvalidValue, Operation, Store, connect, connect_async
from singletable.remote import AsyncRemote, Remote
from tools.testing.designs.votes import Ballot, ballot, votes
from tools.testing.exchangeable import Exchangeable

INVALID: dict[str, tuple[Any, object, str]] = {
    "address": (
        Store,
        "mysql://root:secret@db",
        "Store: expected a driver, such as connect(address) returns, but got str. "
        "Write Store(connect(…)).",
    ),
    "address for an async store": (
        AsyncStore,
        "memory:",
        "AsyncStore: expected a driver, such as connect_async(address) returns, but got str. "
        "Write AsyncStore(connect_async(…)).",
    ),
    "None": (
        Store,
        None,
        "Store: expected a driver, such as connect(address) returns, but got NoneType. "
        "Write Store(connect(…)).",
    ),
    "async driver": (
        Store,
        connect_async("memory:"),
        "Store: AsyncEngine is an async driver. Pass it to AsyncStore(…), or get a sync one from "
        "connect(address).",
    ),
    "sync driver": (
        AsyncStore,
        connect("memory:"),
        "AsyncStore: Engine is a sync driver. Pass it to Store(…), or get an async one from "
        "connect_async(address).",
    ),
}


# An address may contain a password, so errors do not repeat it.
@pytest.mark.parametrize(("store", "driver", "message"), INVALID.values(), ids=INVALID)
def test_store_rejects_invalid_drivers(store: Any, driver: object, message: str) -> None:
    with pytest.raises(InvalidValue) as raised:
        store(driver)
    assert str(raised.value) == message


def test_store_rejects_observers_that_are_not_callable() -> None:
    with pytest.raises(InvalidValue, match=r"observers: .* got 5"):
        Store(connect("memory:"), observers=[5])  # type: ignore[list-item]


# Wrappers. The store must not find a way around them, whatever their attributes are called.


class Refused(Exception):
    """A guard does not let a request through."""


def guard(operation: Operation[Any]) -> None:
    """Raise Refused for a write of an item."""
    if OPERATIONS[type(operation)].scope == "items" and OPERATIONS[type(operation)].writes:
        raise Refused


class Guard:
    """A driver that has the one it wraps as an attribute of any name."""

    def __init__(self, name: str, wrapped: Any) -> None:
        self.__dict__[name] = self.__dict__["_to"] = wrapped

    @classmethod
    def factory(cls, name: str) -> Callable[[str], Any]:
        """Return what wraps the driver for an address."""
        opens = connect_async if cls is AsyncGuard else connect
        return lambda address: cls(name, opens(address))

    def execute(self, operation: Any, /) -> Any:
        guard(operation)
        return self._to.execute(operation)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_to"], name)


class AsyncGuard(Guard):
    async def execute(self, operation: Any, /) -> Any:
        guard(operation)
        return await self._to.execute(operation)


class GuardedRemote(Remote):
    def execute(self, operation: Any, /) -> Any:
        guard(operation)
        return super().execute(operation)


class AsyncGuardedRemote(AsyncRemote):
    async def execute(self, operation: Any, /) -> Any:
        guard(operation)
        return await super().execute(operation)


def patched(driver: Any) -> Any:
    """Replace `execute` of one instance, as tracing libraries do."""
    original = driver.execute

    @wraps(original)
    def execute(operation: Any, /) -> Any:
        guard(operation)
        return original(operation)

    @wraps(original)
    async def execute_async(operation: Any, /) -> Any:
        guard(operation)
        return await original(operation)

    driver.execute = execute_async if iscoroutinefunction(original) else execute
    return driver


ATTRIBUTES = ("inner", "_inner", "driver", "_driver", "wrapped", "__wrapped__", "retry_policy")
WRAPPERS: dict[str, tuple[Callable[[str], Any], Callable[[str], Any]]] = {
    **{name: (Guard.factory(name), AsyncGuard.factory(name)) for name in ATTRIBUTES},
    "subclass": (GuardedRemote.at, AsyncGuardedRemote.at),
    "patched instance": (
        lambda address: patched(connect(address)),
        lambda address: patched(connect_async(address)),
    ),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_driver_that_wraps_another_is_not_bypassed(
    name: str, far_end: tuple[Exchangeable, Remote]
) -> None:
    behind, remote = far_end
    address = f"dynamodb+{remote.endpoint}"
    wrap, wrap_async = WRAPPERS[name]
    with Engine.in_memory() as engine:
        behind.engine = AsyncEngine(engine)
        Store(engine).admin.create_table(votes)
        driver = wrap(address)
        for store in (
            Store(driver),
            Store(driver).scoped(election="L"),
            Store(FaultyDriver(driver)),
            Store(FaultyDriver(Guard("inner", engine))),
        ):
            for write in (store.create, store.put, lambda one, store=store: store.put_many([one])):
                with pytest.raises(Refused):
                    write(ballot("ada"))
        with pytest.raises(Refused):
            asyncio.run(AsyncStore(wrap_async(address)).create(ballot("ada")))
        assert list(Store(engine).admin.scan(Ballot)) == []


# The store retries by itself: the retries of our driver would multiply with its own.
def test_retries_of_our_own_driver_are_not_used() -> None:
    remote = Remote.at("dynamodb+http://127.0.0.1:1")
    assert unwrap_retries(remote) is remote.inner


class OwnEngine(Engine):
    """An engine whose `execute` may be replaced by something else."""


def own_engine(engine: Engine) -> Engine:
    return OwnEngine(engine._database, engine.settings)


def replace_execute_async(engine: Engine) -> AsyncEngine:
    """Return an AsyncEngine, and replace what it calls."""
    original = engine.execute_async
    engine.execute_async = lambda operation: original(operation)  # type: ignore[method-assign]
    return AsyncEngine(engine)


def write_two(store: Store) -> None:
    with store.transaction() as tx:
        tx.put(ballot("ada"))
        tx.put(ballot("bea"))


def write_two_async(store: AsyncStore) -> None:
    async def write() -> None:
        async with store.transaction() as tx:
            tx.put(ballot("ada"))
            tx.put(ballot("bea"))

    asyncio.run(write())


# A token makes it safe to send a transaction again; an embedded engine would store it for nothing.
@pytest.mark.parametrize(
    ("write", "has_token"),
    [
        (lambda engine: write_two(Store(engine)), False),
        (lambda engine: write_two(Store(engine).scoped(election="L")), False),
        (lambda engine: write_two_async(AsyncStore(AsyncEngine(engine))), False),
        (lambda engine: write_two(Store(FaultyDriver(engine))), True),
        (lambda engine: write_two(Store(own_engine(engine))), True),
        (lambda engine: write_two_async(AsyncStore(AsyncEngine(own_engine(engine)))), True),
        (lambda engine: write_two_async(AsyncStore(replace_execute_async(engine))), True),
    ],
    ids=["embedded", "scoped", "async", "wrapped", "subclass", "async subclass", "async patched"],
)
def test_transactions_have_a_token_if_a_response_may_be_lost(
    monkeypatch: pytest.MonkeyPatch, write: Callable[[Engine], None], has_token: bool
) -> None:
    tokens: list[str | None] = []
    original = Engine._work

    def work(self: Engine, operation: Operation[Any]) -> Any:
        if isinstance(operation, TransactWriteItems):
            tokens.append(operation.client_request_token)
        return original(self, operation)

    monkeypatch.setattr(Engine, "_work", work)
    with Engine.in_memory() as engine:
        Store(engine).admin.create_table(votes)
        write(engine)
    assert [bool(token) for token in tokens] == [has_token]
