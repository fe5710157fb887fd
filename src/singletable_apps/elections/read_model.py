"""The table as it stands, read by natural keys and never behind: what commands are decided on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable import Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Definition,
    Election,
    Sync,
    User,
    Voter,
    WithdrawnBallot,
    is_removed_user,
)
from singletable_apps.elections.errors import NotFound
from singletable_apps.elections.rules.names import is_valid_key


class ReadModel:
    """Users, elections and what is in them, by the names that people use."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get_sync(self) -> Sync | None:
        """How far the table has followed the log."""
        return self._store.get(patterns.sync_state(), consistent=True)

    def get_counts(self) -> Counts:
        """How many there are."""
        return self._store.get(patterns.counts(), consistent=True) or Counts()

    def find_user(self, name: str) -> User | None:
        """The user of a name, whatever its case; None if there is none."""
        if not is_valid_key(name):
            return None
        found = self._store.get(patterns.user_by_name(name), consistent=True)
        return found or self._store.find(patterns.name_taken(name))

    def get_user(self, name: str) -> User:
        """The user of a name, whatever its case."""
        found = self.find_user(name)
        if found is None:
            raise NotFound(f"There is no user '{name}'.", field="user")
        return found

    def find_users(self, names: Sequence[str]) -> list[User | None]:
        """The users of these names, whatever their case; None where there is none."""
        addresses = [patterns.user_by_name(name) for name in names]
        found = self._store.get_many(addresses, consistent=True)
        return [
            user or self._store.find(patterns.name_taken(name))
            for name, user in zip(names, found, strict=True)
        ]

    def find_user_by_email(self, email: str) -> User | None:
        """The user with an e-mail address; None if there is none."""
        return self._store.find(patterns.user_by_email(email)) if is_valid_key(email) else None

    def find_user_by_id(self, user_id: int) -> User | None:
        """The user with a number, which names do not change."""
        return self._store.find(patterns.user_by_id(user_id))

    def find_election(self, name: str) -> Election | None:
        """The election of a name, whatever its case; None if there is none."""
        if not is_valid_key(name):
            return None
        found = self._store.get(patterns.election_by_name(name), consistent=True)
        return found or self._store.find(patterns.election_ignoring_case(name))

    def get_election(self, name: str) -> Election:
        """The election of a name, whatever its case."""
        found = self.find_election(name)
        if found is None:
            raise NotFound(f"There is no election '{name}'.", field="election")
        return found

    def list_candidates(self, election: str) -> list[Candidate]:
        """The candidates of an election, by name."""
        return list(self._store.query(patterns.candidates_of(election), consistent=True))

    def list_voters(self, election: str) -> Iterator[Voter]:
        """Those who may vote, if not everybody may; whoever was removed is not among them."""
        listed = self.list_voters_and_removed(election)
        return (voter for voter in listed if not is_removed_user(voter.voter_name))

    def list_voters_and_removed(self, election: str) -> Iterator[Voter]:
        """Everybody on the list, under whatever name."""
        return self._store.query(patterns.voters_of(election), consistent=True)

    def is_listed_voter(self, election: str, voter: str) -> bool:
        """Whether somebody is on the list of those who may vote."""
        return self._store.get(patterns.eligibility(election, voter), consistent=True) is not None

    def find_ballot(self, election: str, voter: str) -> Ballot | None:
        """The ballot of a voter; None if there is none."""
        if not is_valid_key(voter):
            return None
        return self._store.get(patterns.ballot_of(election, voter), consistent=True)

    def list_ballots(self, election: str) -> Iterator[Ballot]:
        """All ballots of an election, by voter."""
        return self._store.query(patterns.ballots_of(election), consistent=True)

    def find_withdrawn(self, election_id: int, user_id: int) -> WithdrawnBallot | None:
        """What a voter took back in an election; None if nothing."""
        return self._store.get(patterns.withdrawn(election_id, user_id), consistent=True)

    def list_withdrawn(self, election_id: int) -> Iterator[WithdrawnBallot]:
        """What all voters of an election took back."""
        return self._store.query(patterns.all_withdrawn(election_id), consistent=True)

    def get_definition(self, election: str, digest: str) -> Definition:
        """What ballots with this digest were about."""
        found = self._store.get(patterns.definition(election, digest), consistent=True)
        if found is None:
            raise NotFound(f"There is no definition {digest} in the election '{election}'.")
        return found

    def list_definitions(self, election: str) -> list[Definition]:
        """All that ballots of an election were about."""
        return list(self._store.query(patterns.definitions_of(election), consistent=True))
