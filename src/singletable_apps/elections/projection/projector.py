"""Follow the log: apply what is new, in order, each event once, whoever else does so too."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

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
from singletable_apps.elections.projection import elections, users, voting
from singletable_apps.elections.projection.chunks import IndexLag, ProjectionStep, StaleReadModel
from singletable_apps.elections.read_model import ReadModel

F = TypeVar("F", bound=EventData)


@dataclass(frozen=True, slots=True)
class Handler:
    """What a fact does: it writes one step, and says whether it was the last."""

    pattern: WritePattern
    apply: Callable[[ProjectionStep, Any], bool]


HANDLERS: dict[type[object], Handler] = {}


def _on(kind: type[F], pattern: WritePattern, apply: Callable[[ProjectionStep, F], bool]) -> None:
    HANDLERS[kind] = Handler(pattern, apply)


_on(events.UserRegistered, patterns.register, users.registered)
_on(events.UserRoleChanged, patterns.change_user, users.role_changed)
_on(events.OwnershipTransferred, patterns.change_user, users.ownership_transferred)
_on(events.UserPasswordChanged, patterns.change_user, users.password_changed)
_on(events.UserEmailChanged, patterns.change_user, users.email_changed)
_on(events.UserNameChanged, patterns.rename_user, users.name_changed)
_on(events.UserRemoved, patterns.remove_user, users.removed)

_on(events.ElectionCreated, patterns.create_election, elections.created)
_on(events.ElectionUpdated, patterns.change_election, elections.updated)
_on(events.ElectionLaunched, patterns.change_election, elections.launched)
_on(events.ElectionFixed, patterns.change_election, elections.fixed)
_on(events.ElectionFinalized, patterns.change_election, elections.finalized)
_on(events.ElectionOwnerChanged, patterns.hand_over, elections.owner_changed)
_on(events.ElectionNameChanged, patterns.rename_election, elections.name_changed)
_on(events.ElectionDeleted, patterns.delete_election, elections.deleted)

_on(events.CandidatesAdded, patterns.change_candidates, voting.candidates_added)
_on(events.CandidatesRemoved, patterns.change_candidates, voting.candidates_removed)
_on(events.VotersAdded, patterns.change_voters, voting.voters_added)
_on(events.VotersRemoved, patterns.change_voters, voting.voters_removed)
_on(events.BallotCast, patterns.cast_ballot, voting.ballot_cast)
_on(events.BallotWithdrawn, patterns.withdraw_ballot, voting.ballot_withdrawn)


# A ballot is two of the hundred writes of a transaction, and at most 108 KB of its 4 MB.
MAX_BATCH = 20


def batch_events(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The events in their order: ballots by different voters in one list, all others alone."""
    run: list[Event] = []
    voters: set[str] = set()
    for event in events:
        fact = parse_event_data(event)
        voter = fact.voter if isinstance(fact, BallotCast) else None
        if run and (voter is None or voter in voters or len(run) == MAX_BATCH):
            yield run
            run, voters = [], set()
        run.append(event)
        if voter is None:
            yield run
            run, voters = [], set()
        else:
            voters.add(voter)
    if run:
        yield run


# An index of DynamoDB is usually a few milliseconds behind, and seldom a second.
MAX_INDEX_RETRIES = 60
INDEX_RETRY_DELAY = 0.05
# Others who follow at the same time may win so many races before something must be wrong.
MAX_CONFLICTS = 50


def catch_up(
    store: Store, *, rebuilding: bool = False, progress: Callable[[int], None] | None = None
) -> Sync:
    """Apply all events that the table lacks; how far it is then."""
    view = ReadModel(store)
    while True:
        sync = view.get_sync() or _begin(store)
        if sync.rebuilding and not rebuilding:
            raise RebuildInProgress(
                "The table is being built anew from the log. Nothing is lost; ask again in a "
                "minute, or let an operator run the rebuild to its end if it was broken off."
            )
        after = store.query(patterns.events_after(sync.last_event_id), consistent=True)
        for run in batch_events(_checked(after, sync)):
            applied = _apply_run(store, view, run, sync)
            if applied is None:
                break
            sync = applied
            if progress is not None:
                progress(sync.last_event_id)
        else:
            return sync


def apply_events(store: Store, sync: Sync, events: Sequence[Event]) -> None:
    """Apply events that were just appended to a table that is as far as the one before them."""
    view = ReadModel(store)
    for run in batch_events(events):
        applied = _apply_run(store, view, run, sync)
        if applied is None:  # others apply them too
            catch_up(store)
            return
        sync = applied


def _checked(events: Iterable[Event], sync: Sync) -> Iterator[Event]:
    """The events, each the one that comes next, as it was written."""
    number, previous = sync.last_event_id, sync.last_hash
    for event in events:
        check_event(event, number + 1, previous)
        number, previous = event.event_id, event.hash
        yield event


