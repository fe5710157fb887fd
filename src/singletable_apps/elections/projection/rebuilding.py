"""Drop the table and build it anew from the log."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from singletable import Store
from singletable_apps.elections.entities import Sync, votes
from singletable_apps.elections.log import check_whole
from singletable_apps.elections.projection.following import follow, head
from singletable_apps.elections.projection.lease import Lease, this_process, utc_now
from singletable_apps.elections.view import View

Progress = Callable[[int, int], None]


def rebuild(
    store: Store,
    progress: Progress | None = None,
    *,
    who: str | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Sync:
    """The table as the log says, from nothing; broken off, it is begun again by the next call.

    Meanwhile nobody else follows the log, so nothing is decided on a table that is half there; nor
    does anybody else build it: Rebuilding says who is at it, and until when they hold it.
    """
    check_whole(store)
    newest = head(store)
    total = newest.event_id if newest is not None else 0
    if View(store).sync() is None:
        return follow(store, progress=_of(progress, total))
    lease = Lease(store, who or this_process(), clock)
    lease.take()
    try:
        _build(store, lease, _of(progress, total))
    except BaseException:
        # Whatever it was, it matters more than that the next one has to wait for the lease.
        with suppress(Exception):
            lease.let_go()
        raise
    return follow(store)


def _build(store: Store, lease: Lease, progress: Callable[[int], None] | None) -> None:
    def told(done: int) -> None:
        lease.renew()
        if progress is not None:
            progress(done)

    store.admin.clear(votes, keep=[Sync.key()], progress=lambda _: lease.renew())
    lease.begin_anew()
    follow(store, rebuilding=True, progress=told)
    lease.end()


def _of(progress: Progress | None, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(done, total)
