"""Store and AsyncStore check their driver and observers."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import AsyncStore, InvalidValue, Store, connect, connect_async

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
