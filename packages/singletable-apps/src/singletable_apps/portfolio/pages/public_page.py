"""What every public page uses: the settings and the person of the site, its layout, its lists.

These pages depend on nothing but the URL and the data, so that a CDN can cache them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Annotated, TypeAlias
from zoneinfo import ZoneInfo

from fastapi import Depends, HTTPException, Request, Response

from singletable_apps.portfolio.entities import Blog, Portfolio, SiteSettings
from singletable_apps.portfolio.pages.seo import (
    Head,
    Picture,
    breadcrumb_data,
    json_ld,
    picture_of,
    share_image,
)
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.frame import AppState, state_of
from singletable_apps.shared.pages import Link, LocalTime, path_of
from singletable_apps.shared.web import (
    NO_STORE,
    NOT_FOUND,
    SHARED_FIVE_MINUTES,
    Problem,
)

# Posts of an earlier time link to images of other sites. Scripts and styles are our own.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: https:; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
_ITALIC = ("<em", "<i>", "<cite", "<blockquote")


@dataclass(frozen=True)
class PostRow:
    """A post in a list. `title` and `about` may have marked words."""

    blog: Blog
    title: str
    about: str
    time: LocalTime
    picture: Picture | None
    likes: int = 0

    @property
    def date(self) -> str:
        """Return the time for machines."""
        return self.time.iso

    @property
    def day(self) -> str:
        """Return the day as `15 November 2026`."""
        return self.time.day

    @property
    def month(self) -> tuple[int, int]:
        """Return the year and the month."""
        local = self.time.at.astimezone(self.time.zone)
        return local.year, local.month

    @property
    def short_day(self) -> str:
        """Return the day as `15 Nov`."""
        local = self.time.at.astimezone(self.time.zone)
        return f"{local.day} {local:%b}"


@dataclass(frozen=True)
class PublicPageContext:
    """A request for a public page, with the settings and the person of the site."""

    request: Request
    settings: SiteSettings
    person: Portfolio

    @property
    def state(self) -> AppState[PortfolioService]:
        """Return the open app."""
        return state_of(self.request)

    @property
    def service(self) -> PortfolioService:
        """Return the service."""
        return self.state.service

    @property
    def urls(self) -> Urls:
        """Return the URLs of the site."""
        return self.service.context.urls

    @cached_property
    def now(self) -> datetime:
        """Return the time of the request."""
        return self.service.context.clock()

    @cached_property
    def zone(self) -> ZoneInfo:
        """Return the time zone of the site, in which its dates are shown."""
        return ZoneInfo(self.settings.time_zone)

    @property
    def changed_at(self) -> datetime:
        """Return when the settings or the person last changed."""
        return max(self.settings.updated_at, self.person.updated_at)

    def head(self, title: str, url: str, description: str = "") -> Head:
        """Return the head of a page; without a title, that of the home page."""
        site = self.settings.title
        person = self.person.name
        home = f"{site}: {self.settings.tagline}" if self.settings.tagline else site
        steps = [(site, self.urls.absolute(self.urls.page())), (title, self.urls.absolute(url))]
        return Head(
            title=title or person or site,
            window_title=" · ".join(filter(None, (title, site))) if title else home,
            canonical=self.urls.absolute(url),
            description=description or self.settings.tagline or self.person.headline,
            image=share_image(self.urls, self.person.profile_pic_url, person),
            json_ld=[json_ld(breadcrumb_data(steps))] if title else (),
        )

    def rows(self, blogs: Iterable[Blog], *, likes: bool = True) -> list[PostRow]:
        """Return posts as rows of a list, with their likes if the site shows them."""
        shown = list(blogs)
        counts: Mapping[str, int] = {}
        if likes and self.settings.likes:
            counts = self.service.likes.counts(blog.blog_id for blog in shown)
        return [self.row(blog, counts.get(blog.blog_id, 0)) for blog in shown]

    def row(self, blog: Blog, likes: int = 0) -> PostRow:
        """Return a post as a row of a list."""
        return PostRow(
            blog,
            blog.title,
            blog.seo_description or blog.excerpt,
            LocalTime(blog.published_at or blog.created_at, self.zone),
            picture_of(blog.featured_image_url, blog.featured_image_alt),
            likes,
        )

    def render(
        self,
        template: str,
        head: Head,
        status: int = 200,
        /,
        *,
        last_modified: datetime | None = None,
        caching: Mapping[str, str] = SHARED_FIVE_MINUTES,
        **context: object,
    ) -> Response:
        """Render a template in the layout of the site."""
        return self.state.pages.render_public(
            self.request,
            f"portfolio/{template}.html",
            status,
            zone=self.zone,
            last_modified=last_modified,
            caching=caching,
            policy=POLICY,
            **{
                "urls": self.urls,
                "site": self.settings,
                "person": self.person,
                "head": head,
                "nav": self._navigation(),
                "version": f"{self.settings.revision}",
                "portrait": picture_of(self.person.profile_pic_url, self.person.name),
                "has_italics": any(tag in str(context.get("text", "")) for tag in _ITALIC),
                **context,
            },
        )

    def render_posts(
        self,
        head: Head,
        rows: list[PostRow],
        *,
        lead: str = "",
        eyebrow: Link | None = None,
        newer: str = "",
        older: str = "",
        query: str | None = None,
        empty: str = "",
    ) -> Response:
        """Render a list of posts, with a search box if there is a query."""
        return self.render(
            "posts",
            head,
            posts=rows,
            lead=lead,
            eyebrow=eyebrow,
            newer=newer,
            older=older,
            query=query,
            empty=empty,
        )

    def _navigation(self) -> list[Link]:
        """Return links to the parts of the site that have something to show."""
        here = path_of(self.request)
        parts = (
            ("Blog", "blog", True),
            ("Projects", "projects", bool(self.person.projects)),
            ("Experience", "experience", bool(self.person.experience)),
            ("About", "about", bool(self.person.about_content)),
            ("Contact", "contact", self.settings.contact),
        )
        pages = [(text, self.urls.page(name)) for text, name, is_shown in parts if is_shown]
        return [Link(text, url, here == url or here.startswith(f"{url}/")) for text, url in pages]


def _open_page(request: Request) -> PublicPageContext:
    profile: ProfileService = state_of(request).service.profile
    return PublicPageContext(request, profile.get_settings(), profile.get_portfolio())


def _public_page(request: Request) -> PublicPageContext:
    page = _open_page(request)
    if page.settings.revision == 0 and path_of(request).rstrip("/") != page.urls.prefix:
        # A new site has one page, which says how to set it up.
        raise HTTPException(303, headers={"Location": page.urls.page()})
    return page


# A page of the site; and what every page loads, even before the site is set up.
PublicPage: TypeAlias = Annotated[PublicPageContext, Depends(_public_page)]
PublicFile: TypeAlias = Annotated[PublicPageContext, Depends(_open_page)]


def show_problem(request: Request, problem: Problem) -> Response | None:
    """Return the error page in the design of the site; None for authors and for bugs."""
    admin: str = state_of(request).service.context.urls.admin()
    if problem.status >= 500 or f"{path_of(request)}/".startswith(f"{admin}/"):
        return None
    page = _open_page(request)
    is_missing = problem.type == NOT_FOUND
    title = "This page does not exist" if is_missing else problem.type.title
    head = replace(page.head(title, path_of(request)), is_hidden=True, json_ld=())
    latest = page.service.catalog.visible(page.now)[:3] if is_missing else []
    response = page.render(
        "problem",
        head,
        problem.status,
        caching=NO_STORE,
        problem=problem,
        is_missing=is_missing,
        posts=page.rows(latest, likes=False),
    )
    response.headers.update(problem.headers)
    return response
