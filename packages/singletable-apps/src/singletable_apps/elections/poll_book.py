"""The poll book: users, elections and current ballots, according to the event log alone.

Anyone with write access can change the table. So commands are decided on the poll book, and results
are counted from its ballots. It is kept in memory and authenticates every event before entering it.
"""

from __future__ import annotations

import threading
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Generic, TypeVar

from ranked_ballots import Ranking
from singletable import Store
from singletable_apps.elections import events, patterns
from singletable_apps.elections.entities import (
    Counts,
    Election,
    Electorate,
    RollNumber,
    RollVoter,
    Sync,
    User,
    UserId,
    VoterId,
    is_account,
    roll_number,
)
from singletable_apps.elections.errors import CorruptLog, CorruptTable
from singletable_apps.elections.events import Event, check_event, parse_event_data
from singletable_apps.elections.log_state import (
    RECENT_EVENTS,
    AppliedEvent,
    DeletedElection,
    ElectionRecord,
    LogState,
)
from singletable_apps.elections.proofs.documents import BallotContent, BallotDefinition
from singletable_apps.elections.proofs.errors import UnsealError
from singletable_apps.elections.proofs.keys import BallotKey, BallotPlace
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.names import quote
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import NotFound

T = TypeVar("T")


class Guarded(Generic[T]):
    """A value that one thread at a time can reach, and only in a `with` statement."""

    def __init__(self, value: T) -> None:
        self._value = value
        self._lock = threading.RLock()

    def __enter__(self) -> T:
        self._lock.acquire()
        return self._value

    def __exit__(self, *_: object) -> None:
        self._lock.release()


@dataclass(frozen=True, slots=True)
class LinkVoter:
    """A voter without an account, identified by a personal link to an election."""

    election_id: int
    entry: RollVoter


@dataclass(frozen=True, slots=True)
class BallotOwner:
    """The owner of a ballot: their name in events and keys, and their id in the election."""

    name: str
    voter_id: VoterId
    entry: RollVoter | None = None


@dataclass(frozen=True, slots=True)
class CountedBallot:
    """An opened ballot from the log, with the event that cast it."""

    voter_name: str
    event: Event
    definition: str
    content: BallotContent


