"""Move a post to the trash and back, and delete it with everything that belongs to it.

A post in the trash keeps its slugs and all its items. When a post is deleted, readers and authors
lose it first. Its METADATA, which lists its slugs, is deleted last, so that everything else can
still be found, and an interrupted deletion is finished later.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from itertools import islice

from singletable import SingleTableError, key_of, retry_conflicts
from singletable_apps.portfolio.entities import (
    Blog,
    BlogContent,
    Comment,
    DayStats,
    EditorDraft,
    Listing,
    PendingComment,
    Revision,
    Trashed,
    User,
)
from singletable_apps.portfolio.rules import check_can_edit, move_post
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.likes import LikeService
from singletable_apps.portfolio.service.slugs import SlugRegistry
from singletable_apps.shared.errors import Busy, NotFound
from singletable_apps.shared.service import RevisionCheck

_log = logging.getLogger(__name__)
_BATCH = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PostDeletion:
    """Moves posts between lists and deletes their items."""

    def __init__(self, context: Context, likes: LikeService) -> None:
        self._context = context
        self._store = context.store
        self._likes = likes

    @retry_conflicts(
        attempts=10,
        idempotent=True,
        otherwise=lambda: Busy("Someone else is changing this post right now. Try again."),
    )
    def move(self, actor: User | None, blog_id: str, to: Listing, check: RevisionCheck) -> Blog:
        """Move the post as `move_post` does, unless an interrupted call has done so.

        Without an actor, the time of the post in the trash is over.
        """
        blog = self._context.find_blog(blog_id, consistent=True)
        if blog is None or Listing.DELETED is blog.listing is not to:
            raise NotFound("There is no such post. It may have been deleted.")
        if actor is not None:
            check_can_edit(actor, blog)
        if blog.listing is to or (to is Listing.ALL and blog.listing is not Listing.TRASH):
            return blog
        check(blog.revision)
        return self._store.replace(move_post(blog, to, self._context.clock()))

    def delete_items(self, blog: Blog) -> None:
        """Delete all items of a hidden post."""
        store, blog_id = self._store, blog.blog_id
        SlugRegistry(store).forget(blog)
        is_own, queue = PendingComment.blog_id == blog_id, PendingComment.key.partition()
        waiting = store.query(queue, where=is_own, consistent=True)
        while batch := list(islice(waiting, _BATCH)):
            store.delete_many(map(key_of, batch))
        for item in store.query(Trashed.key.partition(), where=Trashed.name.begins_with(blog_id)):
            store.delete(key_of(item))
        store.delete(EditorDraft.key(f"posts/{blog_id}"))
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
