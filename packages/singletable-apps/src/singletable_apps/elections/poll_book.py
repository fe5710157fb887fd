"""The poll book: users, elections and current ballots, according to the event log alone.

Anyone with write access can change the table. So the poll book confirms the facts that commands are
decided on, and results are counted from its ballots. It is kept in memory and authenticates every
event before entering it.
"""

from __future__ import annotations

import threading
from base64 import b64decode
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter

from ranked_ballots import Ranking
from singletable import Store
from singletable_apps.elections import events, patterns
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Election,
    Electorate,
    RollNumber,
    RollVoter,
    Sync,
    User,
    UserId,
    Voter,
    VoterId,
    is_account,
    roll_number,
)
from singletable_apps.elections.errors import CorruptLog, CorruptTable
from singletable_apps.elections.events import Event, check_event, parse_event_data
from singletable_apps.elections.log_state import DeletedElection, ElectionRecord, LogState
from singletable_apps.elections.proofs.documents import BallotContent, BallotDefinition
from singletable_apps.elections.proofs.errors import UnsealError
from singletable_apps.elections.proofs.keys import BallotKey, BallotPlace
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.table_writes import Write
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import NotFound

EVENTS_AT_ONCE = 500
MAX_UNAPPLIED = 2_000
_confirmed = attrgetter(
    "name",
    "email",
    "is_confirmed",
    "hash",
    "role",
    "user_id",
    "credentials",
    "when_registered",
)


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
    """The state of the log, read completely once and then updated with new events. Thread-safe."""

    def __init__(self, store: Store, key: BallotKey) -> None:
        self._store = store
        self._key = key
        self._lock = threading.Lock()
        self._state = LogState()
        self.position = 0
        self.head = ""
        # The events that the table may lack, and their writes; only those after a position.
        self._unapplied: dict[int, tuple[Event, list[Write]]] = {}
        self._keeps_after: int | None = None

    def refresh(self, limit: int | None = None) -> bool:
        """Enter new events from the log, `limit` of them at most. Return whether there are any."""
        with self._lock:
            is_new = self._read(limit)
        if len(self._unapplied) > MAX_UNAPPLIED:  # other processes write, and this one only reads
            sync = ReadModel(self._store).get_sync()
            if sync is not None and not sync.rebuilding:
                self.keep_after(sync.last_event_id)
        return is_new

    def _read(self, limit: int | None) -> bool:
        before = self.position
        for event in islice(self._store.run(patterns.events_after, before), limit):
            check_event(event, self.position + 1, self.head, self._key)
            self._enter(event)
        return self.position > before

    def enter(self, new: Sequence[Event]) -> None:
        """Enter events that this process has just written, unless they are already entered."""
        with self._lock:
            for event in new:
                if event.event_id == self.position + 1:
                    self._enter(event)

    def _enter(self, event: Event) -> None:
        try:
            writes = self._state.apply(event)
        except KeyError as error:
            raise CorruptLog(
                f"Event {event.event_id} ({event.event_type}) refers to {error}, which did not "
                "exist at that time."
            ) from error
        self.position, self.head = event.event_id, event.hash
        if self._keeps_after is not None and event.event_id > self._keeps_after:
            self._unapplied[event.event_id] = event, writes

    def keep_after(self, position: int) -> None:
        """Keep what the table needs to follow the log from this position on."""
        with self._lock:
            if position >= self.position or position + 1 in self._unapplied:
                self._keep_after(position)
                return
        # What an event writes depends on the events before. Meanwhile, others read this book.
        replay = PollBook(self._store, self._key)
        replay._keep_after(position)
        replay._read(None)
        with self._lock:
            if replay.position < self.position:  # raises CorruptLog if the log has lost the event
                replay._read(None)
                self.event(self.position)
            self._state, self._unapplied = replay._state, replay._unapplied
            self.position, self.head = replay.position, replay.head
            self._keeps_after = position

    def _keep_after(self, position: int) -> None:
        self._keeps_after = position
        for event_id in [each for each in self._unapplied if each <= position]:
            del self._unapplied[event_id]
        if self.position < position:
            self._read(position - self.position)

    def unapplied(
        self, position: int, until: int | None = None
    ) -> Iterator[tuple[Event, list[Write]]]:
        """Yield the events that a table at this position lacks, and what they write.

        Without `until`, new events are read from the log.
        """
        self.keep_after(position)
        while until is None or position < until:
            found = self._unapplied.get(position + 1)
            if found is not None:
                position += 1
                yield found
                # This one is in the table for sure, because few are applied at once.
                self._unapplied.pop(position - EVENTS_AT_ONCE, None)
            elif not self.refresh(EVENTS_AT_ONCE):
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
        if self.position < sync.last_event_id or (
            self.position == sync.last_event_id and self.head != sync.last_hash
        ):
            raise CorruptTable(
                f"The table is at event {sync.last_event_id:,}, but the log ends with event "
                f"{self.position:,} or has another event there. Find out who can write the table; "
                "then rebuild it."
            )

    # Read the log.

    def record(self, election: Election) -> ElectionRecord:
        """Return the current record of an election read from the table."""
        self.refresh()
        with self._lock:
            found = self._state.elections.get(election.election_id)
            if found is None:
                raise NotFound("This election no longer exists.", field="election")
            # After a rename, the table may briefly have the old name, but never another election's.
            same = self._state.by_name.get(election.name, found) is found
            _confirm(same, f"The election {election.name!r} was changed")
            return found.copy()

    def emails(self, election: Election) -> dict[str, tuple[str, str]]:
        """Return the subjects and texts that the owner of an election wrote, by purpose."""
        with self._lock:
            found = self._state.elections.get(election.election_id)
            return {} if found is None else dict(found.emails)

    def find_election(self, election_id: int) -> Election | None:
        """Return the election with this id, or None."""
        self.refresh()
        with self._lock:
            found = self._state.elections.get(election_id)
            return None if found is None else copy(found.election)

    def find_renamed(self, name: str) -> Election | None:
        """Return the election that last had this name and has another one now, or None."""
        self.refresh()
        with self._lock:
            election_id = self._state.former.get(name)
        return None if election_id is None else self.find_election(election_id)

    def questions(self, election: Election) -> list[Election]:
        """Return all questions on the ballot of an election, the first one first."""
        first = election.joint_with or election.election_id
        with self._lock:
            found = map(self._state.elections.get, (first, *self._state.joint.get(first, ())))
            return [copy(one.election) for one in found if one is not None] or [election]

    def ballot_event(self, election: Election, voter_id: VoterId) -> int | None:
        """Return the event that cast the current ballot of a voter in an election, or None."""
        with self._lock:
            record = self._state.elections.get(election.election_id)
            return None if record is None else record.ballots.get(voter_id)

    def casts(self, election: Election, voter_id: VoterId) -> list[Event]:
        """Return the latest events with which a voter cast ballots, withdrawn ones included."""
        with self._lock:
            record = self._state.elections.get(election.election_id)
            if record is None:
                return []
            current = record.ballots.get(voter_id)
            ids = (*record.replaced.get(voter_id, ()), *((current,) if current else ()))
        return list(self._events(ids)) if ids else []

    def definition(self, election: Election, digest: str) -> BallotDefinition:
        """Return what ballots with this digest of their definition were about."""
        with self._lock:
            return self._state.elections[election.election_id].definitions[digest]

    def partly_answered(self, election: Election) -> set[VoterId]:
        """Return the ids of voters with answers to some, but not all questions on a ballot."""
        questions = self.questions(election)
        with self._lock:
            found = [self._state.elections.get(each.election_id) for each in questions]
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

    def managed_by(self, user: User) -> list[str]:
        """Return the names of the elections that a user manages beside their owners."""
        with self._lock:
            found = [each.election for each in self._state.elections.values()]
            return sorted(each.name for each in found if str(user.user_id) in each.managers)

    def has_picture(self, name: str) -> bool:
        """Return whether the log has this picture."""
        return name in self._state.pictures

    def find_picture(self, name: str) -> bytes | None:
        """Return a picture that an election shows, or None."""
        with self._lock:
            shown = any(
                each.name == name
                for record in self._state.elections.values()
                for each in record.pictures.values()
            )
        if not shown:
            return None
        data = parse_event_data(self.event(self._state.pictures[name]))
        return b64decode(data.data) if isinstance(data, events.CandidatePictured) else None

    def deleted_elections(self) -> list[DeletedElection]:
        """Return the elections that were deleted, the last one first."""
        self.refresh()
        with self._lock:
            return self._state.deleted[::-1]

    def records(self) -> list[ElectionRecord]:
        """Return the current records of all elections."""
        self.refresh()
        with self._lock:
            return [each.copy() for each in self._state.elections.values()]

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
        entry = self._roll_voter(election.election_id, voter_id)
        if entry is None:
            raise CorruptLog(f"Event {event.event_id} is a ballot of someone not on the roll.")
        if election.is_weighted:
            content = replace(content, weight=entry.votes)
        return CountedBallot(entry.name, event, data.definition, content)

    def owner_of_ballot(self, election: Election, voter: User | LinkVoter) -> BallotOwner:
        """Return the owner of this voter's ballot. Raise NotSignedIn for an invalid personal link.

        On a roll, users are found by their e-mail address, if it is confirmed and nobody
        else on the roll has it.
        """
        if isinstance(voter, LinkVoter):
            entry = self._roll_voter(voter.election_id, voter.entry.voter_id)
            is_valid = entry is not None and entry.generation == voter.entry.generation
            if entry is None or not is_valid or election.election_id != voter.election_id:
                raise NotSignedIn(
                    "This link is no longer valid. Ask the people who run the election for a new "
                    "one."
                )
            return BallotOwner(entry.key, entry.voter_id, entry)
        account = BallotOwner(voter.name, UserId(voter.user_id))
        if election.electorate is Electorate.ACCOUNTS:
            return account
        record = self._state.elections.get(election.election_id)
        if record is not None and voter.is_confirmed:
            # Of several people with one address, an account can stand for none.
            found = record.find_by_email(voter.email)
            if len(found) == 1:
                return BallotOwner(found[0].key, found[0].voter_id, found[0])
        return account

    def shares_address(self, election: Election, user: User) -> bool:
        """Return whether several people on the roll have the confirmed address of a user."""
        record = self._state.elections.get(election.election_id)
        if record is None or not user.is_confirmed:
            return False
        return len(record.find_by_email(user.email)) > 1

    def find_roll_voter(
        self, election_id: int, voter_id: RollNumber
    ) -> tuple[Election, RollVoter] | None:
        """Return an election with a roll, and someone on it."""
        self.refresh()
        with self._lock:
            entry = self._roll_voter(election_id, voter_id)
            if entry is None:
                return None
            return copy(self._state.elections[election_id].election), entry

    def participation(self, election: Election, user: User) -> tuple[bool, bool]:
        """Return whether a user is on the voter list or the roll, and whether they have voted."""
        voter_id = self.owner_of_ballot(election, user).voter_id
        record = self._state.elections.get(election.election_id)
        if record is None:
            return False, False
        return voter_id in record.voters, voter_id in record.ballots

    def listed_in(self, user: User) -> list[str]:
        """Return the names of the elections that have a user on their list or roll."""
        with self._lock:
            found = [each.election for each in self._state.elections.values() if each.voters]
        return [each.name for each in found if self.participation(each, user)[0]]

    def elections_with_roll(self) -> list[Election]:
        """Return the elections that have people on a roll."""
        self.refresh()
        with self._lock:
            return [
                copy(record.election) for record in self._state.elections.values() if record.roll
            ]

    def _roll_voter(self, election_id: int, voter_id: RollNumber) -> RollVoter | None:
        record = self._state.elections.get(election_id)
        return record.roll.get(voter_id) if record is not None else None

    def count_voters(self) -> int:
        """Return how many users may vote."""
        with self._lock:
            roles = [user.role for user in self._state.users.values()]
        return sum(has_permission(role, Permission.VOTE) for role in roles)

    def user_id(self, name: str) -> UserId | None:
        """Return the id of a user or a removed user, or None if the name is unknown."""
        return self._state.ids.get(name)

    def user_name(self, user_id: UserId) -> str:
        """Return the current name of a user, or the name that replaces a removed user's."""
        return self._state.user_name(user_id)

    def voter_name(self, voter_id: VoterId) -> str:
        """Return the name of a voter in events and keys."""
        return self._state.voter_name(voter_id)

    def _events(self, ids: Sequence[int]) -> Iterator[Event]:
        found = self._store.get_many(map(patterns.event, ids), consistent=True)
        for event_id, event in zip(ids, found, strict=True):
            if event is None:
                raise CorruptLog(f"Event {event_id} is missing in the log.")
            check_event(event, event_id, event.previous_hash, self._key)
            yield event

    # Compare the table with the log.

    def has_user(self, user: User) -> bool:
        """Return whether the log has the same user, with the same role, address and password."""
        known = self._state.users.get(UserId(user.user_id))
        return known is not None and bool(_confirmed(known) == _confirmed(user))

    def confirm_user(
        self, user: User | None, *, user_id: UserId | None = None, name: str = "", email: str = ""
    ) -> User | None:
        """Return the user. Raise CorruptTable unless the log has the same, with this id or name."""
        known_id = user_id or self._state.emails.get(email) or self._state.ids.get(name)
        known = self._state.users.get(known_id) if known_id is not None else None
        if user is None:
            missing = known.user_id if known is not None else 0
            _confirm(known is None, f"The user with the id {missing} is missing")
        else:
            same = UserId(user.user_id) == known_id and self.has_user(user)
            same = same and known is not None and user.elections_owned == known.elections_owned
            _confirm(same, f"The user {user.name!r} was changed")
        return user

    def known(self, election: str) -> ElectionRecord | None:
        """Return the record of the election with this name, which later events change, or None."""
        return self._state.by_name.get(election)

    def count_ballots(self) -> int:
        """Return how many elections there are if all questions on a ballot count as one."""
        with self._lock:
            found = self._state.elections.values()
            return sum(each.election.joint_with is None for each in found)

    def count_all(self) -> tuple[int, int]:
        """Return the numbers of users and elections."""
        return len(self._state.users), len(self._state.elections)

    def voter_id(self, name: str) -> VoterId | None:
        """Return the id of a user or of a voter on a roll, or None if the name is unknown."""
        return roll_number(name) or self._state.ids.get(name)


