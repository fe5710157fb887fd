"""Apply new events of the log to the table, in order and once, also beside other processes.

A large event (rename an election with a thousand ballots) takes several transactions, its steps;
the `Sync` item records the last event and the steps of the next one, so that any process can
continue after a crash.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy

from singletable import (
    AlreadyExists,
    Condition,
    ConditionFailed,
    Edit,
    Store,
    Transaction,
    TransactionConflict,
    WritePattern,
)
from singletable_apps.elections import events, patterns
from singletable_apps.elections.entities import Counts, Sync
from singletable_apps.elections.errors import CorruptTable, RebuildInProgress
from singletable_apps.elections.events import KINDS, Event, EventData, check_not_restoring
from singletable_apps.elections.log_state import AppliedEvent
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.table_writes import Move, Write

# A ballot takes two of the 100 writes of a transaction, and at most 108 KB of its 4 MB.
MAX_BATCH = 20
# Moving an item takes two of the 100 writes of a transaction, and its size twice of 4 MB. A sealed
# ballot with a hundred candidates with the longest names has 108 KB.
ITEMS_PER_STEP = 18
# An entry of a voter list or a roll is one write of at most 3 KB.
ENTRIES_PER_STEP = 90
# Conflicts with other processes before something must be wrong.
MAX_CONFLICTS = 50

_BALLOT = events.BallotCast.__name__
# The other events change the settings or the state of an election.
_PATTERNS: Mapping[type[EventData], WritePattern] = {
    events.UserRegistered: patterns.register,
    events.RegistrationChanged: patterns.change_registration,
    events.UserRoleChanged: patterns.change_user,
    events.OwnershipTransferred: patterns.change_user,
    events.UserPasswordChanged: patterns.change_user,
    events.UserEmailChanged: patterns.change_user,
    events.UserNameChanged: patterns.rename_user,
    events.UserRemoved: patterns.remove_user,
    events.ElectionCreated: patterns.create_election,
    events.ElectionOwnerChanged: patterns.hand_over,
    events.ElectionNameChanged: patterns.rename_election,
    events.ElectionDeleted: patterns.delete_election,
    events.CandidatesAdded: patterns.change_candidates,
    events.CandidatesRemoved: patterns.change_candidates,
    events.CandidatesOrdered: patterns.change_candidates,
    events.CandidateRenamed: patterns.change_candidates,
    events.VotersAdded: patterns.change_voters,
    events.VotersRemoved: patterns.change_voters,
    events.RollVotersAdded: patterns.change_roll,
    events.RollVotersChanged: patterns.change_roll,
    events.BallotCast: patterns.cast_ballot,
    events.BallotWithdrawn: patterns.withdraw_ballot,
}


class StaleTable(Exception):
    """The table is not as this step needs it: another process was first, or it is broken."""


def catch_up(
    store: Store,
    book: PollBook,
    *,
    rebuilding: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Sync:
    """Apply all events that the table lacks, and return its new position.

    Raise CorruptLog at an event without a valid MAC, and RebuildInProgress while another
    process rebuilds the table; that process passes `rebuilding`.
    """
    while True:
        sync = get_sync(store) or _create_sync(store)
        if sync.rebuilding and not rebuilding:
            raise RebuildInProgress(
                "The table is being rebuilt from the log. Nothing is lost; try again in a minute. "
                "If the rebuild was interrupted, an operator has to run it again."
            )
        applied = _apply(store, book.unapplied(sync.last_event_id), sync, progress)
        if applied is not None:
            return applied


def apply_until(store: Store, book: PollBook, sync: Sync, last: Event) -> None:
    """Apply events that were just appended after the position `sync`."""
    new = book.unapplied(sync.last_event_id, last.event_id)
    if _apply(store, new, sync) is None:  # another process applies them, too
        catch_up(store, book)


def _apply(
    store: Store,
    new: Iterable[AppliedEvent],
    sync: Sync,
    progress: Callable[[int], None] | None = None,
) -> Sync | None:
    """Apply events, and return the new position; None if another process was first."""
    for batch in _batch_events(new):
        applied = _apply_batch(store, batch, sync)
        if applied is None:
            return None
        sync = applied
        if progress is not None:
            progress(sync.last_event_id)
    return sync


def get_sync(store: Store) -> Sync | None:
    """Return how far the table has followed the log; None before the first event."""
    return store.run(patterns.sync_state)


def get_last_event(store: Store) -> Event | None:
    """Return the newest event of the log, or None if the log is empty."""
    newest = store.query(patterns.all_events(), limit=1, reverse=True, consistent=True)
    return next(iter(newest), None)


def is_behind(store: Store) -> bool:
    """Return whether the table lacks events. Raise CorruptTable if the log lacks some."""
    # The table is read first: if an event is added between the two reads, the log is longer.
    sync = get_sync(store)
    last_event = get_last_event(store)
    in_log = last_event.event_id if last_event else 0
    in_table = sync.last_event_id if sync else 0
    if in_table > in_log:
        raise CorruptTable(
            f"The table contains {in_table} events, but the log has only {in_log}. If the log was "
            "restored from an older copy, rebuild the table from it."
        )
    return in_table < in_log


def _create_sync(store: Store) -> Sync:
    """Create the position of a table that contains no event yet."""
    check_not_restoring(store)
    try:
        with store.transaction(pattern=patterns.begin) as transaction:
            transaction.create(Sync())
            transaction.create(Counts())
    except AlreadyExists:  # another process did
        pass
    sync = get_sync(store)
    if sync is None:
        raise CorruptTable(
            "The table has lost its position in the log, the item METADATA/SYNC. Find out who can "
            "write the table; then rebuild it."
        )
    return sync


def _batch_events(new: Iterable[AppliedEvent]) -> Iterator[list[AppliedEvent]]:
    """Yield the events in order: ballots of different voters together, all others alone."""
    batch: list[AppliedEvent] = []
    voters: set[str] = set()
    for event, writes in new:
        voter = event.event_data["voter"] if event.event_type == _BALLOT else None
        if batch and (voter is None or voter in voters or len(batch) == MAX_BATCH):
            yield batch
            batch, voters = [], set()
        batch.append((event, writes))
        if voter is None:
            yield batch
            batch, voters = [], set()
        else:
            voters.add(voter)
    if batch:
        yield batch


def _apply_batch(store: Store, batch: Sequence[AppliedEvent], sync: Sync) -> Sync | None:
    """Apply independent events in one transaction. Return None if another process was first."""
    if len(batch) == 1:
        return _apply_event(store, *batch[0], sync)
    last, _ = batch[-1]
    try:
        with store.transaction(pattern=patterns.cast_ballot) as transaction:
            _write(store, transaction, [each for _, writes in batch for each in writes])
            transaction.update(Sync.key(), *_advance(last), if_=_is_at(sync, 0))
    except (ConditionFailed, TransactionConflict):
        # Another process was first with some of them, or one cannot be applied. Apply them one by
        # one to find out.
        position: Sync | None = sync
        for event, writes in batch:
            if position is not None:
                position = _apply_event(store, event, writes, position)
        return position
    return _position_after(last, sync)


def _apply_event(store: Store, event: Event, writes: list[Write], sync: Sync) -> Sync | None:
    """Apply the remaining steps of an event. Return None if another process interfered."""
    pattern = _PATTERNS.get(KINDS[event.event_type], patterns.change_election)
    has_entries = pattern in (patterns.change_voters, patterns.change_roll)
    size = ENTRIES_PER_STEP if has_entries else ITEMS_PER_STEP
    number, conflicts = sync.step, 0
    while True:
        start = number * size
        is_last = start + size >= len(writes)
        try:
            with store.transaction(pattern=pattern) as transaction:
                _write(store, transaction, writes[start : start + size])
                edits = _advance(event) if is_last else [Sync.step.set(number + 1)]
                transaction.update(Sync.key(), *edits, if_=_is_at(sync, number))
        except (ConditionFailed, TransactionConflict, StaleTable) as error:
            if _has_moved(store, sync, number):
                return None
            conflicts += 1
            if not isinstance(error, TransactionConflict) or conflicts > MAX_CONFLICTS:
                raise _cannot_apply(event, str(error)) from error
            time.sleep(random.uniform(0, 0.01 * conflicts))
        else:
            number += 1
            if is_last:
                return _position_after(event, sync)


def _write(store: Store, transaction: Transaction, writes: Sequence[Write]) -> None:
    moves = [each for each in writes if isinstance(each, Move)]
    found = store.get_many([each.key for each in moves], consistent=True)
    for move, item in zip(moves, found, strict=True):
        if item is None:
            raise StaleTable(f"there is no item {move.key}")
        moved = copy(item)
        for name, value in move.fields.items():
            setattr(moved, name, value)
        transaction.delete(move.key)
        transaction.create(moved)
    for each in writes:
        if not isinstance(each, Move):
            each(transaction)


def _position_after(event: Event, sync: Sync) -> Sync:
    return Sync(
        last_event_id=event.event_id,
        last_hash=event.hash,
        rebuilding=sync.rebuilding,
        builder=sync.builder,
    )


def _is_at(sync: Sync, step: int) -> Condition[Sync]:
    """Return the condition that no other process has advanced, or started a rebuild."""
    return (
        (Sync.last_event_id == sync.last_event_id)
        & (Sync.step == step)
        & (Sync.rebuilding == sync.rebuilding)
        & (Sync.builder == sync.builder)
    )


def _advance(event: Event) -> list[Edit[Sync]]:
    return [
        Sync.last_event_id.set(event.event_id),
        Sync.last_hash.set(event.hash),
        Sync.last_updated.set(event.when_occurred),
        Sync.step.set(0),
    ]


def _has_moved(store: Store, sync: Sync, step: int) -> bool:
    """Return whether another process has advanced, or started a rebuild."""
    now = get_sync(store)
    if now is None or (now.rebuilding, now.builder) != (sync.rebuilding, sync.builder):
        return True
    return (now.last_event_id, now.step) != (sync.last_event_id, step)


def _cannot_apply(event: Event, reason: str) -> CorruptTable:
    return CorruptTable(
        f"Event {event.event_id} ({event.event_type}) cannot be applied to the table: {reason}. "
        "The event is safe in the log, but the table differs from the log; rebuild it."
    )
