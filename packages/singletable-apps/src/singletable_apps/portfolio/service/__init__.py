"""The service of the portfolio: load items, apply the rules, write once.

`open_portfolio(driver, secret, …)` returns `PortfolioService`, which is all that the API, the pages
and the commands use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from singletable import Driver, Observer, Store
from singletable_apps.portfolio.entities import data_table
from singletable_apps.portfolio.profile_rules import TRANSLATIONS
from singletable_apps.portfolio.service.accounts import Accounts
from singletable_apps.portfolio.service.catalog import Catalog
from singletable_apps.portfolio.service.comments import CommentService, ContactService
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.drafts import DraftService
from singletable_apps.portfolio.service.likes import LikeService, LikeState
from singletable_apps.portfolio.service.media import MediaService
from singletable_apps.portfolio.service.newsletter import NewsletterService
from singletable_apps.portfolio.service.posts import Moved, PostService
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.portfolio.service.stats import SITE, StatsService
from singletable_apps.portfolio.service.trash import Trash
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.accounts import Passwords, expiring
from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from singletable_apps.shared.objects import Bucket
from singletable_apps.shared.outbox import Outbox
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.service import utc_now
from singletable_apps.shared.web import WriteCounter

__all__ = ["SITE", "TABLES", "LikeState", "Moved", "PortfolioService", "open_portfolio"]

# Sessions, password resets and the outbox expire; the document's table has what the document says.
TABLES = {expiring: "portfolio_sessions"}


class PortfolioService:
    """The service, by topic."""

    def __init__(self, context: Context, profile: ProfileService, passwords: Passwords) -> None:
        self.context = context
        self.profile = profile
        self.stats = StatsService(context)
        self.catalog = Catalog(context)
        self.likes = LikeService(context, profile, self.stats)
        self.posts = PostService(context, self.likes, on_change=self.catalog.expire)
        self.comments = CommentService(context, profile, self.stats)
        self.contact = ContactService(context, profile)
        self.newsletter = NewsletterService(context, profile)
        self.media = MediaService(context)
        self.accounts = Accounts(context, passwords)
        self.trash = Trash(context, self.posts, self.media, profile)
        self.drafts = DraftService(context)


def open_portfolio(
    driver: Driver,
    secret: bytes,
    *,
    bucket: Bucket,
    emails: EmailDelivery = KEEP_EMAILS,
    urls: Urls | None = None,
    clock: Callable[[], datetime] = utc_now,
    passwords: Passwords | None = None,
    observers: Iterable[Observer] = (),
) -> PortfolioService:
    """Return the service on a driver, creating the tables if they are missing."""
    cursor_secret = derive_key(secret, "portfolio cursors")
    writes = WriteCounter()
    store = Store(
        driver,
        tables=TABLES,
        observers=[*observers, writes],
        clock=clock,
        cursor_secret=cursor_secret,
    )
    for table in (data_table, expiring):
        store.admin.create_table(table, if_missing=True)
    mail = Outbox(
        store,
        emails,
        secret=secret,
        unsubscribe=lambda _, reader: service.newsletter.unsubscribe_link(reader),
        language=lambda: TRANSLATIONS[profile.get_settings().language],
    )

    def whole_seconds() -> datetime:  # the precision of the times that are stored
        return clock().replace(microsecond=0)

    context = Context(store, secret, mail, urls or Urls(), whole_seconds, bucket, writes)
    profile = ProfileService(context)
    service = PortfolioService(context, profile, passwords or Passwords())
    service.posts.resume_deletions()
    return service
