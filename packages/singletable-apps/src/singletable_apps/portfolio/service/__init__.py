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
from singletable_apps.portfolio.profile_rules import TRANSLATIONS
from singletable_apps.portfolio.service.accounts import Accounts
from singletable_apps.portfolio.service.activity import ActivityService
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
from singletable_apps.shared.mail import Mailer, Outbox, TranslatedMail
from singletable_apps.shared.objects import Bucket
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.service import utc_now
from singletable_apps.shared.web import WriteCounter

__all__ = ["SITE", "TABLES", "LikeState", "Moved", "PortfolioService", "open_portfolio"]

# Sessions, password resets and the outbox expire; the document's table has what the document says.
TABLES = {expiring: "portfolio_sessions"}


@dataclass(frozen=True, slots=True)
class PortfolioService:
    """The service, by topic."""

    context: Context
    profile: ProfileService
    posts: PostService
    catalog: Catalog
    likes: LikeService
    media: MediaService
    comments: CommentService
    contact: ContactService
    newsletter: NewsletterService
    stats: StatsService
    accounts: Accounts
    activity: ActivityService
    trash: Trash
    drafts: DraftService


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
    cursor_secret = derive_key(secret, "portfolio cursors")
    writes = WriteCounter()
    store = Store(
        driver,
        tables=TABLES,
        observers=[*observers, writes],
        clock=clock,
        cursor_secret=cursor_secret,
    )
    if create_tables:
        for table in (data_table, expiring):
            store.admin.create_table(table, if_missing=True)
    outbox = Outbox(store)
    sender = TranslatedMail(
        outbox if mailer is None else mailer(outbox),
        lambda: TRANSLATIONS[profile.get_settings().language],
    )

    def whole_seconds() -> datetime:  # the precision of the times that are stored
        return clock().replace(microsecond=0)

    context = Context(store, secret, sender, urls or Urls(), whole_seconds, bucket, writes)
    profile, stats, catalog = ProfileService(context), StatsService(context), Catalog(context)
    likes = LikeService(context, profile, stats)
    posts = PostService(context, likes, on_change=catalog.expire)
    posts.resume_deletions()
    comments = CommentService(context, profile, stats)
    media = MediaService(context)
    return PortfolioService(
        context=context,
        profile=profile,
        posts=posts,
        catalog=catalog,
        likes=likes,
        media=media,
        comments=comments,
        contact=ContactService(context, profile),
        newsletter=NewsletterService(context, profile),
        stats=stats,
        accounts=Accounts(context, passwords or Passwords()),
        activity=ActivityService(context, posts, likes, comments),
        trash=Trash(context, posts, media, profile),
        drafts=DraftService(context),
    )
