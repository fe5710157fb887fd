"""The service of polls: load items, apply the rules, write once.

`open_polls(driver, secret)` returns `Polls`, which is all that the API, the pages and the commands
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
from singletable_apps.polls.service.options import WriteIns
from singletable_apps.polls.service.pictures import Pictures
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
from singletable_apps.shared.mail import Mailer, NoMail
from singletable_apps.shared.service import utc_now

__all__ = [
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


@dataclass(frozen=True, slots=True)
class Polls:
    """The service, by topic."""

    context: Context
    lifecycle: PollLifecycle
    codes: VotingCodes
    voting: Voting
    tallies: Tallies
    results: ResultsService
    options: WriteIns
    pictures: Pictures
    comments: Comments
    notices: Notices


def open_polls(
    driver: Driver,
    secret: Secret,
    *,
    clock: Callable[[], datetime] = utc_now,
    urls: Urls | None = None,
    mailer: Mailer | None = None,
    make_table: bool = True,
    observers: Iterable[Observer] = (),
) -> Polls:
    """Return the service on a driver, creating the table if it is missing."""
    store = Store(driver, observers=observers)
    if make_table:
        store.admin.create_table(polls, if_missing=True)
    context = Context(store, secret, clock, urls or Urls(), NoMail() if mailer is None else mailer)
    notices, pictures = Notices(context), Pictures(context)
    voting, tallies = Voting(context, notices), Tallies(context, SnapshotStore(context))
    return Polls(
        context,
        PollLifecycle(context, notices, pictures),
        VotingCodes(context),
        voting,
        tallies,
        ResultsService(context, voting, tallies, notices),
        WriteIns(context, voting, tallies),
        pictures,
        Comments(context),
        notices,
    )
