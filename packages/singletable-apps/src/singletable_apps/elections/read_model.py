"""The read model: users, elections, candidates, voters and ballots, read consistently by name.

Commands are decided on it. `find_…` returns None if there is nothing, `get_…` raises NotFound.
Names of users and elections match in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable import Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Election,
    Sync,
    User,
    Voter,
    is_removed_user,
)
from singletable_apps.elections.rules.names import is_valid_key, quote
from singletable_apps.shared.errors import NotFound


class ReadModel:
    """Reads the table that the projection builds from the event log."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get_sync(self) -> Sync | None:
        """Return how far the table has caught up with the log; None before the first event."""
        return self._store.run(patterns.sync_state)

    def get_counts(self) -> Counts:
        """Return the numbers of users and elections."""
        return self._store.run(patterns.counts) or Counts()

    def find_user(self, name: str) -> User | None:
        """Return the user with this name, or None."""
        if not is_valid_key(name):
            return None
        user = self._store.run(patterns.user_by_name, name)
        return user or self._store.run(patterns.name_taken, name)

    def get_user(self, name: str) -> User:
        """Return the user with this name."""
        user = self.find_user(name)
        if user is None:
            raise NotFound(f"There is no user {quote(name)}.", field="user")
        return user

    def find_users(self, names: Sequence[str]) -> list[User | None]:
        """Return the users with these names, with None for each name that no user has."""
        keys = [patterns.user_by_name(name) for name in names]
        users = self._store.get_many(keys, consistent=True)
        return [
            user or self._store.run(patterns.name_taken, name)
            for name, user in zip(names, users, strict=True)
        ]

    def find_user_by_email(self, email: str) -> User | None:
        """Return the user with this e-mail address, or None."""
        return self._store.run(patterns.user_by_email, email) if is_valid_key(email) else None

    def find_user_by_id(self, user_id: int, name: str = "") -> User | None:
        """Return the user with this id, or None. Ids never change; names do.

        The `name` that the user probably has saves a read.
        """
        user = self._store.run(patterns.user_by_name, name) if name else None
        if user is not None and user.user_id == user_id:
            return user
        return self._store.run(patterns.user_by_id, user_id)

    def find_election(self, name: str) -> Election | None:
        """Return the election with this name, or None."""
        if not is_valid_key(name):
            return None
        election = self._store.run(patterns.election_by_name, name)
        return election or self._store.run(patterns.election_ignoring_case, name)

    def get_election(self, name: str) -> Election:
        """Return the election with this name."""
        election = self.find_election(name)
        if election is None:
            raise NotFound(f"There is no election {quote(name)}.", field="election")
        return election

    def list_candidates(self, election: str) -> list[Candidate]:
        """Return the candidates of an election, in their order."""
        by_name = self._store.run(patterns.candidates_of, election)
        return sorted(by_name, key=lambda candidate: candidate.position)

    def list_voters(self, election: str) -> Iterator[Voter]:
        """Return the list of voters without removed users. If it is empty, everyone may vote."""
        voters = self.list_voters_and_removed(election)
        return (voter for voter in voters if not is_removed_user(voter.voter_name))

    def list_voters_and_removed(self, election: str) -> Iterator[Voter]:
        """Return the list of voters, including entries of removed users."""
        return self._store.query(patterns.voters_of(election), consistent=True)

    def is_listed_voter(self, election: str, voter: str) -> bool:
        """Return whether the list of voters contains this user."""
        return self._store.run(patterns.eligibility, election, voter) is not None

    def find_ballot(self, election: str, voter: str) -> Ballot | None:
        """Return the ballot of a voter, or None."""
        if not is_valid_key(voter):
            return None
        return self._store.run(patterns.ballot_of, election, voter)

    def list_ballots(self, election: str) -> Iterator[Ballot]:
        """Return the ballots of an election, by voter."""
        return self._store.query(patterns.ballots_of(election), consistent=True)
