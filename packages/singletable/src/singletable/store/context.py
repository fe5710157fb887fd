"""What every store call needs: table names, the clock, the retry policy and the observers."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from inspect import iscoroutinefunction

from dynamodb_engine.clocks import driver_clock
from dynamodb_engine.operations import AsyncDriver, Driver, GetItem, GetItemOutput
from dynamodb_engine.retry import RetryPolicy, may_lose_responses, send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue
from singletable.schema import Table
from singletable.store.calls import Observer
from singletable.store.pending_writes import PendingWrites

MIN_SECRET_LENGTH = 16


def _now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


def _in_utc(seconds: Callable[[], float]) -> Callable[[], datetime]:
    return lambda: datetime.fromtimestamp(seconds(), UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """The settings of a store."""

    table_names: Mapping[Table, str] = field(default_factory=dict[Table, str])
    clock: Callable[[], datetime] = _now
    cursor_secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    observers: tuple[Observer, ...] = ()
    may_lose_responses: bool = True
    # The planned writes of a transaction: a change gets items as the writes before it make them.
    pending: PendingWrites | None = None

    def read(self, table: str, key: Item, *, consistent: bool = True) -> Steps[Item | None]:
        """Return the stored item, even if it has expired."""
        if self.pending is not None:
            return (yield from self.pending.read(self.retry_policy, table, key))
        get = GetItem(table, key, consistent_read=consistent or None)
        output: GetItemOutput = yield from send(self.retry_policy, get)
        return output.item

    def table_name(self, table: Table) -> str:
        """Return the table's real name."""
        return self.table_names.get(table, table.name)

    def check_scope(self, table: str, items: Iterable[Item]) -> None:
        """Raise OutOfScope if an item or key is outside the scope of the store, if it has one.

        The driver checks each request too. Call this before the first of several requests.
        """


def create_context(
    table_names: Mapping[Table, str] | None = None,
    cursor_secret: bytes | None = None,
    clock: Callable[[], datetime] | None = None,
    observers: Iterable[Observer] = (),
    *,
    driver: Driver | AsyncDriver | None = None,
) -> Context:
    """Check a store's arguments and return its context, with defaults for those not given."""
    if cursor_secret is not None and (
        not isinstance(cursor_secret, bytes) or len(cursor_secret) < MIN_SECRET_LENGTH  # pyright: ignore[reportUnnecessaryIsInstance]
    ):
        raise InvalidValue(
            f"cursor_secret: expected at least {MIN_SECRET_LENGTH} bytes, but got "
            f"{len(cursor_secret)} of {type(cursor_secret).__name__}. Create one with "
            "secrets.token_bytes(32)."
        )
    for table in table_names or ():
        if not isinstance(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValue(
                f"tables: expected {{table: real name}}, but {table!r} is not a Table."
            )
    defaults = Context()
    if clock is None and driver is not None:
        clock = _in_utc(driver_clock(driver))
    return Context(
        table_names=dict(table_names or {}),
        cursor_secret=defaults.cursor_secret if cursor_secret is None else cursor_secret,
        clock=clock or defaults.clock,
        observers=_check_observers(observers),
        may_lose_responses=driver is None or may_lose_responses(driver),
    )


def observe_context(context: Context, observers: Iterable[Observer]) -> Context:
    """Return the context with more observers."""
    return replace(context, observers=(*context.observers, *_check_observers(observers)))


def _check_observers(observers: Iterable[Observer]) -> tuple[Observer, ...]:
    checked = tuple(observers)
    for observer in checked:
        if not callable(observer):
            raise InvalidValue(
                f"observers: expected callables that take a Call, but got {observer!r}."
            )
    return checked


def check_driver(driver: Driver) -> None:
    """Raise unless `driver` is a sync driver."""
    _check_executes("Store", driver, "connect")
    if iscoroutinefunction(driver.execute):
        raise InvalidValue(
            f"Store: {type(driver).__name__} is an async driver. Pass it to AsyncStore(…), or "
            "get a sync one from connect(address)."
        )


def check_async_driver(driver: AsyncDriver) -> None:
    """Raise unless `driver` is an async driver."""
    _check_executes("AsyncStore", driver, "connect_async")
    if not iscoroutinefunction(driver.execute):
        raise InvalidValue(
            f"AsyncStore: {type(driver).__name__} is a sync driver. Pass it to Store(…), or get "
            "an async one from connect_async(address)."
        )


def _check_executes(store: str, driver: object, connect: str) -> None:
    if not callable(getattr(driver, "execute", None)):
        # Most often it is an address. It may contain a password, so it is not repeated.
        raise InvalidValue(
            f"{store}: expected a driver, such as {connect}(address) returns, but got "
            f"{type(driver).__name__}. Write {store}({connect}(…))."
        )
