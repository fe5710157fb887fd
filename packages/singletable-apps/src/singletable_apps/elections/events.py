"""The event log: every kind of event, the hash chain, and the MACs that authenticate it.

The hash of an event covers its content and the previous hash, and anyone can compute it. The MAC is
an HMAC of the hash: without the key, nobody can change, insert, reorder, copy or remove events
unnoticed, except the last ones (see `Keys.save_checkpoint`).

Events contain no numbers except their id, because DynamoDB may return a number in another notation,
which would change the hash.
"""

from __future__ import annotations

from datetime import datetime
from hmac import compare_digest
from typing import Any, cast

import msgspec

from singletable import Attr, Entity, Key, Store, Table, attr, padded
from singletable_apps.elections.entities import CandidateOrder, Electorate, Publication, RollVoter
from singletable_apps.elections.errors import CorruptLog, IncompleteRestore
from singletable_apps.elections.proofs.encoding import digest
from singletable_apps.elections.proofs.keys import BallotKey
from singletable_apps.elections.roles import Role
from singletable_apps.shared.accounts import Registration

event_log = Table("vote_event_log")

# Enough for a thousand events a second for thirty years.
EVENT_ID_DIGITS = 12
# The actor of events that no user caused, such as closing an election when its time is up.
SYSTEM_ACTOR = "system"


class Event(Entity, table=event_log):
    """One entry of the log. Entries are never changed or removed."""

    event_id: Attr[int] = attr()
    actor: Attr[str] = attr()
    when_occurred: Attr[datetime] = attr()
    event_type: Attr[str] = attr()
    event_data: Attr[dict[str, Any]] = attr()
    previous_hash: Attr[str] = attr()
    hash: Attr[str] = attr()
    mac: Attr[str] = attr(default="")

    key = Key(pk="EVENTS", sk=padded(event_id, EVENT_ID_DIGITS))


class RestoreMarker(Entity, table=event_log):
    """Marks a log that is being restored; deleted when all `events` are there."""

    events: Attr[int] = attr()
    head: Attr[str] = attr()

    key = Key(pk="RESTORING", sk="RESTORING")


def build_event(
    data: EventData, event_id: int, actor: str, now: datetime, previous_hash: str, key: BallotKey
) -> Event:
    """Return the log entry for an event, with its hash and its MAC."""
    fields = cast(dict[str, object], msgspec.json.decode(msgspec.json.encode(data)))
    event = Event(
        event_id=event_id,
        actor=actor,
        when_occurred=now,
        event_type=str(fields.pop("type")),
        event_data=fields,
        previous_hash=previous_hash,
        hash="",
    )
    event.hash = hash_event(event)
    event.mac = authenticate_event(event, key)
    return event


def authenticate_event(event: Event, key: BallotKey) -> str:
    """Return the MAC of an entry."""
    return key.hmac("event", event.hash)


def hash_event(event: Event) -> str:
    """Return the hash of everything in the entry, including the hash of the previous entry."""
    entry = {
        "event_id": event.event_id,
        "actor": event.actor,
        "when_occurred": event.when_occurred.isoformat(),
        "event_type": event.event_type,
        "event_data": event.event_data,
        "previous_hash": event.previous_hash,
    }
    return digest(entry, domain="event")


def parse_event_data(event: Event) -> EventData:
    """Return the data of an entry as its event class. Raise CorruptLog if the type is unknown."""
    try:
        return msgspec.convert(event.event_data, KINDS[event.event_type])
    except (KeyError, msgspec.ValidationError) as error:
        raise CorruptLog(
            f"Event {event.event_id} of the log ({event.event_type}) is unknown to this version: "
            f"{error}. It cannot be skipped, because the table would then differ from the log. "
            "Use the version that wrote it, or a newer one."
        ) from error


