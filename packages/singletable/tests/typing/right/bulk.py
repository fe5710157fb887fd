"""Bulk work: any iterable of items, and callbacks that take a value."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from singletable import AsyncStore, DeleteResult, Progress, Store, connect, connect_async
from singletable.store import LoadConflict, LoadResult
from tests.typing.declared import Election, votes


def elections() -> Iterator[Election]:
    yield from ()


async def later() -> AsyncIterator[Election]:
    for election in elections():
        yield election


def show(progress: Progress) -> None:
    done: int = progress.done
    total: int | None = progress.total
    print(done, total)


conflicts: list[LoadConflict] = []
with connect("memory:") as driver:
    store = Store(driver)
    store.admin.create_table(votes)
    loaded: LoadResult = store.bulk_load(
        elections(), on_progress=show, on_conflict=conflicts.append
    )
    deleted: DeleteResult = store.delete_partition(
        Election.key.partition("L"), undeclared="keep", on_progress=show
    )
    numbers: tuple[int, int, int] = (loaded.written, loaded.skipped, loaded.conflicts)


async def load() -> LoadResult:
    async with connect_async("memory:") as driver:
        store = AsyncStore(driver)
        await store.bulk_load(elections())
        return await store.bulk_load(later(), on_progress=show)
