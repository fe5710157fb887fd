"""Likes, comments and earlier versions of posts, for exports and imports.

Likes are a number: who liked a post is known only as a keyed hash, which is of no use elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from singletable_apps.portfolio.entities import Blog, Comment, PendingComment, Revision
from singletable_apps.portfolio.service.comments import PENDING_LIFETIME, CommentService
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.likes import LikeService
from singletable_apps.portfolio.service.posts import PostService
from singletable_apps.portfolio.site_files import ActivityFile, CommentEntry


class ActivityService:
    """Reads and restores what belongs to posts besides their texts."""

    def __init__(
        self, context: Context, posts: PostService, likes: LikeService, comments: CommentService
    ) -> None:
        self._context = context
        self._posts = posts
        self._likes = likes
        self._comments = comments

    def read(self, blog_ids: Iterable[str]) -> dict[str, ActivityFile]:
        """Return the likes, comments and earlier versions of posts, by id, oldest first."""
        waiting = self._waiting()
        return {
            blog_id: ActivityFile.model_validate(
                {
                    "likes": count,
                    "comments": [*self._comments.of_post(blog_id), *waiting[blog_id]],
                    "history": self._posts.history(blog_id)[::-1],
                }
            )
            for blog_id, count in self._likes.counts(blog_ids).items()
        }

    def restore(self, blog: Blog, activity: ActivityFile, *, dry_run: bool = False) -> bool:
        """Add what a post does not have yet; return whether there was anything.

        A post that has earlier versions keeps them.
        """
        blog_id, store = blog.blog_id, self._context.store
        known: list[Comment | PendingComment] = []
        if activity.comments:
            known = [*self._comments.of_post(blog_id), *self._waiting()[blog_id]]
        ids = {comment.comment_id for comment in known}
        # A file may name the same comment or version twice.
        added = {
            each.comment_id: self._comment(blog_id, each)
            for each in activity.comments
            if each.comment_id not in ids
        }
        versions = {
            old.number: Revision(blog_id=blog_id, **dict(old))
            for old in (activity.history if not self._posts.history(blog_id) else ())
            # Later edits count on from this number.
            if old.number <= blog.revisions
        }
        if not dry_run:
            store.put_many(versions.values())
            store.put_many(each for each in added.values() if isinstance(each, Comment))
            store.put_many(each for each in added.values() if isinstance(each, PendingComment))
        is_liked_more = self._likes.raise_to(blog_id, activity.likes, dry_run=dry_run)
        return bool(added or versions or is_liked_more)

    def _waiting(self) -> defaultdict[str, list[PendingComment]]:
        found: defaultdict[str, list[PendingComment]] = defaultdict(list)
        for comment in self._context.store.query(PendingComment.key.partition()):
            found[comment.blog_id].append(comment)
        return found

    def _comment(self, blog_id: str, entry: CommentEntry) -> Comment | PendingComment:
        if entry.approved_by:
            return Comment(blog_id=blog_id, **dict(entry))
        return PendingComment(
            blog_id=blog_id,
            **entry.model_dump(exclude={"approved_by", "is_author"}),
            visitor=self._context.keyed_hash("comment", "import"),
            ends=self._context.clock() + PENDING_LIFETIME,
        )
