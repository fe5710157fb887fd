"""Apply new events of the log to the table, in order and once, also beside other processes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singletable import (
    AlreadyExists,
    Condition,
    ConditionFailed,
    Edit,
    Store,
    TransactionConflict,
    WritePattern,
)
from singletable_apps.elections import events, patterns
from singletable_apps.elections.entities import Counts, Sync
from singletable_apps.elections.errors import CorruptTable, RebuildInProgress
from singletable_apps.elections.events import (
    BallotCast,
    Event,
    EventData,
    check_event,
    check_not_restoring,
    parse_event_data,
)
from singletable_apps.elections.projection import elections, users
from singletable_apps.elections.projection.event_transaction import (
    IndexLag,
    ProjectionStep,
    StaleReadModel,
    set_fields,
)
from singletable_apps.elections.proofs.keys import BallotKey
from singletable_apps.elections.read_model import ReadModel

# A ballot takes two of the 100 writes of a transaction, and at most 108 KB of its 4 MB.
MAX_BATCH = 20
# An index of DynamoDB usually lags a few milliseconds, rarely a second.
MAX_INDEX_RETRIES = 60
INDEX_RETRY_DELAY = 0.05
# Conflicts with other processes before something must be wrong.
MAX_CONFLICTS = 50


@dataclass(frozen=True, slots=True)
class Handler:
    """Writes one step of an event, and returns whether it was the last one."""

    pattern: WritePattern
    apply: Callable[[ProjectionStep, Any], bool]


# What most events about elections do: they set fields.
_CHANGE = Handler(patterns.change_election, set_fields)
_HANDLERS: dict[type[EventData], Handler] = {
    events.UserRegistered: Handler(patterns.register, users.register_user),
    events.RegistrationChanged: Handler(patterns.change_registration, users.change_registration),
    events.UserRoleChanged: Handler(patterns.change_user, set_fields),
    events.OwnershipTransferred: Handler(patterns.change_user, set_fields),
    events.UserPasswordChanged: Handler(patterns.change_user, set_fields),
    events.UserEmailChanged: Handler(patterns.change_user, set_fields),
    events.UserNameChanged: Handler(patterns.rename_user, users.rename_user),
    events.UserRemoved: Handler(patterns.remove_user, users.remove_user),
    events.ElectionCreated: Handler(patterns.create_election, elections.create_election),
    events.ElectionLaunched: Handler(patterns.change_election, elections.launch_election),
    events.ElectionOwnerChanged: Handler(patterns.hand_over, elections.change_owner),
    events.ElectionNameChanged: Handler(patterns.rename_election, elections.rename_election),
    events.ElectionDeleted: Handler(patterns.delete_election, elections.delete_election),
    events.CandidatesAdded: Handler(patterns.change_candidates, elections.change_candidates),
    events.CandidatesRemoved: Handler(patterns.change_candidates, elections.change_candidates),
    events.CandidatesOrdered: Handler(patterns.change_candidates, elections.order_candidates),
    events.CandidateRenamed: Handler(patterns.change_candidates, elections.rename_candidate),
    events.VotersAdded: Handler(patterns.change_voters, elections.change_voters),
    events.RollVotersAdded: Handler(patterns.change_roll, elections.change_roll),
    events.RollVotersChanged: Handler(patterns.change_roll, elections.change_roll),
    events.VotersRemoved: Handler(patterns.change_voters, elections.change_voters),
    events.BallotCast: Handler(patterns.cast_ballot, elections.cast_ballot),
    events.BallotWithdrawn: Handler(patterns.withdraw_ballot, elections.withdraw_ballot),
}


def catch_up(
    store: Store,
    key: BallotKey,
    *,
    rebuilding: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Sync:
    """Apply all events that the table lacks, and return its new position.

    Raise CorruptLog at an event without a valid MAC, and RebuildInProgress while another
    process rebuilds the table; that process passes `rebuilding`.
    """
    read = ReadModel(store)
    while True:
        sync = read.get_sync() or _create_sync(store)
        if sync.rebuilding and not rebuilding:
            raise RebuildInProgress(
                "The table is being rebuilt from the log. Nothing is lost; try again in a minute. "
                "If the rebuild was interrupted, an operator has to run it again."
            )
        new_events = store.run(patterns.events_after, sync.last_event_id)
        for batch in _batch_events(_check_events(new_events, sync, key)):
            applied = _apply_batch(store, read, batch, sync)
            if applied is None:
                break
            sync = applied
            if progress is not None:
                progress(sync.last_event_id)
        else:
            return sync


def apply_events(
    store: Store, read: ReadModel, key: BallotKey, sync: Sync, events: Sequence[Event]
) -> None:
    """Apply events that were just appended after the position `sync`."""
    for batch in _batch_events(events):
        applied = _apply_batch(store, read, batch, sync)
        if applied is None:  # another process applies them, too
            catch_up(store, key)
            return
        sync = applied


def get_last_event(store: Store) -> Event | None:
    """Return the newest event of the log, or None if the log is empty."""
    newest = store.query(patterns.all_events(), limit=1, reverse=True, consistent=True)
    return next(iter(newest), None)


def is_behind(store: Store) -> bool:
    """Return whether the table lacks events. Raise CorruptTable if the log lacks some."""
    # The table is read first: if an event is added between the two reads, the log is longer.
    sync = ReadModel(store).get_sync()
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
    sync = ReadModel(store).get_sync()
    if sync is None:
        raise CorruptTable(
            "The table has lost its position in the log, the item METADATA/SYNC. Find out who can "
            "write the table; then rebuild it."
        )
    return sync


def _check_events(events: Iterable[Event], sync: Sync, key: BallotKey) -> Iterator[Event]:
    """Yield the events. Raise CorruptLog at the first that is not the next one, unchanged."""
    event_id, previous_hash = sync.last_event_id, sync.last_hash
    for event in events:
        check_event(event, event_id + 1, previous_hash, key)
        event_id, previous_hash = event.event_id, event.hash
        yield event


def _batch_events(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Yield the events in order: ballots of different voters together, all others alone."""
    batch: list[Event] = []
    voters: set[str] = set()
    for event in events:
        data = parse_event_data(event)
        voter = data.voter if isinstance(data, BallotCast) else None
        if batch and (voter is None or voter in voters or len(batch) == MAX_BATCH):
            yield batch
            batch, voters = [], set()
        batch.append(event)
        if voter is None:
            yield batch
            batch, voters = [], set()
        else:
            voters.add(voter)
    if batch:
        yield batch


