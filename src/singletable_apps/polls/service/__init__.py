"""What one can do with polls: load, ask the rules, write once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from singletable import Driver, Observer, Store
from singletable_apps.polls.entities import polls
from singletable_apps.polls.service.context import Context, RevisionCheck, any_revision, utc_now
from singletable_apps.polls.service.lifecycle import Changing, Code, Deleting, Making, Own
from singletable_apps.polls.service.results import (
    Counting,
    Outcome,
    Recount,
    Snapshots,
    Standing,
    Viewer,
)
from singletable_apps.polls.service.voting import Cast, Voter, Voting
from singletable_apps.polls.tokens import Secret

__all__ = [
    "Cast",
    "Changing",
    "Code",
    "Context",
    "Counting",
    "Deleting",
    "Making",
    "Outcome",
    "Own",
    "Polls",
    "Recount",
    "RevisionCheck",
    "Standing",
    "Viewer",
    "Voter",
    "Voting",
    "any_revision",
    "open_polls",
]


@dataclass(frozen=True, slots=True)
class Polls:
    """The service, a part for each thing one can do."""

    context: Context
    making: Making
    changing: Changing
    deleting: Deleting
    voting: Voting
    counting: Counting
    standing: Standing


def open_polls(
    driver: Driver,
    secret: Secret,
    *,
    clock: Callable[[], datetime] = utc_now,
    make_table: bool = True,
    observers: Iterable[Observer] = (),
) -> Polls:
    """The service on a driver; the table is made if it is missing."""
    store = Store(driver, observers=observers)
    if make_table:
        store.admin.create_table(polls, if_missing=True)
    context = Context(store, secret, clock)
    voting, counting = Voting(context), Counting(context, Snapshots(context))
    return Polls(
        context,
        Making(context),
        Changing(context),
        Deleting(context),
        voting,
        counting,
        Standing(context, voting, counting),
    )
