"""What the event log says: users, elections and ballots, and what each event changes.

This is the only place that knows the meaning of events. `LogState.enter` changes the state in
memory, which the poll book reads, and keeps the writes that change the table in the same way.
"""

from __future__ import annotations

import json
from collections import UserDict, deque
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias, TypeVar

import msgspec

from singletable import ItemKey
from singletable_apps.elections import events
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Election,
    Ownership,
    RankedCandidate,
    RollNumber,
    RollVoter,
    User,
    UserId,
    Voter,
    VoterId,
    is_account,
    removed_user_name,
    roll_key,
    roll_number,
)
from singletable_apps.elections.errors import CorruptLog
from singletable_apps.elections.events import Event, parse_event_data
from singletable_apps.elections.proofs.documents import (
    BallotDefinition,
    DeletionStatement,
    hash_definition,
)
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import has_ended
from singletable_apps.elections.rules.methods import definition_of, list_choices
from singletable_apps.elections.rules.names import fold_name, roll_identity
from singletable_apps.elections.table_writes import (
    Move,
    Write,
    create,
    delete,
    edit,
    put,
    replace_item,
    save,
)
from singletable_apps.shared.accounts import Registration
from singletable_apps.shared.pictures import Picture

T = TypeVar("T")
# An event, and what it writes.
AppliedEvent: TypeAlias = tuple[Event, list[Write]]

# How many of the latest requests of a voter to cast a ballot are recognized if they are repeated.
REMEMBERED_REQUESTS = 8
# How many of the last events are kept with their writes: more than a table normally lacks.
RECENT_EVENTS = 500