def _apply_batch(store: Store, read: ReadModel, batch: Sequence[Event], sync: Sync) -> Sync | None:
    """Apply independent events in one transaction. Return None if another process was first."""
    if len(batch) == 1:
        return _apply_event(store, read, batch[0], sync)
    handler = _HANDLERS[BallotCast]
    try:
        with store.transaction(pattern=handler.pattern) as transaction:
            for event in batch:
                step = ProjectionStep(event, 0, store, read, transaction)
                handler.apply(step, parse_event_data(event))
            transaction.update(Sync.key(), *_advance(batch[-1]), if_=_is_at(sync, 0))
    except (ConditionFailed, TransactionConflict, StaleReadModel):
        # Another process was first with some of them, or one cannot be applied. Apply them one by
        # one to find out.
        position: Sync | None = sync
        for event in batch:
            if position is not None:
                position = _apply_event(store, read, event, position)
        return position
    return _position_after(batch[-1], sync)


def _apply_event(store: Store, read: ReadModel, event: Event, sync: Sync) -> Sync | None:
    """Apply the remaining steps of an event. Return None if another process interfered."""
    data = parse_event_data(event)
    handler = _HANDLERS.get(type(data), _CHANGE)
    number, conflicts, index_retries = sync.step, 0, 0
    while True:
        try:
            with store.transaction(pattern=handler.pattern) as transaction:
                step = ProjectionStep(event, number, store, read, transaction)
                is_last = handler.apply(step, data)
                edits = _advance(event) if is_last else [Sync.step.set(number + 1)]
                transaction.update(Sync.key(), *edits, if_=_is_at(sync, number))
        except IndexLag as error:
            index_retries += 1
            if index_retries > MAX_INDEX_RETRIES:
                raise _cannot_apply(event, "its index lacks items that it has") from error
            time.sleep(INDEX_RETRY_DELAY)
        except (ConditionFailed, TransactionConflict, StaleReadModel) as error:
            if _has_moved(read, sync, number):
                return None
            conflicts += 1
            if not isinstance(error, TransactionConflict) or conflicts > MAX_CONFLICTS:
                raise _cannot_apply(event, str(error)) from error
            time.sleep(random.uniform(0, 0.01 * conflicts))
        else:
            number += 1
            if is_last:
                return _position_after(event, sync)


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


def _has_moved(read: ReadModel, sync: Sync, step: int) -> bool:
    """Return whether another process has advanced, or started a rebuild."""
    now = read.get_sync()
    if now is None or (now.rebuilding, now.builder) != (sync.rebuilding, sync.builder):
        return True
    return (now.last_event_id, now.step) != (sync.last_event_id, step)


def _cannot_apply(event: Event, reason: str) -> CorruptTable:
    return CorruptTable(
        f"Event {event.event_id} ({event.event_type}) cannot be applied to the table: {reason}. "
        "The event is safe in the log, but the table differs from the log; rebuild it."
    )
