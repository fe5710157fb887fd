"""What the work of a store depends on: the clock, the real names of tables, and patience."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from inspect import iscoroutinefunction

from singletable.errors import InvalidValue
from singletable.operations import AsyncDriver, Driver
from singletable.retry import RetryPolicy
from singletable.schema import Table
from singletable.store.calls import Observer

SHORTEST_SECRET = 16


def _now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """Passed to every piece of work."""

    table_names: Mapping[Table, str] = field(default_factory=dict[Table, str])
    clock: Callable[[], datetime] = _now
    cursor_secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    observers: tuple[Observer, ...] = ()

    def table_name(self, table: Table) -> str:
        """The table's name where it really is."""
        return self.table_names.get(table, table.name)


def context_of(
    names: Mapping[Table, str] | None,
    secret: bytes | None,
    clock: Callable[[], datetime] | None,
    observers: Iterable[Observer] = (),
) -> Context:
    """The context for what a store was given; what was not given is as usual."""
    if secret is not None and (not isinstance(secret, bytes) or len(secret) < SHORTEST_SECRET):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValue(
            f"secret: expected at least {SHORTEST_SECRET} bytes, but got "
            f"{len(secret)} of {type(secret).__name__}. Make one with secrets.token_bytes(32)."
        )
    for table in names or ():
        if not isinstance(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValue(
                f"tables: expected {{table: its real name}}, but {table!r} is not a Table."
            )
    listed = tuple(observers)
    for observer in listed:
        if not callable(observer):
            raise InvalidValue(
                f"observers: expected what can be called with a Call, but got {observer!r}."
            )
    usual = Context()
    return Context(
        table_names=dict(names or {}),
        cursor_secret=usual.cursor_secret if secret is None else secret,
        clock=clock or usual.clock,
        observers=listed,
    )


def check_driver(store: str, driver: object, connect: str) -> None:
    """Refuse what carries out nothing: most often it is the address of what would."""
    if not callable(getattr(driver, "execute", None)):
        # An address may hold a password, so it is not repeated.
        raise InvalidValue(
            f"{store}: expected a driver, as {connect}(address) gives, but got "
            f"{type(driver).__name__}. Write {store}({connect}(…))."
        )


def check_sync(driver: Driver) -> None:
    """Refuse a driver that answers only who awaits it."""
    if iscoroutinefunction(driver.execute):
        raise InvalidValue(
            f"Store: {type(driver).__name__} is a driver for an event loop. Give it to "
            "AsyncStore(…), or take one from connect(address)."
        )


def check_async(driver: AsyncDriver) -> None:
    """Refuse a driver that an event loop would wait for."""
    if not iscoroutinefunction(driver.execute):
        raise InvalidValue(
            f"AsyncStore: {type(driver).__name__} is a driver that blocks. Give it to Store(…), or "
            "take one from connect_async(address)."
        )
