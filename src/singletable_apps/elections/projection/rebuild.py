"""Drop the table and build it anew from the log."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from singletable import Condition, ConditionFailed, Edit, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Counts, Sync, votes
from singletable_apps.elections.errors import RebuildInProgress
from singletable_apps.elections.events import check_not_restoring
from singletable_apps.elections.projection.projector import catch_up, get_last_event
from singletable_apps.elections.read_model import ReadModel

# Who builds the table anew: one at a time, by a lease that runs out when its holder is gone.
#
# Whoever was held up for longer than their lease stops at the next page or event, and what they
# apply to the table is refused. A page of deletions that was already sent is not.

# Longer than a page or an event takes, and short enough to wait for when a builder was killed.
LEASE_DURATION = timedelta(minutes=1)


class RebuildLease:
    """The right to drop the table and build it, for one builder, renewed as it goes on."""

    def __init__(self, store: Store, who: str, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        # The same process may ask twice, so its name alone is not enough.
        self.builder = f"{who}, {secrets.token_hex(4)}"
        self._until = clock()

    def acquire(self) -> None:
        """Say that the table is being built, and by whom; Rebuilding if another builds it."""
        now = self._clock()
        free = Sync.builder.missing() | (Sync.builder_until < now) | self._is_mine()
        self._hold(now, free, Sync.rebuilding.set(True))

    def renew(self) -> None:
        """Hold it for longer, once some of it has passed; Rebuilding if another has it now."""
        now = self._clock()
        if self._until - now < LEASE_DURATION * 2 / 3:
            self._hold(now, self._is_mine())

    def reset_position(self) -> None:
        """Say that the table has followed nothing, and counts nothing."""
        nothing = Sync()
        self._write(
            self._is_mine(),
            Sync.last_event_id.set(nothing.last_event_id),
            Sync.last_hash.set(nothing.last_hash),
            Sync.step.set(nothing.step),
            Sync.last_updated.set(nothing.last_updated),
            counts=Counts(),
        )

    def finish(self) -> None:
        """The table is built; nobody holds it any more."""
        self._write(self._is_mine(), Sync.rebuilding.set(False), *_NOBODY)

    def release(self) -> None:
        """Broken off: the table is not built, and whoever comes next need not wait."""
        self._write(self._is_mine(), *_NOBODY)

    def _is_mine(self) -> Condition[Sync]:
        return Sync.builder == self.builder

    def _hold(self, now: datetime, if_: Condition[Sync], *edits: Edit[Sync]) -> None:
        until = now + LEASE_DURATION
        self._write(if_, Sync.builder.set(self.builder), Sync.builder_until.set(until), *edits)
        self._until = until

    def _write(
        self, if_: Condition[Sync], *edits: Edit[Sync], counts: Counts | None = None
    ) -> None:
        try:
            with self._store.transaction(pattern=patterns.rebuild) as together:
                if counts is not None:
                    together.put(counts)
                together.update(Sync.key(), *edits, if_=if_)
        except ConditionFailed as refusal:
            raise RebuildInProgress(_taken(ReadModel(self._store).get_sync())) from refusal


_NOBODY: tuple[Edit[Sync], ...] = (Sync.builder.set(None), Sync.builder_until.set(None))


def this_process() -> str:
    """What a builder is known by, unless it says something else."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def utc_now() -> datetime:
    """The clock on the wall."""
    return datetime.now(UTC)


def _taken(sync: Sync | None) -> str:
    if sync is None or sync.builder is None or sync.builder_until is None:
        return "Another has built the table anew meanwhile, so this was broken off. Look at it."
    return (
        f"The table is being built anew by {sync.builder}, which holds it until "
        f"{sync.builder_until:%Y-%m-%d %H:%M:%S} UTC and longer if it goes on. Let it finish; if "
        "it was killed, ask again after that time."
    )


Progress = Callable[[int, int], None]


def rebuild(
    store: Store,
    progress: Progress | None = None,
    *,
    builder: str | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Sync:
    """The table as the log says, from nothing; broken off, it is begun again by the next call.

    Meanwhile nobody else follows the log, so nothing is decided on a table that is half there; nor
    does anybody else build it: Rebuilding says who is at it, and until when they hold it.
    """
    check_not_restoring(store)
    newest = get_last_event(store)
    total = newest.event_id if newest is not None else 0
    if ReadModel(store).get_sync() is None:
        return catch_up(store, progress=_of(progress, total))
    lease = RebuildLease(store, builder or this_process(), clock)
    lease.acquire()
    try:
        _build(store, lease, _of(progress, total))
    except BaseException:
        # Whatever it was, it matters more than that the next one has to wait for the lease.
        with suppress(Exception):
            lease.release()
        raise
    return catch_up(store)


def _build(store: Store, lease: RebuildLease, progress: Callable[[int], None] | None) -> None:
    def told(done: int) -> None:
        lease.renew()
        if progress is not None:
            progress(done)

    store.admin.clear(votes, keep=[Sync.key()], progress=lambda _: lease.renew())
    lease.reset_position()
    catch_up(store, rebuilding=True, progress=told)
    lease.finish()


def _of(progress: Progress | None, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(done, total)
