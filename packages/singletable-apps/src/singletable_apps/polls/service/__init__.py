"""The service of polls: load items, apply the rules, write once.

`open_polls(driver, secret)` returns `Polls`, which is all that the API, the pages and the commands
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from singletable import Driver, Observer, Store
from singletable_apps.polls.entities import polls
from singletable_apps.polls.service.comments import Comments
from singletable_apps.polls.service.context import Context
from singletable_apps.polls.service.lifecycle import (
    ManagedPoll,
    PollLifecycle,
    VotingCode,
    VotingCodes,
)
from singletable_apps.polls.service.notices import Notices
from singletable_apps.polls.service.options import Pictures, WriteIns
from singletable_apps.polls.service.results import (
    PollResults,
    ResultsService,
    SnapshotStore,
    Tallies,
    Viewer,
)
from singletable_apps.polls.service.voting import CastVote, Identity, Voter, Voting
from singletable_apps.polls.tokens import Secret
from singletable_apps.polls.urls import Urls
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from singletable_apps.shared.outbox import Outbox
from singletable_apps.shared.service import utc_now

__all__ = [
    "TABLES",
    "CastVote",
    "Identity",
    "ManagedPoll",
    "PollResults",
    "Polls",
    "Viewer",
    "Voter",
    "VotingCode",
    "open_polls",
]


# E-mails wait here.
TABLES = {expiring: "ranked-choice-polls-outbox"}


class Polls:
    """The service, by topic."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.notices = Notices(context)
        self.pictures = Pictures(context)
        self.lifecycle = PollLifecycle(context, self.notices, self.pictures)
        self.codes = VotingCodes(context)
        self.voting = Voting(context, self.notices)
        self.tallies = Tallies(context, SnapshotStore(context))
        self.results = ResultsService(context, self.voting, self.tallies, self.notices)
        self.options = WriteIns(context, self.voting, self.tallies)
        self.comments = Comments(context)


def open_polls(
    driver: Driver,
    secret: Secret,
    *,
    clock: Callable[[], datetime] = utc_now,
    urls: Urls | None = None,
    emails: EmailDelivery = KEEP_EMAILS,
    make_table: bool = True,
    observers: Iterable[Observer] = (),
) -> Polls:
    """Return the service on a driver, creating the tables if they are missing."""
    store = Store(driver, tables=TABLES, clock=clock, observers=observers)
    if make_table:
        for table in (polls, expiring):
            store.admin.create_table(table, if_missing=True)
    mail = Outbox(store, emails, secret=secret.key)
    return Polls(Context(store, secret, clock, urls or Urls(), mail))