@dataclass(slots=True)
class ElectionRecord:
    """An election with its candidates, voters and ballots.

    `candidates` maps names to the events that added them, `voters` are ids of users or on the
    `roll`, and `ballots` maps these ids to the events that cast their current ballots.
    `known_voters` are the ids on the roll by `roll_identity`: several if they share an address.
    `emails` are the subjects and texts that the owner wrote, by purpose. `statements` and
    `pictures` of candidates are by name, and `notes` are for the owner and the managers. `replaced`
    has the latest events that cast ballots which voters have changed or withdrawn since,
    `definitions` what ballots were about, and `earlier_names` the names of the election while
    people could vote.
    """

    election: Election
    candidates: dict[str, int] = field(default_factory=dict[str, int])
    voters: set[VoterId] = field(default_factory=set[VoterId])
    ballots: dict[VoterId, int] = field(default_factory=dict[VoterId, int])
    roll: dict[RollNumber, RollVoter] = field(default_factory=dict[RollNumber, RollVoter])
    known_voters: dict[str, tuple[RollNumber, ...]] = field(
        default_factory=dict[str, tuple[RollNumber, ...]]
    )
    last_number: int = 0
    emails: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    question: str = ""
    description: str = ""
    statements: dict[str, str] = field(default_factory=dict[str, str])
    pictures: dict[str, Picture] = field(default_factory=dict[str, Picture])
    notes: str = ""
    replaced: dict[VoterId, tuple[int, ...]] = field(default_factory=dict[VoterId, tuple[int, ...]])
    definitions: dict[str, BallotDefinition] = field(default_factory=dict[str, BallotDefinition])
    launched_at: datetime | None = None
    earlier_names: set[str] = field(default_factory=set[str])

    @property
    def definition(self) -> BallotDefinition:
        """Return the current definition of ballots."""
        return definition_of(self.election, list(self.candidates))

    @property
    def choices(self) -> dict[str, int]:
        """Return what voters can choose from, in order, with the events that added the choices."""
        names = list_choices(self.election, list(self.candidates))
        return {name: self.candidates.get(name, 0) for name in names}

    def define_ballots(self) -> None:
        """Keep what ballots are about from now on, for receipts after candidates have changed."""
        definition = self.definition
        self.election.definition = hash_definition(definition)
        self.definitions[self.election.definition] = definition

    def replace_ballot(self, voter_id: VoterId) -> None:
        """Remove the ballot of a voter, and keep the number of its event."""
        if before := self.ballots.pop(voter_id, 0):
            earlier = (*self.replaced.get(voter_id, ()), before)
            self.replaced[voter_id] = earlier[1 - REMEMBERED_REQUESTS :]

    def copy(self) -> ElectionRecord:
        """Return a copy, which later events do not change."""
        return ElectionRecord(*(copy(getattr(self, each.name)) for each in fields(self)))

    def edit(self, number: int, **values: object) -> Write:
        """Set fields of the election. While voting is open, its ballots are defined by them."""
        for name, value in {**values, "revision": number}.items():
            setattr(self.election, name, value)
        names = [*values, "revision"]
        if self.election.allow_vote:
            self.define_ballots()
            names.append("definition")
        return save(self.election, *names)

    def add_candidates(self, number: int, names: Sequence[str]) -> list[Write]:
        """Add candidates after all others."""
        self.candidates.update(dict.fromkeys(names, number))
        election = self.election.name
        added = [
            Candidate(election_name=election, candidate_name=name, since=number, position=position)
            for position, name in _positions(number, names)
        ]
        return [*map(create, added), self.edit(number, candidate_count=len(self.candidates))]

    def remove_candidates(self, number: int, names: Sequence[str]) -> list[Write]:
        """Remove candidates. Ballots stay as they were cast; the tally skips removed candidates."""
        for name in names:
            self.candidates.pop(name, None)
            self.statements.pop(name, None)
            self.pictures.pop(name, None)
        removed = [delete(Candidate.key(self.election.name, name)) for name in names]
        return [*removed, self.edit(number, candidate_count=len(self.candidates))]

    def order_candidates(self, number: int, names: Sequence[str]) -> list[Write]:
        """Put the candidates into another order."""
        self.candidates = {name: self.candidates[name] for name in names}
        moved = [
            edit(Candidate.key(self.election.name, name), position=position)
            for position, name in _positions(number, names)
        ]
        return [*moved, self.edit(number)]

    def rename_candidate(self, number: int, old: str, new: str) -> list[Write]:
        """Give a candidate another name, in the same place, with statement and picture."""
        renamed = [(new if name == old else name, since) for name, since in self.candidates.items()]
        self.candidates = dict(renamed)
        self.statements[new] = self.statements.pop(old, "")
        if old in self.pictures:
            self.pictures[new] = self.pictures.pop(old)
        moved = Move(Candidate.key(self.election.name, old), {"candidate_name": new})
        return [moved, self.edit(number)]

    def put_on_roll(self, number: int, voters: Sequence[RollVoter]) -> list[Write]:
        """Add voters to the roll, or replace their entries."""
        for voter in voters:
            if before := self.roll.get(voter.voter_id):
                self._forget(before)
            self.roll[voter.voter_id] = voter
            known = roll_identity(voter.name, voter.email)
            self.known_voters[known] = (*self.known_voters.get(known, ()), voter.voter_id)
            self.last_number = max(self.last_number, voter.voter_id.number)
        self.voters.update(voter.voter_id for voter in voters)
        name = self.election.name
        entries = [
            put(partial(Voter, election_name=name, voter_name=voter.key, entry=voter))
            for voter in voters
        ]
        return [*entries, self.edit(number, voter_count=len(self.voters))]

    def remove_voters(self, ids: set[VoterId]) -> None:
        """Remove voters from the list or the roll."""
        self.voters -= ids
        for voter_id in ids:
            if isinstance(voter_id, RollNumber) and voter_id in self.roll:
                self._forget(self.roll.pop(voter_id))

    def _forget(self, voter: RollVoter) -> None:
        known = roll_identity(voter.name, voter.email)
        left = tuple(each for each in self.known_voters[known] if each != voter.voter_id)
        self.known_voters.pop(known)
        if left:
            self.known_voters[known] = left

    def find_by_email(self, email: str) -> list[RollVoter]:
        """Return the people on the roll that have an address."""
        found = (self.roll[each] for each in self.known_voters.get(roll_identity("", email), ()))
        return [voter for voter in found if voter.email]

    def move_voter(self, user_id: UserId, old: str, new: str) -> list[Write]:
        """Give the ballot of a user, and the entry on the voter list, to another name."""
        of = (Ballot.key, self.ballots), (Voter.key, self.voters)
        keys = [key(self.election.name, old) for key, ids in of if user_id in ids]
        return [Move(key, {"voter_name": new}) for key in keys]


