"""The changes that events make to users and elections, for the table and the poll book.

Both get from here the items that an event creates and the fields that it sets. What else they do
with an event differs: the table moves and counts items, the poll book keeps ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

import msgspec

from singletable_apps.elections import events
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.events import Event, EventData
from singletable_apps.elections.proofs.documents import BallotDefinition, create_definition
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import has_ended
from singletable_apps.elections.rules.methods import NONE_OF_THESE, agreed_rules

Fields: TypeAlias = dict[str, object]


class Change(NamedTuple):
    """The fields that an event sets in a user or an election, besides `revision`."""

    entity: type[User] | type[Election]
    name: str
    fields: Fields


def changes_of(event_id: int, data: EventData) -> list[Change]:
    """Return the fields that an event sets. Most are in the event, with the same names."""
    fields: Fields = msgspec.structs.asdict(data)
    name = str(fields.pop("name", ""))
    match data:
        case events.UserRoleChanged() | events.UserEmailChanged():
            return [Change(User, name, fields)]
        case events.UserPasswordChanged():
            if not fields.pop("renewed"):
                fields["credentials"] = event_id  # ends all sessions of the user
            return [Change(User, name, fields)]
        case events.OwnershipTransferred():
            return [
                Change(User, data.old_owner, {"role": Role.AUDITOR}),
                Change(User, data.new_owner, {"role": Role.OWNER}),
            ]
        case events.ElectionUpdated():
            return [Change(Election, name, {**fields, "seats": int(data.seats)})]
        case events.ElectorateChanged() | events.ElectionResultShared():
            return [Change(Election, name, fields)]
        # The texts are only in the poll book.
        case events.ElectionEmailChanged() | events.ElectionDescribed() | events.ElectionNoted():
            return [Change(Election, name, {})]
        case events.CandidatesDescribed() | events.CandidatePictured():
            return [Change(Election, data.election, {})]
        case events.ElectionManagersChanged():
            return [Change(Election, name, {"managers": list(data.managers)})]
        case events.ElectionOwnerChanged():
            return [Change(Election, name, {"owner_name": data.new_owner})]
        case events.ElectionLaunched():
            return [Change(Election, name, {**fields, "allow_vote": True})]
        case events.ElectionFixed():
            return [Change(Election, name, {"allow_edit": False})]
        case events.ElectionFinalized():
            return [Change(Election, name, {**fields, "allow_edit": False, "allow_vote": False})]
        case _:
            return []


def new_user(event: Event, data: events.UserRegistered) -> User:
    """Return the user that an event registered. Their id is the id of the event."""
    return User(
        name=data.name,
        email=data.email,
        is_confirmed=data.is_confirmed,
        hash=data.hash,
        role=data.role,
        user_id=event.event_id,
        credentials=event.event_id,
        when_registered=event.when_occurred,
        revision=event.event_id,
    )


def new_election(event: Event, data: events.ElectionCreated) -> Election:
    """Return the election that an event created. Its id is the id of the event."""
    fields: dict[str, Any] = msgspec.structs.asdict(data) | {"seats": int(data.seats)}
    fields["joint_with"] = int(data.joint_with) if data.joint_with else None
    return Election(
        owner_name=fields.pop("owner"),
        **fields,
        election_id=event.event_id,
        when_created=event.when_occurred,
        revision=event.event_id,
    )


def definition_of(election: Election, candidates: Sequence[str]) -> BallotDefinition:
    """Return the definition of an election's ballots, from which confirmations are computed."""
    return create_definition(
        election.election_id,
        list_choices(election, candidates),
        election.secret_ballot,
        level=election.publication.value,
        commitment=election.tie_commitment or "",
        is_weighted=election.is_weighted,
        rules=agreed_rules(election),
    )


def list_choices(election: Election, candidates: Sequence[str]) -> list[str]:
    """Return what voters can choose from, in order, given the candidates as they were entered."""
    return [*candidates, NONE_OF_THESE] if election.none_of_these else list(candidates)


def keeps_ballots(election: Election, now: datetime) -> bool:
    """Return whether ballots outlive their voters: voting is not open, or no longer."""
    return not election.allow_vote or has_ended(election, now)
