"""Delete everything that belongs to a post, in an order that can be interrupted and repeated."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice

from singletable import Store, key_of
from singletable_apps.portfolio.entities import (
    Blog,
    BlogContent,
    Comment,
    DayStats,
    PendingComment,
    Revision,
)
from singletable_apps.portfolio.service.slugs import SlugRegistry

_BATCH = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def delete_items(store: Store, blog: Blog) -> None:
    """Delete the items of a hidden post. METADATA, which lists its slugs, is the last."""
    blog_id = blog.blog_id
    SlugRegistry(store).forget(blog)
    pending = store.query(
        PendingComment.key.partition(), where=PendingComment.blog_id == blog_id, consistent=True
    )
    while batch := list(islice(pending, _BATCH)):
        store.delete_many(map(key_of, batch))
    store.delete_partition(DayStats.key.partition(blog_id))
    store.delete_partition(Revision.key.partition(blog_id).ge(0))
    store.delete_partition(Comment.key.partition(blog_id).ge(_EPOCH))
    store.delete_many([BlogContent.key(blog_id)])
    store.delete_partition(Blog.key.partition(blog_id))
