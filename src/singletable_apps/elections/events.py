"""What can happen in elections.

A fact is data alone; the log keeps it as JSON under its name. There are no numbers in it, for a
number that went through DynamoDB may come back written in another way, and is hashed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias, cast

import msgspec

from singletable import Attr, Entity, Key, Store, Table, attr, padded
from singletable_apps.elections.entities import Publication
from singletable_apps.elections.errors import CorruptLog, IncompleteRestore
from singletable_apps.elections.proofs import digest
from singletable_apps.elections.roles import Role


class _EventData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class UserRegistered(_EventData, frozen=True, tag=True):
    """Somebody has joined; the first of all is the owner."""

    name: str
    email: str
    hash: str
    role: Role


class UserRoleChanged(_EventData, frozen=True, tag=True):
    """Somebody was given another role."""

    name: str
    role: Role


class OwnershipTransferred(_EventData, frozen=True, tag=True):
    """The owner is an auditor now, and another is the owner."""

    old_owner: str
    new_owner: str


class UserRemoved(_EventData, frozen=True, tag=True):
    """Somebody is gone. What they cast in elections that had closed stays, under no name."""

    name: str


class UserPasswordChanged(_EventData, frozen=True, tag=True):
    """Somebody has another password, or the same one kept in a newer way."""

    name: str
    hash: str
    renewed: bool = False


class UserNameChanged(_EventData, frozen=True, tag=True):
    """Somebody has another name."""

    old_name: str
    new_name: str


class UserEmailChanged(_EventData, frozen=True, tag=True):
    """Somebody has another e-mail address."""

    name: str
    email: str


class ElectionCreated(_EventData, frozen=True, tag=True):
    """There is a new election."""

    owner: str
    name: str
    secret_ballot: bool
    publication: Publication
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None


class ElectionUpdated(_EventData, frozen=True, tag=True):
    """An election has these settings now: all of them, so that what is left out is none."""

    name: str
    secret_ballot: bool
    publication: Publication
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None


class ElectionNameChanged(_EventData, frozen=True, tag=True):
    """An election has another name."""

    old_name: str
    new_name: str


class ElectionOwnerChanged(_EventData, frozen=True, tag=True):
    """An election is somebody else's."""

    name: str
    old_owner: str
    new_owner: str


class ElectionLaunched(_EventData, frozen=True, tag=True):
    """Votes are accepted. The secret that will order ties is chosen, and committed to."""

    name: str
    allow_edit: bool
    tie_commitment: str
    tie_sealed: str


class ElectionFixed(_EventData, frozen=True, tag=True):
    """Nothing in an election can be edited any more, while votes are still accepted."""

    name: str


class ElectionFinalized(_EventData, frozen=True, tag=True):
    """An election has closed; the statement says with which ballots, and is signed."""

    name: str
    statement: str
    signature: str


class ElectionDeleted(_EventData, frozen=True, tag=True):
    """An election is gone, with all that belonged to it."""

    name: str


class CandidatesAdded(_EventData, frozen=True, tag=True):
    """There are more to vote for."""

    election: str
    candidates: tuple[str, ...]


class CandidatesRemoved(_EventData, frozen=True, tag=True):
    """There are fewer to vote for; ballots count as if these had never been ranked."""

    election: str
    candidates: tuple[str, ...]


class VotersAdded(_EventData, frozen=True, tag=True):
    """More may vote; the first of them are the first without whom nobody may."""

    election: str
    voters: tuple[str, ...]


class VotersRemoved(_EventData, frozen=True, tag=True):
    """Fewer may vote, or everybody again, if none is left."""

    election: str
    voters: tuple[str, ...]


class BallotCast(_EventData, frozen=True, tag=True):
    """Somebody has voted: in the open, level by level with the best first, or sealed."""

    voter: str
    election: str
    definition: str
    request: str
    fingerprint: str
    confirmation: str | None = None
    nonce: str | None = None
    levels: tuple[tuple[str, ...], ...] | None = None
    sealed: str | None = None


class BallotWithdrawn(_EventData, frozen=True, tag=True):
    """Somebody has taken their ballot back."""

    voter: str
    election: str


