"""Posts for tests of what belongs to a post: likes, comments, statistics."""

from __future__ import annotations

from datetime import datetime, timedelta

from singletable import Store
from singletable_apps.portfolio.entities import Blog, Listing
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
    then = world.clock.now - timedelta(minutes=1)
    at = published_at or then
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