def _positions(number: int, names: Sequence[str]) -> Iterable[tuple[int, str]]:
    """Return the names with positions after all that earlier events have set."""
    return enumerate(names, number * 1000)


@dataclass(frozen=True, slots=True)
class DeletedElection:
    """What is known of an election that was deleted; a closed one has a signed statement."""

    election_id: int
    name: str
    deleted_by: UserId | None
    deleted_at: datetime
    statement: DeletionStatement | None
    signature: str


class CaseInsensitiveDict(UserDict[str, T]):
    """A dict of names or e-mail addresses.

    If it were case-sensitive, someone who hid a user from the table could register with the same
    name in another case, and would have that user's ballots and elections.
    """

    def __contains__(self, name: object) -> bool:
        return fold_name(str(name)) in self.data

    def __getitem__(self, name: str) -> T:
        return self.data[fold_name(name)]

    def __setitem__(self, name: str, value: T) -> None:
        self.data[fold_name(name)] = value

    def __delitem__(self, name: str) -> None:
        del self.data[fold_name(name)]


class LogState:
    """Users, elections and current ballots after the event `position`, whose hash is `head`.

    `ids` are the ids of users by name, removed ones included; `former` has the ids of elections by
    names that they had, `joint` the ids of further questions by that of the first one, and
    `pictures` the events that have them.
    """

    def __init__(self) -> None:
        self.position = 0
        self.head = ""
        self.registration = Registration.OPEN
        self.ids = CaseInsensitiveDict[UserId]()
        self.emails = CaseInsensitiveDict[UserId]()
        self.users: dict[UserId, User] = {}
        self.by_name = CaseInsensitiveDict[ElectionRecord]()
        self.elections: dict[int, ElectionRecord] = {}
        self.former = CaseInsensitiveDict[int]()
        self.joint: dict[int, list[int]] = {}
        self.deleted: list[DeletedElection] = []
        self.pictures: dict[str, int] = {}
        self._recent = deque[AppliedEvent](maxlen=RECENT_EVENTS)

    def user_name(self, user_id: UserId) -> str:
        """Return the current name of a user, or the name that replaces a removed user's."""
        user = self.users.get(user_id)
        return user.name if user is not None else removed_user_name(user_id)

    def voter_name(self, voter_id: VoterId) -> str:
        """Return the name of a voter in events and keys."""
        if isinstance(voter_id, RollNumber):
            return roll_key(voter_id)
        return self.user_name(voter_id)

    def enter(self, event: Event) -> None:
        """Change the state, and keep what changes in the table.

        Raise CorruptLog if the event refers to something that does not exist.
        """
        try:
            writes = self._apply(event)
        except KeyError as error:
            raise CorruptLog(
                f"Event {event.event_id} ({event.event_type}) refers to {error}, which did not "
                "exist at that time."
            ) from error
        self.position, self.head = event.event_id, event.hash
        self._recent.append((event, writes))

    def find_recent(self, event_id: int) -> AppliedEvent | None:
        """Return one of the last events and its writes, or None."""
        first = self.position + 1 - len(self._recent)
        return self._recent[event_id - first] if first <= event_id <= self.position else None

    def _apply(self, event: Event) -> list[Write]:
        number, data = event.event_id, parse_event_data(event)
        match data:
            case events.UserRegistered():
                user_id = UserId(number)
                user = self.users[user_id] = _new_user(event, data)
                self.ids[data.name] = self.emails[data.email] = user_id
                rule = {} if data.registration is None else {"registration": data.registration}
                self.registration = data.registration or self.registration
                return [create(user), self._count(event, **rule)]
            case events.RegistrationChanged():
                self.registration = data.registration
                return [self._count(event, registration=data.registration)]
            case events.UserRoleChanged():
                return [self._edit_user(number, data.name, role=data.role)]
            case events.UserEmailChanged():
                user = self._user(data.name)
                del self.emails[user.email]
                self.emails[data.email] = UserId(user.user_id)
                is_confirmed = data.is_confirmed
                changed = self._edit_user(
                    number, data.name, email=data.email, is_confirmed=is_confirmed
                )
                return [changed]
            case events.UserPasswordChanged():
                # Other credentials end all sessions of the user.
                sessions = {} if data.renewed else {"credentials": number}
                return [self._edit_user(number, data.name, hash=data.hash, **sessions)]
            case events.OwnershipTransferred():
                return [
                    self._edit_user(number, data.old_owner, role=Role.AUDITOR),
                    self._edit_user(number, data.new_owner, role=Role.OWNER),
                ]
            case events.UserNameChanged():
                return self._rename_user(number, data)
            case events.UserRemoved():
                return self._remove_user(event, data)
            case events.ElectionCreated():
                return self._create_election(event, data)
            case events.ElectionNameChanged():
                return self._rename_election(number, data)
            case events.ElectionDeleted():
                return self._delete_election(event, data)
            case _:
                name = getattr(data, "election", "") or getattr(data, "name", "")
                return self._change_election(event, data, self.by_name[name])

    def _change_election(
        self, event: Event, data: events.EventData, record: ElectionRecord
    ) -> list[Write]:
        number = event.event_id
        match data:
            case events.ElectionUpdated():
                return [record.edit(number, **{**_settings(data), "seats": int(data.seats)})]
            case events.ElectorateChanged() | events.ElectionResultShared():
                return [record.edit(number, **_settings(data))]
            case events.ElectionManagersChanged():
                return [record.edit(number, managers=list(data.managers))]
            case events.ElectionOwnerChanged():
                return [
                    edit(Ownership.key(data.name), owner_name=data.new_owner),
                    self._count_owned(data.old_owner, -1),
                    self._count_owned(data.new_owner, 1),
                    record.edit(number, owner_name=data.new_owner),
                ]
            case events.ElectionLaunched():
                record.launched_at = event.when_occurred
                return [record.edit(number, **_settings(data), allow_vote=True)]
            case events.ElectionFixed():
                return [record.edit(number, allow_edit=False)]
            case events.ElectionFinalized():
                return [record.edit(number, **_settings(data), allow_edit=False, allow_vote=False)]
            # Texts and pictures are not in the table.
            case events.ElectionDescribed():
                record.question, record.description = data.question, data.description
            case events.ElectionNoted():
                record.notes = data.notes
            case events.ElectionEmailChanged():
                record.emails[data.purpose] = data.subject, data.text
            case events.CandidatesDescribed():
                record.statements.update(data.statements)
            case events.CandidatePictured():
                record.pictures[data.candidate] = Picture(data.picture, data.alt)
                if not data.picture:
                    del record.pictures[data.candidate]
                if data.data:
                    self.pictures.setdefault(data.picture, number)
            case events.CandidatesAdded():
                return record.add_candidates(number, data.candidates)
            case events.CandidatesRemoved():
                return record.remove_candidates(number, data.candidates)
            case events.CandidatesOrdered():
                return record.order_candidates(number, data.candidates)
            case events.CandidateRenamed():
                return record.rename_candidate(number, data.old_name, data.new_name)
            case events.VotersAdded():
                record.voters |= self._ids_of(data.voters)
                added = [
                    put(partial(Voter, election_name=data.election, voter_name=each))
                    for each in data.voters
                ]
                return [*added, record.edit(number, voter_count=len(record.voters))]
            case events.VotersRemoved():
                record.remove_voters(self._ids_of(data.voters))
                removed = [delete(Voter.key(data.election, each)) for each in data.voters]
                return [*removed, record.edit(number, voter_count=len(record.voters))]
            case events.RollVotersAdded() | events.RollVotersChanged():
                return record.put_on_roll(number, data.voters)
            case events.BallotCast():
                return self._cast_ballot(event, data, record)
            case events.BallotWithdrawn():
                record.replace_ballot(*self._ids_of([data.voter]))
                deleted = delete(Ballot.key(data.election, data.voter))
                return [deleted, *self._count_ballot(data.voter, -1)]
            case _:
                raise KeyError(event.event_type)
        return [record.edit(number)]

    # Users.

    def _edit_user(self, number: int, name: str, **values: object) -> Write:
        user = self._user(name)
        for field_name, value in {**values, "revision": number}.items():
            setattr(user, field_name, value)
        return save(user, *values, "revision")

    def _rename_user(self, number: int, data: events.UserNameChanged) -> list[Write]:
        user = self._user(data.old_name)
        old, user.name, user.revision = user.name, data.new_name, number
        self.ids[data.new_name] = self.ids.pop(data.old_name)
        writes = [replace_item(User.key(old), user)]
        for record in self.elections.values():
            election = record.election
            if election.owner_name == old:
                writes.append(edit(Ownership.key(election.name), owner_name=data.new_name))
                writes.append(record.edit(number, owner_name=data.new_name))
            writes += record.move_voter(UserId(user.user_id), old, data.new_name)
        return writes

    def _remove_user(self, event: Event, data: events.UserRemoved) -> list[Write]:
        """Remove ballots in open elections, and the name from everything else.

        If the entry on a voter list were removed and was the last one, everyone could vote.
        """
        user_id = self.ids.pop(data.name)
        user, placeholder = self.users.pop(user_id), removed_user_name(user_id)
        self.ids[placeholder] = user_id
        del self.emails[user.email]
        writes: list[Write] = []
        for record in self.elections.values():
            election = record.election
            is_open = election.allow_vote and not has_ended(election, event.when_occurred)
            if is_open and record.ballots.pop(user_id, 0):
                writes.append(delete(Ballot.key(election.name, user.name)))
            writes += record.move_voter(user_id, user.name, placeholder)
        return [*writes, delete(User.key(user.name)), self._count(event)]

    # Elections.

    def _create_election(self, event: Event, data: events.ElectionCreated) -> list[Write]:
        election = _new_election(event, data)
        record = ElectionRecord(election)
        self.elections[event.event_id] = self.by_name[data.name] = record
        self.former.pop(data.name, None)
        if data.joint_with:
            self.joint.setdefault(int(data.joint_with), []).append(event.event_id)
        return [
            create(election),
            create(Ownership(election_name=data.name, owner_name=data.owner)),
            self._count_owned(data.owner, 1),
            self._count(event),
        ]

    def _rename_election(self, number: int, data: events.ElectionNameChanged) -> list[Write]:
        record = self.by_name[data.new_name] = self.by_name.pop(data.old_name)
        moved = {"election_name": data.new_name}
        moves = [Move(key, moved) for key in self._keys_in(record)]
        election = record.election
        if election.allow_vote:
            record.earlier_names.add(data.old_name)
        election.name, election.revision = data.new_name, number
        self.former.pop(data.new_name, None)
        self.former[data.old_name] = election.election_id
        ownership = Ownership(election_name=election.name, owner_name=election.owner_name)
        return [
            *moves,
            replace_item(Ownership.key(data.old_name), ownership),
            replace_item(Election.key(data.old_name), election),
        ]

    def _delete_election(self, event: Event, data: events.ElectionDeleted) -> list[Write]:
        record = self.by_name.pop(data.name)
        election = record.election
        del self.elections[election.election_id]
        statement = None if data.statement is None else json.loads(data.statement)
        by, at, signed = self.ids.get(event.actor), event.when_occurred, data.signature or ""
        gone = DeletedElection(election.election_id, data.name, by, at, statement, signed)
        self.deleted.append(gone)
        owner = self._user(election.owner_name)
        owner.elections_owned -= 1
        # One write for each user: a transaction changes no item twice.
        counted = {UserId(owner.user_id): owner}
        for user_id, user in self.users.items():
            if user_id in record.ballots:
                counted[user_id] = user
                user.ballots_cast -= 1
        return [
            *map(delete, self._keys_in(record)),
            *(save(counted[each], "elections_owned", "ballots_cast") for each in sorted(counted)),
            delete(Ownership.key(data.name)),
            delete(Election.key(data.name)),
            self._count(event),
        ]

    def _keys_in(self, record: ElectionRecord) -> list[ItemKey[Any]]:
        """Return the keys of an election's ballots, voters and candidates."""
        election = record.election
        ballots, voters = (
            map(self.voter_name, sorted(ids, key=lambda each: each.number))
            for ids in (record.ballots, record.voters)
        )
        return [
            *(Ballot.key(election.name, each) for each in ballots),
            *(Voter.key(election.name, each) for each in voters),
            *(Candidate.key(election.name, each) for each in record.candidates),
        ]

    def _cast_ballot(
        self, event: Event, data: events.BallotCast, record: ElectionRecord
    ) -> list[Write]:
        (voter_id,) = self._ids_of([data.voter])
        is_first = voter_id not in record.ballots
        record.replace_ballot(voter_id)
        record.ballots[voter_id] = event.event_id
        ballot = put(partial(_new_ballot, event, data))
        return [ballot, *(self._count_ballot(data.voter, 1) if is_first else ())]

    # Numbers of things.

    def _count_ballot(self, voter: str, change: int) -> list[Write]:
        if not is_account(voter):
            return []
        user = self._user(voter)
        user.ballots_cast += change
        return [save(user, "ballots_cast")]

    def _count_owned(self, owner: str, change: int) -> Write:
        user = self._user(owner)
        user.elections_owned += change
        return save(user, "elections_owned")

    def _count(self, event: Event, **values: object) -> Write:
        users, elections = len(self.users), len(self.elections)
        values |= {"user_count": users, "election_count": elections}
        return edit(Counts.key(), **values, last_updated=event.when_occurred)

    # Names.

    def _ids_of(self, names: Iterable[str]) -> set[VoterId]:
        return {roll_number(name) or self.ids[name] for name in names}

    def _user(self, name: str) -> User:
        return self.users[self.ids[name]]


