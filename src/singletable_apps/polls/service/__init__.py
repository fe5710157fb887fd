"""What one can do with polls: load, ask the rules, write once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from singletable import Driver, Observer, Store
from singletable_apps.polls.entities import polls
from singletable_apps.polls.secret import Secret
from singletable_apps.polls.service.changing import Changing
from singletable_apps.polls.service.counting import Counting, Recount
from singletable_apps.polls.service.deleting import Deleting
from singletable_apps.polls.service.desk import Basis, Desk, any_basis, utc_now
from singletable_apps.polls.service.making import Code, Making, Own
from singletable_apps.polls.service.results import Outcome, Standing, Viewer
from singletable_apps.polls.service.snapshots import Snapshots
from singletable_apps.polls.service.voting import Cast, Voter, Voting

__all__ = [
    "Basis",
    "Cast",
    "Changing",
    "Code",
    "Counting",
    "Deleting",
    "Desk",
    "Making",
    "Outcome",
    "Own",
    "Polls",
    "Recount",
    "Standing",
    "Viewer",
    "Voter",
    "Voting",
    "any_basis",
    "open_polls",
]


@dataclass(frozen=True, slots=True)
class Polls:
    """The service, a part for each thing one can do."""

    desk: Desk
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
    desk = Desk(store, secret, clock)
    voting, counting = Voting(desk), Counting(desk, Snapshots(desk))
    return Polls(
        desk,
        Making(desk),
        Changing(desk),
        Deleting(desk),
        voting,
        counting,
        Standing(desk, voting, counting),
    )
