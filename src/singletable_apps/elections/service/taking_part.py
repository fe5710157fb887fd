"""What part somebody has in elections: whether their vote is asked for, and whether it was cast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import check_may, is_eligible
from singletable_apps.elections.service.desk import Office


@dataclass(frozen=True, slots=True)
class Part:
    """Somebody's part in an election."""

    may_vote: bool
    has_voted: bool


def parts_of(office: Office, viewer: User, elections: Sequence[Election]) -> list[Part]:
    """The part of who asks in each of some elections: two requests for a hundred of them."""
    check_may(viewer, Permission.VIEW_APPLICATION)
    names = [one.name for one in elections]
    entries = [patterns.eligibility(name, viewer.name) for name in names]
    ballots = [patterns.ballot_of(name, viewer.name) for name in names]
    listed = office.store.get_many(entries, consistent=True)
    cast = office.store.get_many(ballots, consistent=True)
    return [
        Part(is_eligible(viewer, election, entry is not None), ballot is not None)
        for election, entry, ballot in zip(elections, listed, cast, strict=True)
    ]
