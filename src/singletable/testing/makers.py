"""What the fixtures of the plugin give, for annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the plugin is loaded by every run of pytest, and must be light
    from collections.abc import Iterable

    from singletable.faults import Faults
    from singletable.schema import Table
    from singletable.store import AsyncStore, Observer, Store


class MakeStore(Protocol):
    """Makes a store in memory with empty tables; without tables, those of the catalogs."""

    def __call__(
        self,
        *tables: Table,
        faults: Faults | None = None,
        observers: Iterable[Observer] = (),
    ) -> Store:
        """A fresh store."""
        ...


class MakeAsyncStore(Protocol):
    """The same for an event loop."""

    def __call__(
        self,
        *tables: Table,
        faults: Faults | None = None,
        observers: Iterable[Observer] = (),
    ) -> AsyncStore:
        """A fresh store."""
        ...