EventData: TypeAlias = (
    UserRegistered
    | UserRoleChanged
    | OwnershipTransferred
    | UserRemoved
    | UserPasswordChanged
    | UserNameChanged
    | UserEmailChanged
    | ElectionCreated
    | ElectionUpdated
    | ElectionNameChanged
    | ElectionOwnerChanged
    | ElectionLaunched
    | ElectionFixed
    | ElectionFinalized
    | ElectionDeleted
    | CandidatesAdded
    | CandidatesRemoved
    | VotersAdded
    | VotersRemoved
    | BallotCast
    | BallotWithdrawn
)


event_log = Table("vote_event_log")

# Twelve digits are enough for a thousand events a second for thirty years.
EVENT_ID_DIGITS = 12
SYSTEM_ACTOR = "system"


class Event(Entity, table=event_log):
    """Something that happened, as it is kept for ever."""

    event_id: Attr[int] = attr()
    actor: Attr[str] = attr()
    when_occurred: Attr[datetime] = attr()
    event_type: Attr[str] = attr()
    event_data: Attr[dict[str, Any]] = attr()
    previous_hash: Attr[str] = attr()
    hash: Attr[str] = attr()

    key = Key(pk="EVENTS", sk=padded(event_id, EVENT_ID_DIGITS))


class RestoreMarker(Entity, table=event_log):
    """That the log is being restored, and how long it will be; gone as soon as it is whole."""

    events: Attr[int] = attr()
    head: Attr[str] = attr()

    key = Key(pk="RESTORING", sk="RESTORING")


def build_event(data: EventData, event_id: int, actor: str, now: datetime, previous: str) -> Event:
    """The entry of the log for a fact."""
    fields = cast(dict[str, object], msgspec.json.decode(msgspec.json.encode(data)))
    event_type = str(fields.pop("type"))
    return Event(
        event_id=event_id,
        actor=actor,
        when_occurred=now,
        event_type=event_type,
        event_data=fields,
        previous_hash=previous,
        hash=hash_event(event_id, actor, now, event_type, fields, previous),
    )


def hash_event(
    event_id: int, actor: str, when: datetime, kind: str, data: dict[str, Any], previous: str
) -> str:
    """The hash of an entry: of all that is in it, the hash of the one before included."""
    entry = {
        "event_id": event_id,
        "actor": actor,
        "when_occurred": when.isoformat(),
        "event_type": kind,
        "event_data": data,
        "previous_hash": previous,
    }
    return digest(entry, domain="event")


def parse_event_data(event: Event) -> EventData:
    """The fact in an entry; LogBroken if it is none that we know."""
    try:
        kept = {**event.event_data, "type": event.event_type}
        return cast(EventData, msgspec.convert(kept, EventData))
    except msgspec.ValidationError as error:
        raise CorruptLog(
            f"Event {event.event_id} of the log ({event.event_type}) is none that this version "
            f"knows: {error}. It is not skipped, for then the table would differ from the log. "
            "Use the version that wrote it, or a newer one."
        ) from error


def check_not_restoring(store: Store) -> None:
    """Raise HalfRestored while the log is being restored."""
    begun = store.get(RestoreMarker.key(), consistent=True)
    if begun is not None:
        raise IncompleteRestore(
            f"The log is being restored and not all there: it will have {begun.events:,} events, "
            f"and the hash of the last will be {begun.head}. Restore the same export again; it "
            "goes on where it was broken off."
        )


def check_event(event: Event, event_id: int, previous: str) -> None:
    """Raise LogBroken unless this is the entry with this number, as it was written."""
    if event.event_id != event_id:
        raise CorruptLog(
            f"Event {event_id} of the log is missing: {event.event_id} comes after "
            f"{event_id - 1}. Restore the log from an export."
        )
    if event.previous_hash != previous:
        raise CorruptLog(
            f"Event {event_id} of the log does not follow event {event_id - 1}: it was written "
            f"after one with the hash {event.previous_hash or 'of nothing'}, and this one has "
            f"{previous or 'none'}. One of them was changed; compare with an export."
        )
    written = hash_event(
        event.event_id,
        event.actor,
        event.when_occurred,
        event.event_type,
        event.event_data,
        event.previous_hash,
    )
    if written != event.hash:
        raise CorruptLog(
            f"Event {event_id} of the log was changed after it was written: its hash should be "
            f"{written}, and it has {event.hash}. Compare with an export."
        )
