"""A store is given a driver; what is given in its place is told at once."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import AsyncStore, InvalidValue, Store, connect, connect_async

GIVEN: dict[str, tuple[Any, object, str]] = {
    "an address": (
        Store,
        "mysql://root:secret@db",
        "Store: expected a driver, as connect(address) gives, but got str. "
        "Write Store(connect(…)).",
    ),
    "an address for an event loop": (
        AsyncStore,
        "memory:",
        "AsyncStore: expected a driver, as connect_async(address) gives, but got str. "
        "Write AsyncStore(connect_async(…)).",
    ),
    "nothing": (
        Store,
        None,
        "Store: expected a driver, as connect(address) gives, but got NoneType. "
        "Write Store(connect(…)).",
    ),
    "a driver that is awaited": (
        Store,
        connect_async("memory:"),
        "Store: AsyncEngine is a driver for an event loop. Give it to AsyncStore(…), or take one "
        "from connect(address).",
    ),
    "a driver that blocks": (
        AsyncStore,
        connect("memory:"),
        "AsyncStore: Engine is a driver that blocks. Give it to Store(…), or take one from "
        "connect_async(address).",
    ),
}


@pytest.mark.parametrize(("store", "given", "said"), GIVEN.values(), ids=GIVEN)
def test_what_is_no_driver_is_refused_where_the_store_is_made(
    store: Any, given: object, said: str
) -> None:
    with pytest.raises(InvalidValue) as refused:
        store(given)
    assert str(refused.value) == said


def test_what_cannot_be_told_is_no_observer() -> None:
    with pytest.raises(InvalidValue, match=r"observers: expected what can be called .* got 5"):
        Store(connect("memory:"), observers=[5])  # type: ignore[list-item]
