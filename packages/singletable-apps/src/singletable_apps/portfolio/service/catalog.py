"""All published posts in memory: lists by tag and category, related posts, and search.

A personal site has hundreds of posts, and a post without its text is 1 KB. So every process keeps
them, and reads the index again when its copy is a few seconds old. Texts are read once per edit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import dropwhile
from threading import Lock
from typing import cast

from singletable import Store
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Blog, Listing
from singletable_apps.portfolio.rules import is_public
from singletable_apps.portfolio.service.context import Context
from singletable_apps.shared.markdown import plain_text
from singletable_apps.shared.search import Document, SearchHit, SearchIndex

MAX_AGE = timedelta(seconds=5)
MAX_RELATED = 3


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The published and scheduled posts at a time, latest first, and all pages."""

    read_at: datetime
    blogs: dict[str, Blog] = field(default_factory=dict[str, Blog])
    pages: dict[str, Blog] = field(default_factory=dict[str, Blog])

    def is_fresh(self, now: datetime) -> bool:
        return timedelta() <= now - self.read_at < MAX_AGE


class Catalog:
    """The published posts. Threads may share it; `now` decides which posts are visible."""

    def __init__(self, context: Context) -> None:
        self._store: Store = context.store
        self._clock = context.clock
        self._writes = context.writes
        self._lock = Lock()
        self._index = SearchIndex()
        self._snapshot: _Snapshot | None = None
        self._is_expired = True

    def expire(self) -> None:
        """Read the posts again before the next answer, since one was written."""
        self._is_expired = True
        # A page that was rendered since the write may have shown the old posts.
        self._writes.increment()

    def visible(
        self, now: datetime, *, tag: str | None = None, category: str | None = None
    ) -> list[Blog]:
        """Return the public posts, newest first: all, or those with a tag or in a category."""
        # The latest come first: after the scheduled posts, all are public.
        public = dropwhile(lambda blog: not is_public(blog, now), self._current().blogs.values())
        return [
            blog
            for blog in public
            if (tag is None or tag in blog.tags)
            and (category is None or category.casefold() == blog.category.casefold() != "")
        ]

    def pages(self, now: datetime) -> list[Blog]:
        """Return the public pages by title."""
        public = (page for page in self._current().pages.values() if is_public(page, now))
        return sorted(public, key=lambda page: page.title.casefold())

    def page_at(self, slug: str, now: datetime) -> Blog | None:
        """Return the public page that has this slug, or else the one that had it before."""
        pages = self.pages(now)
        before = (page for page in pages if slug in page.old_slugs)
        return next((page for page in pages if page.slug == slug), next(before, None))

    def tags(self, now: datetime) -> list[tuple[str, int]]:
        """Return the tags with the numbers of their posts, the most frequent first."""
        return _ranked(tag for blog in self.visible(now) for tag in blog.tags)

    def categories(self, now: datetime) -> list[tuple[str, int]]:
        """Return the categories with the numbers of their posts, the most frequent first."""
        spelling: dict[str, str] = {}
        for blog in self.visible(now):
            spelling.setdefault(blog.category.casefold(), blog.category)
        return _ranked(
            spelling[blog.category.casefold()] for blog in self.visible(now) if blog.category
        )

    def neighbors(self, blog: Blog, now: datetime) -> tuple[Blog | None, Blog | None]:
        """Return the post before this one and the post after it: (older, newer)."""
        posts = self.visible(now)
        ids = [post.blog_id for post in posts]
        if blog.blog_id not in ids:
            return None, None
        place = ids.index(blog.blog_id)
        older = posts[place + 1] if place + 1 < len(posts) else None
        return older, posts[place - 1] if place > 0 else None

    def related(self, blog: Blog, now: datetime) -> list[Blog]:
        """Return other posts: first by shared tags, then by category, then by date."""
        posts = self.visible(now)
        counts = Counter(tag for post in posts for tag in post.tags)
        weights = {tag: 1 / counts[tag] for tag in blog.tags if tag in counts}

        def distance(post: Blog) -> tuple[float, bool]:
            shared = sum(weights.get(tag, 0) for tag in post.tags)
            return -shared, not blog.category or post.category != blog.category

        others = [post for post in posts if post.blog_id != blog.blog_id]
        # The sort is stable, so that the newest of equal posts come first.
        return sorted(others, key=distance)[:MAX_RELATED]

    def search(self, query: str, now: datetime, limit: int = 20) -> list[tuple[Blog, SearchHit]]:
        """Return the public posts and pages that contain all words of the query, best first."""
        current = self._current()
        blogs = {**current.blogs, **current.pages}

        def accepts(blog_id: str) -> bool:
            return blog_id in blogs and is_public(blogs[blog_id], now)

        hits = self._index.search(query, limit=limit, accepts=accepts)
        return [(blogs[hit.key], hit) for hit in hits]

    def _current(self) -> _Snapshot:
        """Return the posts, read again if they are too old."""
        snapshot = None if self._is_expired else self._snapshot
        if snapshot and snapshot.is_fresh(self._clock()):
            return snapshot
        # While one thread reads the posts, the others do with the old ones, if nobody wrote any.
        if not self._lock.acquire(blocking=snapshot is None):
            return cast(_Snapshot, snapshot)
        try:
            return self._refresh()
        finally:
            self._lock.release()

    def _refresh(self) -> _Snapshot:
        snapshot = self._snapshot
        if snapshot and not self._is_expired and snapshot.is_fresh(self._clock()):
            return snapshot  # another thread has read them meanwhile
        # Cleared before the posts are read: a write after this expires the new copy.
        self._is_expired = False
        try:
            self._snapshot = self._read(snapshot)
        except BaseException:
            self._is_expired = True
            raise
        return self._snapshot

    def _read(self, before: _Snapshot | None) -> _Snapshot:
        now = self._clock()
        listed, pages = (
            {
                blog.blog_id: blog
                for blog in self._store.query(patterns.posts_in_list(each), reverse=True)
            }
            for each in (Listing.ALL, Listing.PAGES)
        )
        blogs, known = {**listed, **pages}, {**before.blogs, **before.pages} if before else {}
        changed = [
            blog
            for blog_id, blog in blogs.items()
            if blog_id not in known or known[blog_id].revision != blog.revision
        ]
        removed = known.keys() - blogs.keys()
        if changed or removed:
            keys = [patterns.text_of_blog(blog.blog_id) for blog in changed]
            # The index names the revision, so that an older text would stay in the search.
            texts = self._store.get_many(keys, consistent=True)
            documents = [
                Document(blog.blog_id, blog.title, plain_text(text.content), tuple(blog.tags))
                for blog, text in zip(changed, texts, strict=True)
                if text is not None
            ]
            self._index.update(documents, removed=removed)
        return _Snapshot(now, listed, pages)


def _ranked(names: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(names).items(), key=lambda entry: (-entry[1], entry[0].casefold()))