def check_event(
    event: Event, event_id: int, previous_hash: str, key: BallotKey | None = None
) -> None:
    """Raise CorruptLog unless this is the entry with this id, unchanged, after the previous one.

    Without a key only the hashes are checked. That finds damage, but not forgeries.
    """
    if event.event_id != event_id:
        raise CorruptLog(
            f"Event {event_id} is missing from the log: event {event.event_id} comes after "
            f"{event_id - 1}. Restore the log from an export."
        )
    if event.previous_hash != previous_hash:
        raise CorruptLog(
            f"Event {event_id} does not continue the log: it follows an event with the hash "
            f"{event.previous_hash or '(none)'}, but event {event_id - 1} has "
            f"{previous_hash or '(none)'}. One of the two was changed; compare them with an export."
        )
    try:
        expected = hash_event(event)
    except (TypeError, ValueError):  # no value that events have
        expected = "another"
    if event.hash != expected:
        raise CorruptLog(
            f"Event {event_id} was changed after it was written: its hash should be {expected}, "
            f"but is {event.hash}. Compare it with an export."
        )
    if key is not None and not compare_digest(
        event.mac.encode(errors="replace"), authenticate_event(event, key).encode()
    ):
        raise CorruptLog(
            f"Event {event_id} was not written by this service: its MAC does not match the key "
            f"'{key.name}'. Someone with write access to the table added or changed it, or it is "
            "from version 0.1, which did not authenticate events. Compare it with an export."
        )


def check_not_restoring(store: Store) -> None:
    """Raise IncompleteRestore while the log is being restored."""
    marker = store.get(RestoreMarker.key(), consistent=True)
    if marker is not None:
        raise IncompleteRestore(
            f"The log is incomplete: an export of {marker.events:,} events, ending with the hash "
            f"{marker.head}, is being restored. Restore the same export again to continue."
        )


