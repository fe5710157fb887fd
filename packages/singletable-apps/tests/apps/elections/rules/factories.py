"""Users, elections and ballots for the rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from singletable_apps.elections.entities import (
    STATES,
    Ballot,
    Election,
    Electorate,
    Publication,
    State,
    User,
)
from singletable_apps.elections.roles import Role

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
TICK = timedelta(microseconds=1)

Window: TypeAlias = tuple[datetime | None, datetime | None]
SWITCHES = {state: switches for switches, state in STATES.items()}


def user(role: Role, name: str = "ada", *, owns: int = 0) -> User:
    """Return a user. Another name means another user."""
    return User(
        name=name,
        email=f"{name}@example.org",
        hash="",
        role=role,
        user_id=int.from_bytes(name.encode()),
        credentials=1,
        elections_owned=owns,
        when_registered=NOON,
        revision=1,
    )


def election(
    state: State,
    window: Window = (None, None),
    *,
    secret: bool = False,
    publication: Publication = Publication.CONFIRMATIONS,
    candidates: int = 3,
    voters: int = 0,
    electorate: Electorate = Electorate.ACCOUNTS,
    seats: int = 1,
    joint_with: int | None = None,
    method: str = "schulze",
) -> Election:
    """Return an election of ada's."""
    allow_edit, allow_vote = SWITCHES[state]
    before, after = window
    return Election(
        name="Lunch",
        owner_name="ada",
        secret_ballot=secret,
        no_voting_before=before,
        no_voting_after=after,
        allow_edit=allow_edit,
        allow_vote=allow_vote,
        publication=publication,
        election_id=7,
        candidate_count=candidates,
        voter_count=voters,
        electorate=electorate,
        seats=seats,
        joint_with=joint_with,
        method=method,
        when_created=NOON,
        revision=7,
    )


def ballot(voter: str = "ada") -> Ballot:
    """Return a ballot that was cast at noon."""
    return Ballot(
        election_name="Lunch", voter_name=voter, when_cast=NOON, definition="", revision=9
    )
