"""The service of the portfolio: load items, apply the rules, write once.

`open_portfolio(driver, secret, …)` returns `PortfolioService`, which is all that the API, the pages
and the commands use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from singletable import Driver, Observer, Store
from singletable_apps.portfolio.entities import data_table
from singletable_apps.portfolio.service.accounts import Accounts
from singletable_apps.portfolio.service.context import (
    Context,
    RevisionCheck,
    any_revision,
    utc_now,
)
from singletable_apps.portfolio.service.likes import LikeService, LikeState
from singletable_apps.portfolio.service.media import MediaService
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.portfolio.service.stats import SITE, StatsService
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.accounts import Passwords, expiring
from singletable_apps.shared.mail import Mailer, Outbox
from singletable_apps.shared.objects import Bucket

__all__ = [
    "SITE",
    "TABLES",
    "Context",
    "LikeService",
    "LikeState",
    "MediaService",
    "PortfolioService",
    "RevisionCheck",
    "StatsService",
    "any_revision",
    "open_portfolio",
]

# Sessions, password resets and the outbox expire; the document's table has what the document says.
TABLES = {expiring: "portfolio_sessions"}


@dataclass(frozen=True, slots=True)
class PortfolioService:
    """The service, by topic."""

    context: Context
    profile: ProfileService
    likes: LikeService
    media: MediaService
    stats: StatsService
    accounts: Accounts


def open_portfolio(
    driver: Driver,
    secret: bytes,
    *,
    bucket: Bucket,
    mailer: Callable[[Mailer], Mailer] | None = None,
    urls: Urls | None = None,
    clock: Callable[[], datetime] = utc_now,
    passwords: Passwords | None = None,
    create_tables: bool = True,
    observers: Iterable[Observer] = (),
) -> PortfolioService:
    """Return the service on a driver, creating the tables if they are missing.

    E-mails go to the outbox in the table of sessions; `mailer` replaces or wraps it.
    """
    store = Store(driver, tables=TABLES, observers=observers, clock=clock)
    if create_tables:
        for table in (data_table, expiring):
            store.admin.create_table(table, if_missing=True)
    outbox = Outbox(store)
    sender = outbox if mailer is None else mailer(outbox)
    context = Context(store, secret, sender, bucket, urls or Urls(), clock)
    profile, stats = ProfileService(context), StatsService(context)
    return PortfolioService(
        context=context,
        profile=profile,
        likes=LikeService(context, profile, stats),
        media=MediaService(context),
        stats=stats,
        accounts=Accounts(context, passwords or Passwords()),
    )
