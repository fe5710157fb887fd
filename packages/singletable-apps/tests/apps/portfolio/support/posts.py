"""Posts for tests of what belongs to a post: likes, comments, statistics."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from singletable import Store
from singletable_apps.portfolio.comment_rules import MAX_PENDING
from singletable_apps.portfolio.entities import Blog, Listing, PendingComment
from singletable_apps.portfolio.rules import PostDraft
from tests.apps.portfolio.support.harness import World


def store_post(
    world: World,
    blog_id: str = "tea",
    *,
    author: str = "ada@example.org",
    listing: Listing = Listing.ALL,
    published_at: datetime | None = None,
) -> Blog:
    """Store a post that was published a minute ago, or as the arguments say."""
    then = world.clock.now.replace(microsecond=0) - timedelta(minutes=1)
    at = (published_at or then).replace(microsecond=0)
    return Store(world.driver).create(
        Blog(
            blog_id=blog_id,
            title=f"About {blog_id}",
            slug=blog_id,
            listing=listing,
            author=author,
            created_at=then,
            updated_at=then,
            published_at=at if listing is Listing.ALL else None,
            listed_at=at,
        )
    )


def fill_queue(world: World, blog_id: str) -> None:
    """Store as many pending comments as there may be."""
    now = world.clock.now.replace(microsecond=0)
    Store(world.driver).put_many(
        PendingComment(
            blog_id=blog_id,
            comment_id=f"{number:x}",
            author_name="Bot",
            content="x",
            created_at=now,
            visitor=f"{number}",
            ends=now + timedelta(days=1),
        )
        for number in range(MAX_PENDING)
    )


def publish(
    world: World, title: str, markdown: str = "Some text.", *, days_ago: int = 0, **fields: Any
) -> Blog:
    """Publish a post of the owner now, or some days ago."""
    posts, owner = world.service.posts, world.owner()
    draft = posts.create(owner, PostDraft(title, markdown, **fields))
    return posts.publish(owner, draft.blog_id, world.clock.now - timedelta(days=days_ago))