class EventData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The data of an event. The name of each subclass is the type of the event."""


# Users.


class UserRegistered(EventData, frozen=True, tag=True):
    """Someone registered. The first user of all is the owner."""

    name: str
    email: str
    hash: str
    role: Role
    is_confirmed: bool = False
    # Who may register from now on. The first user of a site sets it.
    registration: Registration | None = None


class RegistrationChanged(EventData, frozen=True, tag=True):
    """An administrator changed the registration setting."""

    registration: Registration


class UserRoleChanged(EventData, frozen=True, tag=True):
    """A user has another role."""

    name: str
    role: Role


class OwnershipTransferred(EventData, frozen=True, tag=True):
    """Another user owns the site; the old owner is an auditor."""

    old_owner: str
    new_owner: str


class UserRemoved(EventData, frozen=True, tag=True):
    """A user was removed. Their ballots in closed elections stay, without their name."""

    name: str


class UserPasswordChanged(EventData, frozen=True, tag=True):
    """A user has a new password; if `renewed`, the same password with a newer kind of hash."""

    name: str
    hash: str
    renewed: bool = False


class UserNameChanged(EventData, frozen=True, tag=True):
    """A user has another name."""

    old_name: str
    new_name: str


class UserEmailChanged(EventData, frozen=True, tag=True):
    """A user has another e-mail address."""

    name: str
    email: str
    is_confirmed: bool = False


# Elections.


class _Settings(EventData, frozen=True, kw_only=True):
    """The settings of an election."""

    name: str
    secret_ballot: bool
    publication: Publication
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None
    method: str = "schulze"
    seats: str = "1"
    order: CandidateOrder = CandidateOrder.ENTERED
    none_of_these: bool = False
    quorum: str = ""
    ballot_name: str = ""


class ElectionCreated(_Settings, frozen=True, tag=True, kw_only=True):
    """An election was created."""

    owner: str
    electorate: Electorate = Electorate.ACCOUNTS
    by_names: bool | None = None
    # The id of the first question, if it is another one on the same ballot.
    joint_with: str = ""


class ElectionUpdated(_Settings, frozen=True, tag=True, kw_only=True, omit_defaults=False):
    """The settings were edited. All are here: a missing time is not set."""


class ElectionDescribed(EventData, frozen=True, tag=True):
    """An election has another question and description, in Markdown."""

    name: str
    question: str
    description: str


class ElectionNameChanged(EventData, frozen=True, tag=True):
    """An election has another name."""

    old_name: str
    new_name: str


class ElectorateChanged(EventData, frozen=True, tag=True):
    """Another kind of people can vote. The voters of the other kind were removed before."""

    name: str
    electorate: Electorate


class ElectionEmailChanged(EventData, frozen=True, tag=True):
    """The owner has written the subject and the text of e-mails to voters."""

    name: str
    purpose: str
    subject: str
    text: str


class ElectionOwnerChanged(EventData, frozen=True, tag=True):
    """An election has another owner."""

    name: str
    old_owner: str
    new_owner: str


class ElectionManagersChanged(EventData, frozen=True, tag=True):
    """Other users, by their ids, manage an election beside its owner."""

    name: str
    managers: tuple[str, ...]


class ElectionNoted(EventData, frozen=True, tag=True):
    """The owner or a manager has changed their notes."""

    name: str
    notes: str


class ElectionLaunched(EventData, frozen=True, tag=True):
    """Voting is open. The secret for breaking ties is chosen, sealed, and committed to."""

    name: str
    allow_edit: bool
    tie_commitment: str
    tie_sealed: str
    is_weighted: bool = False


class ElectionFixed(EventData, frozen=True, tag=True):
    """The election can no longer be edited; voting continues."""

    name: str


class ElectionFinalized(EventData, frozen=True, tag=True):
    """The election is closed. The signed statement says with which ballots."""

    name: str
    statement: str
    signature: str


class ElectionResultShared(EventData, frozen=True, tag=True):
    """The owner lets everyone with the link see the result, or no longer."""

    name: str
    is_public: bool


class ElectionDeleted(EventData, frozen=True, tag=True):
    """An election was deleted, with everything in it. A closed one leaves a signed statement."""

    name: str
    statement: str | None = None
    signature: str | None = None


# Candidates, voters and ballots.


class CandidatesAdded(EventData, frozen=True, tag=True):
    """Candidates were added."""

    election: str
    candidates: tuple[str, ...]


class CandidatesRemoved(EventData, frozen=True, tag=True):
    """Candidates were removed. Ballots count as if these had never been ranked."""

    election: str
    candidates: tuple[str, ...]


class CandidatesOrdered(EventData, frozen=True, tag=True):
    """The candidates, all of them, are in another order."""

    election: str
    candidates: tuple[str, ...]


class CandidateRenamed(EventData, frozen=True, tag=True):
    """A candidate has another name, before anyone could vote."""

    election: str
    old_name: str
    new_name: str


class CandidatesDescribed(EventData, frozen=True, tag=True):
    """Candidates have other statements, in Markdown; none if they are empty."""

    election: str
    statements: dict[str, str]


class CandidatePictured(EventData, frozen=True, tag=True):
    """A candidate has another picture, or none.

    `picture` is the name of a WebP, made of its hash, and `data` the image in Base64, unless an
    earlier event has it. `alt` describes it.
    """

    election: str
    candidate: str
    picture: str
    alt: str = ""
    data: str = ""


class VotersAdded(EventData, frozen=True, tag=True):
    """Voters were added to the list. The first ones end voting by everyone."""

    election: str
    voters: tuple[str, ...]


class RollVotersAdded(EventData, frozen=True, tag=True):
    """Voters were added to the roll."""

    election: str
    voters: tuple[RollVoter, ...]


class RollVotersChanged(EventData, frozen=True, tag=True):
    """Entries of the roll were changed: a name, a weight, a new link, no more reminders."""

    election: str
    voters: tuple[RollVoter, ...]


class VotersRemoved(EventData, frozen=True, tag=True):
    """Voters were removed. If a voter list is empty, everyone may vote again."""

    election: str
    voters: tuple[str, ...]


class BallotCast(EventData, frozen=True, tag=True):
    """Someone voted. The ranking is in `levels`, best first, or in `sealed` if it is secret.

    The `mac` binds an open ballot to its place, as the seal does for a secret one.
    """

    voter: str
    election: str
    definition: str
    request: str
    fingerprint: str
    confirmation: str | None = None
    nonce: str | None = None
    levels: tuple[tuple[str, ...], ...] | None = None
    mac: str | None = None
    sealed: str | None = None


class BallotWithdrawn(EventData, frozen=True, tag=True):
    """Someone withdrew their ballot."""

    voter: str
    election: str


# Every kind of event, by its type.
KINDS: dict[str, type[EventData]] = {
    name: kind
    for name, kind in list(vars().items())
    if isinstance(kind, type) and issubclass(kind, EventData) and kind.__struct_config__.tag
}
