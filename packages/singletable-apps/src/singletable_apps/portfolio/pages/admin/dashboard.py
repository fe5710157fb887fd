"""The dashboard and the list of posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response
from markupsafe import Markup

from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.pages.admin.views import PostView, own_posts, view_post
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext
from singletable_apps.portfolio.rules import PERMISSIONS, Permission, PostStatus
from singletable_apps.portfolio.service.stats import SITE
from singletable_apps.shared.charts import DayChart, Series
from singletable_apps.shared.pages import Link, ListQueryParameters

router = APIRouter()
PERIODS = ("30", "90")
_TOP = 5
_DRAFTS = 5
# The lists of posts: the end of the URL, the tab, the status, and what an empty list says.
_LISTS: tuple[tuple[str, str, PostStatus | None, str], ...] = (
    ("posts", "All", None, "No posts yet."),
    ("drafts", "Drafts", PostStatus.DRAFT, "No drafts. Everything is published or scheduled."),
    (
        "scheduled",
        "Scheduled",
        PostStatus.SCHEDULED,
        "Nothing is scheduled. Open a draft and choose when to publish it.",
    ),
    ("published", "Published", PostStatus.PUBLISHED, "Nothing is published yet."),
)


@router.get("/admin")
def show_dashboard(page: AuthorPage, period: Annotated[str, Query(alias="days")] = "") -> Response:
    """Show counts, a chart of the last days, the most liked posts and the newest drafts."""
    days = int(period if period in PERIODS else PERIODS[0])
    views = _view_posts(page, own_posts(page))
    counts = Counter(view.status for view in views)
    stats = page.service.stats.days(SITE, days)
    waiting = page.service.comments.queue(page.user)
    link = Markup('<a href="{}">Read them</a>').format(page.urls.admin("comments"))
    moderate = link if waiting.items else ""
    chart = DayChart(
        f"Views and likes per day, last {days} days",
        [each.day for each in stats],
        [
            Series("views", [each.views for each in stats]),
            # Likes that were taken back can outnumber those of a day.
            Series("likes", [max(0, each.likes) for each in stats]),
        ],
    )
    top = sorted((view for view in views if view.likes), key=lambda view: -view.likes)[:_TOP]
    return page.render(
        "admin/dashboard",
        heading="Dashboard",
        site_title=page.settings.title,
        is_owner=PERMISSIONS.allows(page.user.role, Permission.EDIT_SITE),
        has_posts=bool(views),
        tiles=[
            (f"{counts[PostStatus.PUBLISHED]:,}", "Published", ""),
            (f"{counts[PostStatus.DRAFT]:,}", "Drafts", ""),
            (f"{counts[PostStatus.SCHEDULED]:,}", "Scheduled", ""),
            (f"{len(waiting.items)}{'+' if waiting.cursor else ''}", "Comments waiting", moderate),
            (f"{sum(view.likes for view in views):,}", "Likes", ""),
            (f"{sum(each.views for each in stats):,}", "Views", f"in {days} days"),
        ],
        chart=chart,
        ranges=[
            Link(f"{each} days", page.urls.admin(days=each), int(each) == days) for each in PERIODS
        ],
        top_posts=[_top_post(page, view, days) for view in top],
        sharded=[
            view.blog.title
            for view in top
            if view.is_public and page.service.likes.state(view.blog.blog_id, None).shards > 1
        ],
        drafts=[
            {"text": view.blog.title, "to": view.url, "meta": view.meta}
            for view in sorted(views, key=lambda view: view.blog.updated_at, reverse=True)
            if view.status is PostStatus.DRAFT
        ][:_DRAFTS],
    )


def _top_post(page: UserPageContext, view: PostView, days: int) -> dict[str, str]:
    seen = sum(each.views for each in page.service.stats.days(view.blog.blog_id, days))
    return {
        "text": view.blog.title,
        "to": view.url,
        "meta": f"{seen:,} {'view' if seen == 1 else 'views'} in {days} days",
        "end": f"{view.likes:,} {'like' if view.likes == 1 else 'likes'}",
    }


def _view_posts(page: UserPageContext, blogs: Sequence[Blog]) -> list[PostView]:
    likes = page.service.likes.counts([blog.blog_id for blog in blogs])
    return [view_post(page, blog, likes.get(blog.blog_id, 0)) for blog in blogs]


@router.get("/admin/posts")
@router.get("/admin/posts/drafts")
@router.get("/admin/posts/scheduled")
@router.get("/admin/posts/published")
def list_posts(page: AuthorPage, query: ListQueryParameters) -> Response:
    """List the posts that the author may edit, all or those of one status."""
    views = _view_posts(page, own_posts(page))
    current = query.path.rpartition("/")[2]
    ((wanted, empty),) = ((status, text) for name, _, status, text in _LISTS if name == current)
    counts = Counter(view.status for view in views)
    return page.render(
        "admin/posts",
        heading="Posts",
        has_posts=bool(views),
        posts=query.apply(
            [view for view in views if wanted in (None, view.status)],
            text=lambda view: f"{view.blog.title} {view.meta} {view.public_url}",
            columns={
                "title": lambda view: view.blog.title.casefold(),
                "likes": lambda view: view.likes,
                "edited": lambda view: view.blog.updated_at,
            },
        ),
        empty=empty,
        filters=[
            Link(
                f"{text} ({counts[status] if status else len(views)})",
                page.urls.admin("posts", *([name] if status else [])),
                name == current,
            )
            for name, text, status, _ in _LISTS
        ],
    )
