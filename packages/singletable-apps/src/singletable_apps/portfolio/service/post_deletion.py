"""Delete a post with everything that belongs to it; an interrupted deletion is finished later.

Readers and authors lose the post first. Its METADATA, which lists its slugs, is deleted last, so
that everything else can still be found.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from itertools import islice

from singletable import SingleTableError, evolve, key_of, retry_conflicts
from singletable_apps.portfolio.entities import (
    Blog,
    BlogContent,
    Comment,
    CommentQueue,
    DayStats,
    Listing,
    PendingComment,
    Revision,
    User,
)
from singletable_apps.portfolio.rules import check_can_edit, is_public
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.likes import LikeService
from singletable_apps.portfolio.service.slugs import SlugRegistry
from singletable_apps.shared.errors import Busy, NotFound
from singletable_apps.shared.service import RevisionCheck

_log = logging.getLogger(__name__)
_BATCH = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PostDeletion:
    """Hides posts and deletes their items."""

    def __init__(self, context: Context, likes: LikeService) -> None:
        self._context = context
        self._store = context.store
        self._likes = likes

    @retry_conflicts(
        attempts=10,
        idempotent=True,
        otherwise=lambda: Busy("Someone else is changing this post right now. Try again."),
    )
    def hide(self, actor: User, blog_id: str, check: RevisionCheck) -> Blog:
        """Take the post away from readers and authors, unless an interrupted call has done so."""
        blog = self._context.find_blog(blog_id, consistent=True)
        if blog is None:
            raise NotFound("There is no such post. It may have been deleted.")
        check_can_edit(actor, blog)
        if blog.listing is Listing.DELETED:
            return blog
        check(blog.revision)
        was_public = blog.was_public or is_public(blog, self._context.clock())
        return self._store.replace(
            evolve(blog, listing=Listing.DELETED, published_at=None, was_public=was_public)
        )

    def delete_items(self, blog: Blog) -> None:
        """Delete all items of a hidden post."""
        store, blog_id = self._store, blog.blog_id
        SlugRegistry(store).forget(blog)
        for queue in CommentQueue:
            partition = PendingComment.key.partition(queue)
            found = store.query(partition, where=PendingComment.blog_id == blog_id, consistent=True)
            while batch := list(islice(found, _BATCH)):
                store.delete_many(map(key_of, batch))
        store.delete_partition(DayStats.key.partition(blog_id))
        store.delete_partition(Revision.key.partition(blog_id).ge(0))
        store.delete_partition(Comment.key.partition(blog_id).ge(_EPOCH))
        self._likes.delete(blog_id)
        store.delete_many([BlogContent.key(blog_id)])
        store.delete_partition(Blog.key.partition(blog_id))

    def resume(self) -> None:
        """Finish the deletions that were interrupted."""
        for blog in self._store.query(Blog.by_date(Listing.DELETED)):
            try:
                self.delete_items(blog)
            except SingleTableError as error:
                _log.warning("The post %s is hidden, but not deleted: %s", blog.blog_id, error)
