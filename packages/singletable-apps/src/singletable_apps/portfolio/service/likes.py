"""Like posts anonymously: one like per visitor, post and calendar year.

A like is one transaction: it creates the marker of the visitor, which must not exist, and adds one
to the counter of the post. So the count is right however often people click, however many click at
once, and whatever response is lost. Taking a like back is the mirror image.

Markers expire at the end of the year, when the keyed hash of a visitor changes as well. Counters do
not expire. A visitor may like a post again in the next year.

The first like creates the counter, if the post is not deleted. Later ones require the counter
instead of the post, so that they conflict less, and fail after the counter was deleted.

Every like of a post writes the same counter. If that becomes a bottleneck, so that transactions
conflict even after the retries of the store, the post gets more counters (shards), and its likes
are spread over them by visitor. Their sum is the count.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from singletable import ConditionFailed, TransactionConflict, key_of, retry_conflicts
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Blog, Like, LikeCount, Listing
from singletable_apps.portfolio.rules import SwitchedOff
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.portfolio.service.stats import StatsService
from singletable_apps.shared.errors import Busy
from singletable_apps.shared.service import UNKNOWN_OUTCOME

SHARDS = 8


@dataclass(frozen=True, slots=True)
class LikeState:
    """The likes of a post, and whether this visitor likes it."""

    count: int
    liked: bool


@dataclass(frozen=True, slots=True)
class Recount:
    """The counter of a post beside its markers. Markers of earlier years have expired."""

    counted: int
    markers: int


class LikeService:
    """Like posts and count likes."""

    def __init__(self, context: Context, profile: ProfileService, stats: StatsService) -> None:
        self._context = context
        self._profile = profile
        self._stats = stats

    def visitor(self, network: str) -> str:
        """Return the id of a visitor for this year: a keyed hash of the client's network.

        It is never stored. Each marker is a hash of it and the post, so that a copy of the table
        does not tell which posts one visitor liked.
        """
        year = self._context.clock().astimezone(UTC).year
        return self._context.keyed_hash("visitor", network, f"{year}")

    def like(self, blog_id: str, visitor: str) -> LikeState:
        """Like a post. Nothing changes if the visitor likes it already."""
        return self._change(blog_id, visitor, liked=True)

    def unlike(self, blog_id: str, visitor: str) -> LikeState:
        """Take a like back. Nothing changes if the visitor does not like the post."""
        return self._change(blog_id, visitor, liked=False)

    def state(self, blog_id: str, visitor: str) -> LikeState:
        """Return the likes of a post, and whether this visitor is among them."""
        self._context.get_public_blog(blog_id)
        digest = self._context.keyed_hash("like", visitor, blog_id)
        marker = self._context.store.run(patterns.like_of_visitor, blog_id, digest)
        return self._state(blog_id, liked=marker is not None)

    def counts(self, blog_ids: Iterable[str]) -> dict[str, int]:
        """Return the number of likes of each post; reads may be a second old."""
        counters = self._counters(blog_ids, consistent=False)
        return {blog_id: _total(found) for blog_id, found in counters.items()}

    def recount(self, blog_id: str) -> Recount:
        """Count the markers of a post with the document's query, and compare the counter.

        They are equal during the first year of a post; then markers expire.
        """
        markers = self._context.store.count(patterns.likes_of_blog(blog_id))
        return Recount(self._state(blog_id, liked=False).count, markers)

    @retry_conflicts(
        attempts=10,
        idempotent=True,
        otherwise=lambda: Busy("Very many people like this post right now. Import it again."),
    )
    def raise_to(self, blog_id: str, count: int, *, dry_run: bool = False) -> bool:
        """Give a post at least `count` likes, for an import; return False if it has them."""
        store, counters = self._context.store, self._counters([blog_id], consistent=True)[blog_id]
        missing = count - _total(counters)
        if missing > 0 and not dry_run:
            if counters:
                # A lost response must not add the likes again.
                is_unchanged = LikeCount.likes_count == counters[0].likes_count
                more = LikeCount.likes_count.add(missing)
                store.update(key_of(counters[0]), more, if_=is_unchanged)
            else:
                store.create(LikeCount(blog_id=blog_id, shard=0, likes_count=missing))
        return missing > 0

    def delete(self, blog_id: str) -> None:
        """Delete the markers and counters of a post that was deleted. It can be repeated."""
        store = self._context.store
        counters = self._counters([blog_id], consistent=True)[blog_id]
        # The first counter has the number of the others, so it is deleted after them.
        store.delete_many([key_of(counter) for counter in counters[1:]])
        store.delete_many([key_of(counter) for counter in counters[:1]])
        # Without counters there are no new likes.
        visitors = store.select(patterns.likes_of_blog(blog_id), Like.visitor)
        store.delete_many([Like.key(blog_id, visitor) for (visitor,) in visitors])

    @retry_conflicts(
        attempts=10,
        also=[TransactionConflict],
        idempotent=True,
        otherwise=lambda: Busy("Very many people like this post right now. Try again in a minute."),
    )
    def _change(self, blog_id: str, visitor: str, *, liked: bool) -> LikeState:
        if not self._profile.get_settings().likes:
            raise SwitchedOff("Likes are switched off on this site.")
        digest = self._context.keyed_hash("like", visitor, blog_id)
        self._context.get_public_blog(blog_id)
        # After a lost response, the marker tells whether the like was counted.
        marker = self._context.store.run(patterns.like_of_visitor, blog_id, digest)
        if (marker is not None) != liked:
            try:
                if marker is None:
                    self._add(blog_id, digest)
                else:
                    self._remove(marker)
            except TransactionConflict:
                self._add_shards(blog_id)
                raise
        return self._state(blog_id, liked=liked)

    def _add(self, blog_id: str, digest: str) -> None:
        store, now = self._context.store, self._context.clock()
        counter = store.get(patterns.likes_count(blog_id, 0), consistent=True)
        shard = 0 if counter is None else int(digest, 16) % counter.shards
        if shard:
            counter = store.get(patterns.likes_count(blog_id, shard), consistent=True)
        marker = Like(
            blog_id=blog_id, visitor=digest, shard=shard, liked_at=now, ends=_end_of_year(now)
        )
        pattern = patterns.like if counter else patterns.first_like
        with store.transaction(pattern=pattern) as transaction:
            transaction.create(marker)
            if counter:
                transaction.update(key_of(counter), LikeCount.likes_count.add(1))
            else:
                transaction.create(LikeCount(blog_id=blog_id, shard=shard, likes_count=1))
                transaction.check(Blog.key(blog_id), Blog.listing != Listing.DELETED)
        self._stats.record_like(blog_id, now)

    def _remove(self, marker: Like) -> None:
        store = self._context.store
        counter_key = patterns.likes_count(marker.blog_id, marker.shard)
        counter = store.get(counter_key, consistent=True)
        with store.transaction(pattern=patterns.unlike) as transaction:
            transaction.delete(key_of(marker), if_=Like.shard == marker.shard)
            # A counter that was lost or reset does not become negative. The condition fails if the
            # same visitor was counted since it was read: the new marker looks like this one.
            if counter is not None and counter.likes_count > 0:
                one_less = LikeCount.likes_count.add(-1)
                transaction.update(counter_key, one_less, if_=LikeCount.likes_count > 0)
            elif counter is not None:
                zero = LikeCount.likes_count.set(0)
                transaction.update(counter_key, zero, if_=LikeCount.likes_count <= 0)
        self._stats.record_like(marker.blog_id, marker.liked_at, -1)

    def _add_shards(self, blog_id: str) -> None:
        """Spread further likes over more counters."""
        # If this fails as well, or another process was faster, the next attempt will see.
        with suppress(ConditionFailed, TransactionConflict, *UNKNOWN_OUTCOME):
            self._context.store.update(
                LikeCount.key(blog_id, 0), LikeCount.shards.set(SHARDS), if_=LikeCount.shards == 1
            )

    def _state(self, blog_id: str, *, liked: bool) -> LikeState:
        return LikeState(_total(self._counters([blog_id], consistent=True)[blog_id]), liked)

    def _counters(self, blog_ids: Iterable[str], *, consistent: bool) -> dict[str, list[LikeCount]]:
        """Return the counters of each post: the first, and the others if there are any."""
        counters = {blog_id: list[LikeCount]() for blog_id in blog_ids}
        keys = [patterns.likes_count(blog_id, 0) for blog_id in counters]
        while keys:
            found = self._context.store.get_many(keys, consistent=consistent)
            present = [counter for counter in found if counter is not None]
            for counter in present:
                counters[counter.blog_id].append(counter)
            keys = [
                patterns.likes_count(counter.blog_id, shard)
                for counter in present
                if counter.shard == 0
                for shard in range(1, counter.shards)
            ]
        return counters


def _total(counters: Iterable[LikeCount]) -> int:
    return sum(counter.likes_count for counter in counters)


def _end_of_year(now: datetime) -> datetime:
    return datetime(now.astimezone(UTC).year + 1, 1, 1, tzinfo=UTC)