class PollBook:
    """The state of the log, read completely once and then updated with new events. Thread-safe.

    Each question is answered between two events, and its answer does not change with later ones.
    """

    def __init__(self, store: Store, key: BallotKey) -> None:
        self._store = store
        self._key = key
        self._log = Guarded(LogState())

    @property
    def position(self) -> int:
        """Return the number of the last event entered."""
        with self._log as state:
            return state.position

    def refresh(self, limit: int | None = None) -> bool:
        """Enter new events from the log, `limit` of them at most. Return whether there are any."""
        start = self.position
        for event in islice(self._store.run(patterns.events_after, start), limit):
            with self._log as state:
                if not start < event.event_id <= state.position:  # or another thread entered it
                    check_event(event, state.position + 1, state.head, self._key)
                    state.enter(event)
        return self.position > start

    def enter(self, new: Sequence[Event]) -> None:
        """Enter events that this process has just written, unless they are already entered."""
        with self._log as state:
            for event in new:
                if event.event_id == state.position + 1:
                    state.enter(event)

    def unapplied(self, position: int, until: int | None = None) -> Iterator[AppliedEvent]:
        """Yield the events that a table at this position lacks, and what they write.

        Without `until`, new events are read from the log.
        """
        while until is None or position < until:
            with self._log as state:
                found, last = state.find_recent(position + 1), state.position
            if found is not None:
                position += 1
                yield found
            elif position < last:
                # What an event writes depends on the events before: read the log again.
                yield from PollBook(self._store, self._key).unapplied(position, until)
                return
            elif not self.refresh(RECENT_EVENTS):
                return

    def follow(self, sync: Sync) -> None:
        """Enter the events up to the position of the table.

        Raise CorruptTable if the table contradicts the log, and CorruptLog if the log has lost
        events.
        """
        if self.position < sync.last_event_id:
            self.refresh()
        elif self.position > sync.last_event_id:
            self.event(self.position)  # raises CorruptLog if the log has lost it
        with self._log as state:
            position, head = state.position, state.head
        if position < sync.last_event_id or (
            position == sync.last_event_id and head != sync.last_hash
        ):
            raise CorruptTable(
                f"The table is at event {sync.last_event_id:,}, but the log ends with event "
                f"{position:,} or has another event there. Find out who can write the table; "
                "then rebuild it."
            )

    # Users.

    def find_user(self, name: str) -> User | None:
        """Return the user with this name, in any case, or None."""
        with self._log as state:
            return _find(state, state.ids.get(name))

    def get_user(self, name: str) -> User:
        """Return the user with this name, or raise NotFound."""
        user = self.find_user(name)
        if user is None:
            raise NotFound(f"There is no user {quote(name)}.", field="user")
        return user

    def find_user_by_email(self, email: str) -> User | None:
        """Return the user with this e-mail address, in any case, or None."""
        with self._log as state:
            return _find(state, state.emails.get(email))

    def find_user_by_id(self, user_id: int) -> User | None:
        """Return the user with this id, or None. Ids never change; names do."""
        with self._log as state:
            return _find(state, UserId(user_id))

    def counts(self) -> Counts:
        """Return the numbers of users and elections, and the registration setting."""
        with self._log as state:
            return Counts(
                registration=state.registration,
                user_count=len(state.users),
                election_count=len(state.elections),
            )

    def count_voters(self) -> int:
        """Return how many users may vote."""
        with self._log as state:
            return sum(has_permission(user.role, Permission.VOTE) for user in state.users.values())

    def user_name(self, user_id: UserId) -> str:
        """Return the current name of a user, or the name that replaces a removed user's."""
        with self._log as state:
            return state.user_name(user_id)

    def voter_name(self, voter_id: VoterId) -> str:
        """Return the name of a voter in events and keys."""
        with self._log as state:
            return state.voter_name(voter_id)

    def voter_id(self, name: str) -> VoterId | None:
        """Return the id of a user or of a voter on a roll, or None if the name is unknown."""
        with self._log as state:
            return roll_number(name) or state.ids.get(name)

    # Elections.

    def find_election(self, name: str) -> Election | None:
        """Return the election with this name, in any case, or None."""
        with self._log as state:
            found = state.by_name.get(name)
            return None if found is None else copy(found.election)

    def get_election(self, name: str) -> Election:
        """Return the election with this name, or raise NotFound."""
        election = self.find_election(name)
        if election is None:
            raise NotFound(f"There is no election {quote(name)}.", field="election")
        return election

    def find_election_by_id(self, election_id: int) -> Election | None:
        """Return the election with this id, or None."""
        with self._log as state:
            found = state.elections.get(election_id)
            return None if found is None else copy(found.election)

    def find_renamed(self, name: str) -> Election | None:
        """Return the election that last had this name and has another one now, or None."""
        with self._log as state:
            found = state.elections.get(state.former.get(name, 0))
            return None if found is None else copy(found.election)

    def record(self, election: Election) -> ElectionRecord:
        """Return a copy of everything about an election."""
        with self._log as state:
            found = state.elections.get(election.election_id)
            if found is None:
                raise NotFound("This election no longer exists.", field="election")
            return found.copy()

    def records(self) -> list[ElectionRecord]:
        """Return copies of the records of all elections."""
        with self._log as state:
            return [each.copy() for each in state.elections.values()]

    def deleted_elections(self) -> list[DeletedElection]:
        """Return the elections that were deleted, the last one first."""
        with self._log as state:
            return state.deleted[::-1]

    def elections_with_roll(self) -> list[Election]:
        """Return the elections that have people on a roll."""
        with self._log as state:
            return [copy(record.election) for record in state.elections.values() if record.roll]

    def count_ballots(self) -> int:
        """Return how many elections there are if all questions on a ballot count as one."""
        with self._log as state:
            return sum(each.election.joint_with is None for each in state.elections.values())

    def questions(self, election: Election) -> list[Election]:
        """Return all questions on the ballot of an election, the first one first."""
        first = election.joint_with or election.election_id
        with self._log as state:
            found = map(state.elections.get, (first, *state.joint.get(first, ())))
            return [copy(one.election) for one in found if one is not None] or [election]

    def candidates(self, election: Election) -> list[str]:
        """Return the names of the candidates of an election, in their order."""
        return self._ask(election, lambda record: [*record.candidates], [])

    def emails(self, election: Election) -> dict[str, tuple[str, str]]:
        """Return the subjects and texts that the owner of an election wrote, by purpose."""
        return self._ask(election, lambda record: {**record.emails}, {})

    def has_picture(self, name: str) -> bool:
        """Return whether the log has this picture."""
        with self._log as state:
            return name in state.pictures

    def find_picture(self, name: str) -> bytes | None:
        """Return a picture that an election shows, or None."""
        with self._log as state:
            records = state.elections.values()
            shown = any(one.name == name for each in records for one in each.pictures.values())
            number = state.pictures.get(name, 0)
        if not shown:
            return None
        data = parse_event_data(self.event(number))
        return b64decode(data.data) if isinstance(data, events.CandidatePictured) else None

    def managed_by(self, user: User) -> list[str]:
        """Return the names of the elections that a user manages beside their owners."""
        with self._log as state:
            found = [each.election for each in state.elections.values()]
            return sorted(each.name for each in found if str(user.user_id) in each.managers)

    def _ask(self, election: Election, question: Callable[[ElectionRecord], T], default: T) -> T:
        """Return the answer about an election; the default if it was deleted."""
        with self._log as state:
            record = state.elections.get(election.election_id)
            return default if record is None else question(record)

    # Voters.

    def voters(self, election: Election) -> list[str]:
        """Return the names on the voter list or the roll, removed users included."""
        with self._log as state:
            record = state.elections.get(election.election_id)
            return sorted(state.voter_name(each) for each in record.voters) if record else []

    def is_listed(self, election: Election, voter_id: VoterId) -> bool:
        """Return whether the voter list or the roll of an election has this voter."""
        return self._ask(election, lambda record: voter_id in record.voters, default=False)

    def listed_in(self, user: User) -> list[str]:
        """Return the names of the elections that have a user on their list or roll."""
        with self._log as state:
            found = [copy(each.election) for each in state.elections.values() if each.voters]
        return [each.name for each in found if self.participation(each, user)[0]]

    def participation(self, election: Election, user: User) -> tuple[bool, bool]:
        """Return whether a user is on the voter list or the roll, and whether they have voted."""
        voter_id = self.owner_of_ballot(election, user).voter_id
        return self.is_listed(election, voter_id), self.ballot_event(election, voter_id) is not None

    def find_roll_voter(
        self, election_id: int, voter_id: RollNumber
    ) -> tuple[Election, RollVoter] | None:
        """Return an election with a roll, and someone on it."""
        with self._log as state:
            record = state.elections.get(election_id)
            entry = None if record is None else record.roll.get(voter_id)
            return None if record is None or entry is None else (copy(record.election), entry)

    def _find_by_email(self, election: Election, user: User) -> list[RollVoter]:
        """Return the people on the roll with the confirmed address of a user."""
        if not user.is_confirmed:
            return []
        return self._ask(election, lambda record: record.find_by_email(user.email), [])

    def shares_address(self, election: Election, user: User) -> bool:
        """Return whether several people on the roll have the confirmed address of a user."""
        return len(self._find_by_email(election, user)) > 1

    def owner_of_ballot(self, election: Election, voter: User | LinkVoter) -> BallotOwner:
        """Return the owner of this voter's ballot. Raise NotSignedIn for an invalid personal link.

        On a roll, users are found by their e-mail address, if it is confirmed and nobody
        else on the roll has it.
        """
        if isinstance(voter, LinkVoter):
            found = self.find_roll_voter(voter.election_id, voter.entry.voter_id)
            entry = None if found is None else found[1]
            is_valid = entry is not None and entry.generation == voter.entry.generation
            if entry is None or not is_valid or election.election_id != voter.election_id:
                raise NotSignedIn(
                    "This link is no longer valid. Ask the people who run the election for a new "
                    "one."
                )
            return BallotOwner(entry.key, entry.voter_id, entry)
        if election.electorate is not Electorate.ACCOUNTS:
            # Of several people with one address, an account can stand for none.
            people = self._find_by_email(election, voter)
            if len(people) == 1:
                return BallotOwner(people[0].key, people[0].voter_id, people[0])
        return BallotOwner(voter.name, UserId(voter.user_id))

    # Ballots.

    def ballot_event(self, election: Election, voter_id: VoterId) -> int | None:
        """Return the event that cast the current ballot of a voter in an election, or None."""
        return self._ask(election, lambda record: record.ballots.get(voter_id), None)

    def casts(self, election: Election, voter_id: VoterId) -> list[Event]:
        """Return the latest events with which a voter cast ballots, withdrawn ones included."""

        def find_events(record: ElectionRecord) -> tuple[int, ...]:
            current = record.ballots.get(voter_id)
            return (*record.replaced.get(voter_id, ()), *((current,) if current else ()))

        ids: tuple[int, ...] = self._ask(election, find_events, ())
        return list(self._events(ids)) if ids else []

    def definition(self, election: Election, digest: str) -> BallotDefinition:
        """Return what ballots with this digest of their definition were about."""
        with self._log as state:
            return state.elections[election.election_id].definitions[digest]

    def partly_answered(self, election: Election) -> set[VoterId]:
        """Return the ids of voters with answers to some, but not all questions on a ballot."""
        with self._log as state:
            found = [state.elections.get(each.election_id) for each in self.questions(election)]
            answered = [set(record.ballots) for record in found if record is not None]
        everyone = {voter for voters in answered for voter in voters}
        return {voter for voter in everyone if not all(voter in voters for voters in answered)}

    def questions_left(self, election: Election, voter_id: VoterId) -> list[str]:
        """Return the unanswered questions of a voter's partly answered ballot."""
        questions = self.questions(election)
        left = [each.name for each in questions if self.ballot_event(each, voter_id) is None]
        return left if len(left) < len(questions) else []

    def can_show_ballot(self, election: Election, voter: User | LinkVoter) -> bool:
        """Return whether voters see again what they cast.

        Owners can read all personal links, and could put their own address on a roll. So nobody
        sees a secret ballot that was cast with a link, and a link shows none.
        """
        if not election.secret_ballot or election.electorate is Electorate.ACCOUNTS:
            return True
        cast = self.ballot_event(election, self.owner_of_ballot(election, voter).voter_id)
        is_link = isinstance(voter, LinkVoter)
        return not is_link and (cast is None or is_account(self.event(cast).actor))

    def event(self, event_id: int) -> Event:
        """Return an authenticated event from the log."""
        [found] = self._events([event_id])
        return found

    def ballots(self, record: ElectionRecord) -> list[CountedBallot]:
        """Return the current ballots, opened and authenticated, sorted by voter."""
        ids = {event_id: voter_id for voter_id, event_id in record.ballots.items()}
        found = [
            self.open_event(record.election, ids[event.event_id], event)
            for event in self._events(list(ids))
        ]
        return sorted(found, key=lambda ballot: ballot.voter_name)

    def ballot(self, record: ElectionRecord, voter_id: VoterId) -> CountedBallot | None:
        """Return the current ballot of a voter, opened and authenticated, or None."""
        event_id = record.ballots.get(voter_id)
        if event_id is None:
            return None
        return self.open_event(record.election, voter_id, self.event(event_id))

    def open_event(self, election: Election, voter_id: VoterId, event: Event) -> CountedBallot:
        """Return the ballot of an event. Raise CorruptTable unless this voter cast it."""
        data = parse_event_data(event)
        if not isinstance(data, events.BallotCast):
            raise CorruptLog(f"Event {event.event_id} is not a ballot.")
        place = BallotPlace(election.election_id, voter_id.number, event.event_id, data.definition)
        try:
            if data.sealed is not None:
                content = self._key.open(place, data.sealed)
            else:
                nonce = bytes.fromhex(data.nonce or "")
                content = BallotContent(nonce, data.confirmation or "", Ranking(data.levels or ()))
                self._key.check(place, content, data.mac or "")
        except (UnsealError, ValueError) as error:
            raise CorruptTable(
                "A ballot was changed, or copied from another voter, election or time (event "
                f"{event.event_id:,}). Nothing was counted. An operator can find out more with: "
                "singletable elections verify"
            ) from error
        if isinstance(voter_id, UserId):
            return CountedBallot(self.user_name(voter_id), event, data.definition, content)
        found = self.find_roll_voter(election.election_id, voter_id)
        if found is None:
            raise CorruptLog(f"Event {event.event_id} is a ballot of someone not on the roll.")
        if election.is_weighted:
            content = replace(content, weight=found[1].votes)
        return CountedBallot(found[1].name, event, data.definition, content)

    def _events(self, ids: Sequence[int]) -> Iterator[Event]:
        found = self._store.get_many(map(patterns.event, ids), consistent=True)
        for event_id, event in zip(ids, found, strict=True):
            if event is None:
                raise CorruptLog(f"Event {event_id} is missing in the log.")
            check_event(event, event_id, event.previous_hash, self._key)
            yield event


def _find(state: LogState, user_id: UserId | None) -> User | None:
    user = None if user_id is None else state.users.get(user_id)
    return None if user is None else copy(user)
