"""Drop the table and build it anew from the log."""

from __future__ import annotations

from collections.abc import Callable

from singletable import Edit, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Counts, Sync, votes
from singletable_apps.elections.log import check_whole
from singletable_apps.elections.projection.following import follow, head
from singletable_apps.elections.view import View

Progress = Callable[[int, int], None]


def rebuild(store: Store, progress: Progress | None = None) -> Sync:
    """The table as the log says, from nothing; broken off, it is begun again by the next call.

    Meanwhile nobody else follows the log, so nothing is decided on a table that is half there.
    """
    check_whole(store)
    newest = head(store)
    total = newest.event_id if newest is not None else 0
    if View(store).sync() is None:
        return follow(store, progress=_of(progress, total))
    _mark(store, Sync.rebuilding.set(True))
    store.admin.clear(votes, keep=[Sync.key()])
    _begin_anew(store)
    follow(store, rebuilding=True, progress=_of(progress, total))
    _mark(store, Sync.rebuilding.set(False))
    return follow(store)


def _mark(store: Store, *edits: Edit[Sync]) -> None:
    with store.transaction(pattern=patterns.rebuild) as together:
        together.update(Sync.key(), *edits)


def _begin_anew(store: Store) -> None:
    nothing = Sync()
    with store.transaction(pattern=patterns.rebuild) as together:
        together.put(Counts())
        together.update(
            Sync.key(),
            Sync.last_event_id.set(nothing.last_event_id),
            Sync.last_hash.set(nothing.last_hash),
            Sync.step.set(nothing.step),
            Sync.last_updated.set(nothing.last_updated),
        )


def _of(progress: Progress | None, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(done, total)
