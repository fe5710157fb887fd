"""Rebuild the table from the log, by one process at a time."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TypeAlias

from singletable import AlreadyExists, Condition, ConditionFailed, Edit, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Counts, Sync, votes
from singletable_apps.elections.errors import RebuildInProgress
from singletable_apps.elections.events import check_not_restoring
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.projection import catch_up, get_last_event, get_sync
from singletable_apps.elections.proofs.keys import BallotKey
from singletable_apps.shared.service import utc_now

# Called with the number of events that are done, and their total.
Progress: TypeAlias = Callable[[int, int], None]

# Longer than a page of deletions or an event takes, and short enough to wait for after a crash.
LEASE_DURATION = timedelta(minutes=1)


def rebuild(
    store: Store,
    key: BallotKey,
    progress: Progress | None = None,
    *,
    builder: str | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Sync:
    """Clear the table and apply the whole log to it. After a crash, call it again.

    Until it is done, commands fail with RebuildInProgress, so that none is decided on an
    incomplete table. So does a second rebuild; its message says who has the lease until when.
    """
    check_not_restoring(store)
    last_event = get_last_event(store)
    total = last_event.event_id if last_event is not None else 0

    def report(done: int) -> None:
        if progress is not None:
            progress(done, total)

    if get_sync(store) is None:  # the table is empty, or has lost its position
        mark_rebuilding(store)
    builder = builder or f"process {os.getpid()} on {socket.gethostname()}"
    lease, book = RebuildLease(store, builder, clock), PollBook(store, key)
    lease.acquire()
    try:
        _rebuild(store, book, lease, report)
    except BaseException:
        # The error matters more than a failure to release the lease, which expires anyway.
        with suppress(Exception):
            lease.release()
        raise
    return catch_up(store, book)


def mark_rebuilding(store: Store) -> None:
    """Mark the table as being rebuilt, so that it is not used until the rebuild is complete."""
    if get_sync(store) is not None:
        with store.transaction(pattern=patterns.rebuild) as transaction:
            transaction.update(Sync.key(), Sync.rebuilding.set(True))
        return
    with suppress(AlreadyExists), store.transaction(pattern=patterns.begin) as transaction:
        transaction.create(Sync(rebuilding=True))
        transaction.put(Counts())


def _rebuild(
    store: Store, book: PollBook, lease: RebuildLease, report: Callable[[int], None]
) -> None:
    def renew_and_report(done: int) -> None:
        lease.renew()
        report(done)

    store.admin.clear(votes, keep=[Sync.key()], on_progress=lambda _: lease.renew())
    lease.reset_position()
    catch_up(store, book, rebuilding=True, progress=renew_and_report)
    lease.finish()


class RebuildLease:
    """The right to rebuild the table, for one builder. It expires unless it is renewed.

    A builder that was paused for longer than its lease stops at the next page or event, and the
    table rejects what it applies. A page of deletions that was already sent is not rejected.
    """

    def __init__(self, store: Store, builder: str, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        # One process may start two rebuilds, so its name is not enough.
        self._builder = f"{builder}, {secrets.token_hex(4)}"
        self._until = clock()

    def acquire(self) -> None:
        """Take the lease, or raise RebuildInProgress. Mark the table as being rebuilt."""
        now = self._clock()
        is_free = Sync.builder.missing() | (Sync.builder_until < now) | self._is_mine()
        self._extend(now, is_free, Sync.rebuilding.set(True))

    def renew(self) -> None:
        """Extend the lease if a third of it has passed. Raise RebuildInProgress if it is lost."""
        now = self._clock()
        if self._until - now < LEASE_DURATION * 2 / 3:
            self._extend(now, self._is_mine())

    def reset_position(self) -> None:
        """Set the position of the table to the start of the log, and the counts to zero."""
        start = Sync()
        self._write(
            self._is_mine(),
            Sync.last_event_id.set(start.last_event_id),
            Sync.last_hash.set(start.last_hash),
            Sync.step.set(start.step),
            Sync.last_updated.set(start.last_updated),
            counts=Counts(),
        )

    def finish(self) -> None:
        """Mark the table as complete, and release the lease."""
        self._write(self._is_mine(), Sync.rebuilding.set(False), *_NO_BUILDER)

    def release(self) -> None:
        """Release the lease of an unfinished rebuild, so that the next one need not wait."""
        self._write(self._is_mine(), *_NO_BUILDER)

    def _is_mine(self) -> Condition[Sync]:
        return Sync.builder == self._builder

    def _extend(self, now: datetime, if_: Condition[Sync], *edits: Edit[Sync]) -> None:
        until = now + LEASE_DURATION
        self._write(if_, Sync.builder.set(self._builder), Sync.builder_until.set(until), *edits)
        self._until = until

    def _write(
        self, if_: Condition[Sync], *edits: Edit[Sync], counts: Counts | None = None
    ) -> None:
        try:
            with self._store.transaction(pattern=patterns.rebuild) as transaction:
                if counts is not None:
                    transaction.put(counts)
                transaction.update(Sync.key(), *edits, if_=if_)
        except ConditionFailed as error:
            raise RebuildInProgress(_describe_lease(get_sync(self._store))) from error


_NO_BUILDER: tuple[Edit[Sync], ...] = (Sync.builder.set(None), Sync.builder_until.set(None))


def _describe_lease(sync: Sync | None) -> str:
    if sync is None or sync.builder is None or sync.builder_until is None:
        return "Another process has rebuilt the table in the meantime. This rebuild was stopped."
    return (
        f"The table is being rebuilt by {sync.builder}, whose lease lasts until "
        f"{sync.builder_until:%Y-%m-%d %H:%M:%S} UTC and is renewed while it runs. Let it finish; "
        "if it has crashed, try again after that time."
    )