def _settings(data: events.EventData) -> dict[str, Any]:
    """Return what an event sets in an election: its fields have the same names."""
    return {name: value for name, value in _fields(data).items() if name != "name"}


def _fields(data: events.EventData) -> dict[str, Any]:
    """Return the fields of an event, with times in UTC as in the table."""
    return {
        name: value.astimezone(UTC) if isinstance(value, datetime) else value
        for name, value in msgspec.structs.asdict(data).items()
    }


def _new_user(event: Event, data: events.UserRegistered) -> User:
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


def _new_election(event: Event, data: events.ElectionCreated) -> Election:
    """Return the election that an event created. Its id is the id of the event."""
    values: dict[str, Any] = _fields(data) | {"seats": int(data.seats)}
    values["joint_with"] = int(data.joint_with) if data.joint_with else None
    return Election(
        owner_name=values.pop("owner"),
        **values,
        election_id=event.event_id,
        when_created=event.when_occurred,
        revision=event.event_id,
    )


def _new_ballot(event: Event, data: events.BallotCast) -> Ballot:
    levels = enumerate(data.levels or (), 1)
    rankings = [RankedCandidate(name, rank) for rank, level in levels for name in level]
    return Ballot(
        election_name=data.election,
        voter_name=data.voter,
        when_cast=event.when_occurred,
        definition=data.definition,
        confirmation=data.confirmation,
        rankings=None if data.levels is None else rankings,
        sealed=data.sealed,
        revision=event.event_id,
    )
