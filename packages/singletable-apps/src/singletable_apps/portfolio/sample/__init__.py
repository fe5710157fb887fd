"""A sample site: the radio restorer Maren Hollis, her friend Gus, and their posts.

The folder beside this file is imported like any other. Then come two months of statistics, which
are the same every time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Blog, DayStats, Role, User
from singletable_apps.portfolio.service import SITE, PortfolioService
from singletable_apps.portfolio.service.posts import Outcome
from singletable_apps.portfolio.service.stats import KEPT
from singletable_apps.portfolio.transfer import import_site
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.shared.archives import Files, read_files
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.permissions import NotPermitted

PASSWORD = "lantern copper river"
OWNER, AUTHOR = ("Maren Hollis", "maren@example.org"), ("Gus Pelletier", "gus@example.org")
DAYS = 60
# In the front matter of a post, and in its comments.
_DATE = re.compile(r'^(date: | +"created_at": ")(\d{4})(.*)$', re.MULTILINE)
_SCHEDULED_IN = timedelta(days=9)
_FOLDER = Path(__file__).parent
Progress = Callable[[int, int], None]


def create_sample(service: PortfolioService, progress: Progress | None = None) -> None:
    """Create the sample in a site that is not set up."""
    if service.profile.is_set_up():
        raise NotPermitted("This site has been set up. Choose other tables for the sample.")
    context = service.context
    now = context.clock().astimezone(UTC).replace(microsecond=0)
    owner = service.accounts.set_up(*OWNER, PASSWORD, "Long Wave")
    context.store.create(_author(owner, now))
    report = import_site(service, owner, _sample_files(now), on_progress=progress)
    failed = [f"{each.path}: {each.reason}" for each in report if each.outcome is Outcome.FAILED]
    if failed:
        raise AppError(f"The sample is damaged: {'; '.join(failed)}")
    posts = service.posts.list_published(50).items
    likes = service.likes.counts(blog.blog_id for blog in posts)
    context.store.put_many(_days(posts, likes, now))


def list_sample(service: PortfolioService) -> SampleData | None:
    """Return the sample accounts, if they are there with their password, or None."""
    urls, entries = service.context.urls, list[SampleEntry]()
    about = {
        OWNER: ("owner", "Edits posts, the portfolio, settings and people"),
        AUTHOR: ("author", "Writes posts, and moderates the comments on them"),
    }
    for (name, email), (role, text) in about.items():
        user = service.context.store.run(patterns.user_by_email, email)
        if user is not None and user.name == name and user.credentials == 1:
            form = {"who": email, "password": PASSWORD}
            url, who = urls.admin("sign-in"), f"{name}, {role}"
            entries.append(SampleEntry(who, text, url, form, "Sign in as"))
    if not entries:
        return None
    site = SampleEntry("Long Wave", "The site as readers see it", urls.page())
    return SampleData((site, *entries), PASSWORD)


def _author(owner: User, now: datetime) -> User:
    name, email = AUTHOR
    return User(
        email=email,
        user_id=owner.user_id % 1_000_003 + 1,
        name=name,
        role=Role.AUTHOR,
        password_hash=Passwords().hash(PASSWORD),
        created_at=now,
    )


def _sample_files(now: datetime) -> Files:
    """Return the files with their dates moved by whole years, so that seasons stay right."""
    files = dict(read_files(_FOLDER))
    texts = {path: content.decode() for path, content in files.items() if path.startswith("posts/")}
    latest = max(
        match[2] + match[3]
        for path, text in texts.items()
        if path.endswith(".md") and "scheduled: true" not in text and (match := _DATE.search(text))
    )
    newest = datetime.fromisoformat(latest)
    years = now.year - newest.year - (newest.replace(year=now.year) > now)
    scheduled = f"date: {now + _SCHEDULED_IN:%Y-%m-%dT09:00:00Z}"
    for path, text in texts.items():
        moved = (
            _DATE.sub(scheduled, text)
            if "scheduled: true" in text
            else _DATE.sub(lambda match: f"{match[1]}{int(match[2]) + years}{match[3]}", text)
        )
        files[path] = moved.encode()
    return files


def _days(posts: Sequence[Blog], likes: Mapping[str, int], now: datetime) -> Iterator[DayStats]:
    """Yield views that grow slowly, are fewer on weekends, and jump after a post."""
    random = Random(7)
    today, ends = now.date(), now + KEPT
    for back in range(DAYS):
        day = today - timedelta(days=back)
        weekend = 0.6 if day.weekday() >= 5 else 1.0
        total = DayStats(scope=SITE, day=day, ends=ends)
        for blog in posts:
            age = (day - blog.listed_at.date()).days
            if age < 0:
                continue
            popularity = weekend * likes[blog.blog_id]
            views = popularity * (0.12 + 3 / (age + 2)) * random.uniform(0.6, 1.5)
            liked = 1 if random.random() < views / 60 else 0
            yield DayStats(scope=blog.blog_id, day=day, views=round(views), likes=liked, ends=ends)
            total.views += round(views)
            total.likes += liked
        total.views += round(weekend * random.uniform(9, 24))
        yield total
