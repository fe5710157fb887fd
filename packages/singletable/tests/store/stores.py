"""Open stores, and write and read with them in few words."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import Driver, GetItem
from dynamodb_engine.values import Item
from singletable.schema import ItemKey, Table, model_of
from singletable.store import Call, Store

T = TypeVar("T")
X = TypeVar("X", bound=Exception)


def open_store(*tables: Table, driver: Driver | None = None, **options: Any) -> Store:
    """Open a store and create the tables, on an engine in memory unless a driver is given."""
    store = Store(driver or Engine.in_memory(), **options)
    for table in tables:
        store.admin.create_table(table)
    return store


def existing(found: T | None) -> T:
    """Return what was found; fail if it is None."""
    assert found is not None
    return found


def transact(store: Store, *writes: Callable[[Any], object], **options: Any) -> None:
    """Make the writes in one transaction."""
    with store.transaction(**options) as transaction:
        for write in writes:
            write(transaction)


def expect_error(
    kind: type[X], match: str | None = None
) -> AbstractContextManager[pytest.ExceptionInfo[X]]:
    """Expect a transaction to be rejected: pytest.raises, for a block that raises at its end."""
    return pytest.raises(kind, match=match)


def stored_item(driver: Driver, key: ItemKey[Any]) -> Item:
    """Return the attributes of an item as they are stored."""
    table = model_of(key.entity).table.name
    return existing(driver.execute(GetItem(table, key.key, consistent_read=True)).item)


def all_pages(read: Callable[..., Any], *arguments: Any, **options: Any) -> list[Any]:
    """Call a method that reads a page until a page has no cursor, and return the pages."""
    pages = [read(*arguments, **options)]
    while pages[-1].cursor is not None:
        pages.append(read(*arguments, cursor=pages[-1].cursor, **options))
        assert len(pages) < 1000, "the pages do not end"
    return pages


def request_names(calls: list[Call]) -> list[list[str]]:
    """Return the names of the requests that each call has sent."""
    return [[type(one.operation).__name__ for one in call.requests] for call in calls]
