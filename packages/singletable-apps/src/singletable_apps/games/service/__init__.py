"""The service of games: load items, apply the rules, write once.

`open_games(driver, secret, …)` returns `GamesService`, which is all that the API, the pages, the
sockets and the commands use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from weakref import WeakKeyDictionary

from singletable import AsyncEngine, AsyncStore, Driver, Engine, Observer, Store
from singletable_apps.games.entities import engagements
from singletable_apps.games.service.admin import Admin
from singletable_apps.games.service.answers import Answers
from singletable_apps.games.service.audience import Audience
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.service.games import Games
from singletable_apps.games.service.homework import Homeworks
from singletable_apps.games.service.images import Images
from singletable_apps.games.service.moderation import Moderation
from singletable_apps.games.service.players import Players
from singletable_apps.games.service.reports import Reports
from singletable_apps.games.service.rounds import Rounds
from singletable_apps.games.service.sets import Sets
from singletable_apps.games.service.snapshots import Snapshots
from singletable_apps.games.summaries import ExtractiveSummarizer, Summarizer
from singletable_apps.games.tokens import Tokens, new_id
from singletable_apps.games.urls import Urls
from singletable_apps.shared.objects import Bucket, MemoryBucket
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.service import utc_now

__all__ = ["Context", "GamesService", "open_games", "table_name"]

# What `Context.begun` is, by database: several services of a process may use the same one.
_BEGUN: WeakKeyDictionary[Engine, dict[str, int]] = WeakKeyDictionary()


def table_name(environment: str) -> str:
    """Return the name of the table of an environment, such as dev, staging or prod."""
    return f"engagements-{environment}-table"


class GamesService:
    """The service, by topic."""

    def __init__(self, context: Context, summarizer: Summarizer) -> None:
        self.context = context
        self.games, self.game_store = Games(context), GameStore(context)
        self.players = Players(context, self.games, self.game_store)
        self.rounds = Rounds(context, self.game_store)
        self.answers = Answers(context, self.rounds, self.game_store)
        self.homework = Homeworks(context, self.games, self.rounds, self.answers)
        self.moderation = Moderation(context, self.game_store)
        self.admin = Admin(context, self.games)
        self.audience = Audience(context, self.game_store)
        self.snapshots = Snapshots(
            context, self.rounds, self.game_store, self.answers, self.moderation
        )
        self.sets, self.images = Sets(context), Images(context)
        self.reports = Reports(context, self.rounds, self.game_store, summarizer)


def open_games(
    driver: Driver,
    secret: bytes,
    *,
    environment: str = "dev",
    urls: Urls | None = None,
    bucket: Bucket | None = None,
    clock: Callable[[], datetime] = utc_now,
    summarizer: Summarizer | None = None,
    observers: Iterable[Observer] = (),
) -> GamesService:
    """Return the service on a driver, creating the table if it is missing.

    Images are stored in `bucket`. Written answers are summarized by `summarizer`, which is offline
    by default.
    """
    tables = {engagements: table_name(environment)}
    watchers = list(observers)
    cursors = derive_key(secret, "games cursors")
    store = Store(driver, tables=tables, observers=watchers, clock=clock, cursor_secret=cursors)
    async_store, begun = None, dict[str, int]()
    if isinstance(driver, Engine) and driver.is_embedded:
        async_store = AsyncStore(
            AsyncEngine(driver), tables=tables, observers=watchers, clock=clock
        )
        begun = _BEGUN.setdefault(driver, begun)
    store.admin.create_table(engagements, if_missing=True)
    context = Context(
        store,
        async_store,
        secret,
        Tokens(secret),
        urls or Urls(),
        MemoryBucket() if bucket is None else bucket,
        new_id(),
        clock,
        environment,
        begun=begun,
    )
    return GamesService(context, summarizer or ExtractiveSummarizer())
