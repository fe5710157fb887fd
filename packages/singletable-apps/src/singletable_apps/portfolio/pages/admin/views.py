"""Posts as the pages for authors show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from singletable_apps.portfolio.entities import Blog, Listing
from singletable_apps.portfolio.pages.dependencies import UserPageContext
from singletable_apps.portfolio.rules import PostStatus, check_can_edit, post_status
from singletable_apps.shared.pages import LocalTime
from singletable_apps.shared.permissions import is_permitted

_BADGES = {PostStatus.DRAFT: "setup", PostStatus.SCHEDULED: "later", PostStatus.PUBLISHED: "open"}


@dataclass(frozen=True)
class PostView:
    """A post in a list or above its editor."""

    blog: Blog
    status: PostStatus
    when: str
    meta: str
    url: str
    public_url: str
    likes: int = 0

    @property
    def badge(self) -> str:
        """Return the kind of badge for the state."""
        return _BADGES[self.status]

    @property
    def is_public(self) -> bool:
        """Return whether everyone can read the post."""
        return self.status is PostStatus.PUBLISHED

    @property
    def is_listed(self) -> bool:
        """Return whether the post is published or scheduled."""
        return self.status is not PostStatus.DRAFT


def site_zone(page: UserPageContext) -> ZoneInfo:
    """Return the time zone of the site, in which posts are scheduled."""
    return ZoneInfo(page.settings.time_zone)


def site_time(page: UserPageContext, at: datetime) -> LocalTime:
    """Return a time on the clock of the site, in its language."""
    return LocalTime(at, site_zone(page), page.language)


def saved_text(page: UserPageContext, at: datetime, text: str = "Saved at %(time)s") -> str:
    """Return when something was saved, for a script."""
    return page.language.gettext(text, time=f"{at.astimezone(site_zone(page)):%H:%M}")


def view_post(page: UserPageContext, blog: Blog, likes: int = 0) -> PostView:
    """Return a post as authors see it now."""
    status = post_status(blog, page.service.context.clock())
    when = ""
    if blog.published_at is not None:
        time = site_time(page, blog.published_at)
        when = time.long if status is PostStatus.SCHEDULED else time.day
    author = blog.author_name if blog.author != page.user.email else ""
    facts = (when, author, blog.category, ", ".join(blog.tags))
    meta = " · ".join(fact for fact in facts if fact)
    url, public_url = page.urls.admin("posts", blog.blog_id), page.urls.of(blog)
    return PostView(blog, status, when, meta, url, public_url, likes)


def own_posts(page: UserPageContext, *, pages: bool = False) -> list[Blog]:
    """Return the posts that the user may edit: drafts first, then by date; or the pages."""
    posts = page.service.posts
    blogs = posts.list_in(Listing.PAGES) if pages else posts.list_all()
    return [blog for blog in blogs if is_permitted(check_can_edit, page.user, blog)]