def get_last_event(store: Store) -> Event | None:
    """The newest event of the log."""
    newest = store.query(patterns.all_events(), limit=1, reverse=True, consistent=True)
    return next(iter(newest), None)


def is_behind(store: Store) -> bool:
    """Whether the table lacks events; TableBroken if it has some that the log lacks."""
    # The table first: what others do between the two looks makes the log longer.
    sync = ReadModel(store).get_sync()
    newest = get_last_event(store)
    there, here = newest.event_id if newest else 0, sync.last_event_id if sync else 0
    if here > there:
        raise CorruptTable(
            f"The table has followed {here} events, and the log has {there}: it may lag, and "
            "never lead. If the log was restored from an older copy, build the table anew from it."
        )
    return here < there


def _begin(store: Store) -> Sync:
    """Make the state of a table that has followed nothing yet."""
    check_not_restoring(store)
    try:
        with store.transaction(pattern=patterns.begin) as together:
            together.create(Sync())
            together.create(Counts())
    except AlreadyExists:  # somebody else began
        pass
    return Sync() if (sync := ReadModel(store).get_sync()) is None else sync


def _apply_run(store: Store, view: ReadModel, run: Sequence[Event], sync: Sync) -> Sync | None:
    """Apply events that do not concern each other by one transaction, and others by themselves."""
    if len(run) == 1:
        return _apply(store, view, run[0], sync)
    effect = HANDLERS[type(parse_event_data(run[0]))]
    try:
        with store.transaction(pattern=effect.pattern) as together:
            for event in run:
                effect.apply(
                    ProjectionStep(event, 0, store, view, together), parse_event_data(event)
                )
            together.update(Sync.key(), *_moved(run[-1]), if_=_is_at(sync, 0))
    except (ConditionFailed, TransactionConflict, StaleReadModel):
        # Somebody else was faster with some of them, or one cannot be applied: that one will say.
        now: Sync | None = sync
        for event in run:
            now = _apply(store, view, event, now) if now is not None else None
        return now
    return _at(run[-1], sync)


def _apply(store: Store, view: ReadModel, event: Event, sync: Sync) -> Sync | None:
    """Apply an event from the step that is next; None if somebody else has come in between."""
    fact = parse_event_data(event)
    effect = HANDLERS[type(fact)]
    step, failures, looks = sync.step, 0, 0
    while True:
        try:
            with store.transaction(pattern=effect.pattern) as together:
                last = effect.apply(ProjectionStep(event, step, store, view, together), fact)
                edits = _moved(event) if last else [Sync.step.set(step + 1)]
                together.update(Sync.key(), *edits, if_=_is_at(sync, step))
        except IndexLag as behind:
            looks += 1
            if looks > MAX_INDEX_RETRIES:
                raise CorruptTable(_stuck(event, "its index lacks items that it has")) from behind
            time.sleep(INDEX_RETRY_DELAY)
        except (ConditionFailed, TransactionConflict, StaleReadModel) as error:
            if _somebody_came(view, sync, step):
                return None
            failures += 1
            if not isinstance(error, TransactionConflict) or failures > MAX_CONFLICTS:
                raise CorruptTable(_stuck(event, str(error))) from error
            time.sleep(random.uniform(0, 0.01 * failures))
        else:
            step += 1
            if last:
                return _at(event, sync)


def _at(event: Event, sync: Sync) -> Sync:
    return Sync(
        last_event_id=event.event_id,
        last_hash=event.hash,
        rebuilding=sync.rebuilding,
        builder=sync.builder,
    )


def _is_at(sync: Sync, step: int) -> Condition[Sync]:
    """That nobody else has moved on, and nobody has begun to build the table anew."""
    return (
        (Sync.last_event_id == sync.last_event_id)
        & (Sync.step == step)
        & (Sync.rebuilding == sync.rebuilding)
        & (Sync.builder == sync.builder)
    )


def _moved(event: Event) -> list[Edit[Sync]]:
    return [
        Sync.last_event_id.set(event.event_id),
        Sync.last_hash.set(event.hash),
        Sync.last_updated.set(event.when_occurred),
        Sync.step.set(0),
    ]


def _somebody_came(view: ReadModel, sync: Sync, step: int) -> bool:
    now = view.get_sync()
    if now is None or (now.rebuilding, now.builder) != (sync.rebuilding, sync.builder):
        return True
    return (now.last_event_id, now.step) != (sync.last_event_id, step)


def _stuck(event: Event, why: str) -> str:
    return (
        f"Event {event.event_id} ({event.event_type}) cannot be applied to the table: {why}. "
        "The log has it, and nothing is lost. The table is not what the log says; build it anew."
    )
