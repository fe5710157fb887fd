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
from singletable_apps.shared.languages import Phrase
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
    ("pages", "Pages", None, "No pages yet. A page has an address of its own, such as /imprint."),
)


@router.get("/admin")
def show_dashboard(page: AuthorPage, period: Annotated[str, Query(alias="days")] = "") -> Response:
    """Show counts, a chart of the last days, the most liked posts and the newest drafts."""
    days = int(period if period in PERIODS else PERIODS[0])
    views = _view_posts(page, own_posts(page))
    counts = Counter(view.status for view in views)
    stats = page.service.stats.days(SITE, days)
    waiting = page.service.comments.queue(page.user)
    number, read = page.language.number, page.language.gettext("Read them")
    link = Markup('<a href="{}">{}</a>').format(page.urls.admin("comments"), read)
    moderate, note = link if waiting.items else "", Phrase("in %(days)s days", days=days)
    chart = DayChart(
        Phrase("Views and likes per day, last %(days)s days", days=days),
        [each.day for each in stats],
        [
            Series("views", [each.views for each in stats]),
            # Likes that were taken back can outnumber those of a day.
            Series("likes", [max(0, each.likes) for each in stats]),
        ],
        language=page.language,
    )
    top = sorted((view for view in views if view.likes), key=lambda view: -view.likes)[:_TOP]
    return page.render(
        "admin/dashboard",
        site_title=page.settings.title,
        is_owner=PERMISSIONS.allows(page.user.role, Permission.EDIT_SITE),
        has_posts=bool(views),
        tiles=[
            (number(counts[PostStatus.PUBLISHED]), "Published", ""),
            (number(counts[PostStatus.DRAFT]), "Drafts", ""),
            (number(counts[PostStatus.SCHEDULED]), "Scheduled", ""),
            (f"{len(waiting.items)}{'+' if waiting.cursor else ''}", "Comments waiting", moderate),
            (number(sum(view.likes for view in views)), "Likes", ""),
            (number(sum(each.views for each in stats)), "Views", note),
        ],
        chart=chart,
        ranges=[
            Link(Phrase("%(days)s days", days=each), page.urls.admin(days=each), each == str(days))
            for each in PERIODS
        ],
        top_posts=[_top_post(page, view, days) for view in top],
        drafts=[
            {"text": view.blog.title, "to": view.url, "meta": view.meta}
            for view in sorted(views, key=lambda view: view.blog.updated_at, reverse=True)
            if view.status is PostStatus.DRAFT
        ][:_DRAFTS],
    )


def _top_post(page: UserPageContext, view: PostView, days: int) -> dict[str, str]:
    seen = sum(each.views for each in page.service.stats.days(view.blog.blog_id, days))
    views = Phrase("%(count)s view", "%(count)s views", count=seen)
    return {
        "text": view.blog.title,
        "to": view.url,
        "meta": Phrase("%(views)s in %(days)s days", views=views, days=days),
        "end": Phrase("%(count)s like", "%(count)s likes", count=view.likes),
    }


def _view_posts(page: UserPageContext, blogs: Sequence[Blog]) -> list[PostView]:
    likes = page.service.likes.counts([blog.blog_id for blog in blogs])
    return [view_post(page, blog, likes.get(blog.blog_id, 0)) for blog in blogs]


@router.get("/admin/posts")
@router.get("/admin/posts/drafts")
@router.get("/admin/posts/scheduled")
@router.get("/admin/posts/published")
@router.get("/admin/posts/pages")
def list_posts(page: AuthorPage, query: ListQueryParameters) -> Response:
    """List the posts that the author may edit, all or those of one status, or the pages."""
    is_owner = PERMISSIONS.allows(page.user.role, Permission.EDIT_SITE)
    current = query.path.rpartition("/")[2]
    is_pages = current == "pages"
    views = _view_posts(page, [*own_posts(page), *own_posts(page, pages=True)])
    lists = {
        name: _select(views, status, pages=name == "pages")
        for name, _, status, _ in _LISTS[: None if is_owner else -1]
    }
    return page.render(
        "admin/posts",
        has_posts=bool(views) or is_pages,
        is_pages=is_pages,
        is_owner=is_owner,
        posts=query.apply(
            lists.get(current, []),
            text=lambda view: f"{view.blog.title} {view.meta} {view.public_url}",
            columns={
                "title": lambda view: view.blog.title.casefold(),
                "likes": lambda view: view.likes,
                "edited": lambda view: view.blog.updated_at,
            },
        ),
        empty=next(text for name, _, _, text in _LISTS if name == current),
        filters=[
            Link(
                Phrase("%(name)s (%(count)s)", name=Phrase(text), count=len(lists[name])),
                page.urls.admin("posts", *([] if name == "posts" else [name])),
                name == current,
            )
            for name, text, _, _ in _LISTS
            if name in lists
        ],
    )


def _select(views: list[PostView], status: PostStatus | None, *, pages: bool) -> list[PostView]:
    return [each for each in views if each.blog.is_page is pages and status in (None, each.status)]
