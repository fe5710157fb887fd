"""Bulk work with the wrong things."""

from __future__ import annotations

from singletable import Progress, Store, connect
from tests.typing.declared import Election


def show(done: int, total: int) -> None: ...


def report(conflict: Progress) -> None: ...


def use(store: Store) -> None:
    store.bulk_load(Election(name="L"))  # error: arg-type | reportArgumentType
    store.bulk_load([], on_progress=show)  # error: arg-type | reportArgumentType
    store.bulk_load([], on_conflict=report)  # error: arg-type | reportArgumentType
    store.delete_partition(Election.key("L"))  # error: arg-type | reportArgumentType
    store.delete_partition(
        Election.key.partition("L"),
        undeclared="drop",  # error: arg-type | reportArgumentType
    )


use(Store(connect("memory:")))