class ConfirmedReadModel(ReadModel):
    """A read model for decisions at one event: facts that contradict the log raise CorruptTable.

    Elections, their candidates and ballots are read once, though many ballots are cast together.
    """

    def __init__(self, store: Store, book: PollBook) -> None:
        super().__init__(store)
        self._book = book
        self._elections: dict[str, Election | None] = {}
        self._candidates: dict[str, list[Candidate]] = {}
        self._ballots: dict[tuple[str, str], Ballot | None] = {}

    def get_counts(self) -> Counts:
        """Return the numbers of users and elections."""
        counts = super().get_counts()
        same = (counts.user_count, counts.election_count) == self._book.count_all()
        _confirm(same, "The number of users or elections was changed")
        return counts

    def find_user(self, name: str) -> User | None:
        """Return the user with this name, or None."""
        return self._book.confirm_user(super().find_user(name), name=name)

    def find_users(self, names: Sequence[str]) -> list[User | None]:
        """Return the users with these names, with None for unknown names."""
        users = zip(super().find_users(names), names, strict=True)
        return [self._book.confirm_user(user, name=name) for user, name in users]

    def find_user_by_email(self, email: str) -> User | None:
        """Return the user with this e-mail address, or None."""
        return self._book.confirm_user(super().find_user_by_email(email), email=email)

    def find_user_by_id(self, user_id: int, name: str = "") -> User | None:
        """Return the user with this id, or None."""
        known = UserId(user_id)
        user = super().find_user_by_id(user_id, name or self._book.user_name(known))
        return self._book.confirm_user(user, user_id=known)

    def find_election(self, name: str) -> Election | None:
        """Return the election with this name, or None."""
        if name not in self._elections:
            self._elections[name] = super().find_election(name)
            known = self._book.known(name)
            same = (known and known.election) == self._elections[name]
            _confirm(same, f"The election {name!r} was changed")
        return self._elections[name]

    def list_candidates(self, election: str) -> list[Candidate]:
        """Return the candidates of an election, in their order."""
        if election not in self._candidates:
            candidates = self._candidates[election] = super().list_candidates(election)
            known = self._book.known(election)
            found = [(each.candidate_name, each.since) for each in candidates]
            same = known is None or list(known.candidates.items()) == found
            _confirm(same, f"Candidates of {election!r} differ")
        return self._candidates[election]

    def is_listed_voter(self, election: str, voter: str) -> bool:
        """Return whether the list of voters contains this user."""
        listed, known = super().is_listed_voter(election, voter), self._book.known(election)
        same = known is None or (self._book.voter_id(voter) in known.voters) == listed
        _confirm(same, f"The voter list of {election!r} was changed")
        return listed

    def list_voters_and_removed(self, election: str) -> Iterator[Voter]:
        """Return the list of voters, including removed users."""
        voters, known = list(super().list_voters_and_removed(election)), self._book.known(election)
        found = {self._book.voter_id(each.voter_name) for each in voters}
        same = known is None or (known.voters == found and len(voters) == len(found))
        _confirm(same, f"The voter list of {election!r} was changed")
        return iter(voters)

    def find_ballot(self, election: str, voter: str) -> Ballot | None:
        """Return the ballot of a voter, or None."""
        if (election, voter) not in self._ballots:
            ballot = self._ballots[election, voter] = super().find_ballot(election, voter)
            known = self._book.known(election)
            voter_id = self._book.voter_id(voter)
            event_id = known.ballots.get(voter_id) if known and voter_id else None
            same = event_id == (ballot.revision if ballot is not None else None)
            _confirm(same, f"The ballot of {voter!r} in {election!r} was changed")
        return self._ballots[election, voter]


def _confirm(is_same: bool, difference: str) -> None:
    if not is_same:
        raise CorruptTable(
            f"{difference}: the table differs from the event log. Nothing was saved. An operator "
            "should run: singletable elections verify"
        )
