"""What every public page uses: the settings and the person of the site, its layout, its lists.

These pages depend on nothing but the URL and the data, so that a CDN can cache them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, TypeAlias
from zoneinfo import ZoneInfo

from fastapi import Depends, HTTPException, Request, Response

from singletable_apps.portfolio.custom_css import confine
from singletable_apps.portfolio.entities import Blog, MenuEntry, Portfolio, SiteSettings
from singletable_apps.portfolio.pages import seo
from singletable_apps.portfolio.profile_rules import SECTIONS
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared import web
from singletable_apps.shared.frame import PageContext, state_of
from singletable_apps.shared.languages import Phrase, open_graph_locale
from singletable_apps.shared.pages import Link, LocalTime, path_of
from singletable_apps.shared.text import is_link

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
    picture: seo.Picture | None
    likes: int = 0


@dataclass(frozen=True)
class PublicPageContext(PageContext[PortfolioService, Urls]):
    """A request for a public page, with the settings and the person of the site."""

    settings: SiteSettings
    person: Portfolio

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

    def head(self, title: str, url: str, description: str = "") -> seo.Head:
        """Return the head of a page; without a title, that of the home page."""
        title = self.language.gettext(title) if isinstance(title, Phrase) else title
        site = self.settings.title
        person = self.person.name
        home = f"{site}: {self.settings.tagline}" if self.settings.tagline else site
        return seo.Head(
            title=title or person or site,
            window_title=" · ".join(filter(None, (title, site))) if title else home,
            canonical=self.urls.absolute(url),
            description=description or self.settings.tagline or self.person.headline,
            image=seo.share_image(self.urls, self.person.profile_pic_url, person),
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
            LocalTime(blog.published_at or blog.created_at, self.zone, self.language),
            seo.picture_of(blog.featured_image_url, blog.featured_image_alt),
            likes,
        )

    def show(
        self,
        template: str,
        head: seo.Head,
        status: int = 200,
        /,
        *,
        last_modified: datetime | None = None,
        caching: Mapping[str, str] = web.SHARED_FIVE_MINUTES,
        **context: object,
    ) -> Response:
        """Render a template in the layout of the site."""
        return self.pages.render_public(
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
                "og_locale": open_graph_locale(self.settings.language),
                "nav": self._navigation(),
                "version": f"{self.settings.revision}",
                "stylesheet": confine(self.settings.css).digest,
                "portrait": seo.picture_of(self.person.profile_pic_url, self.person.name),
                "has_italics": any(tag in str(context.get("text", "")) for tag in _ITALIC),
                **context,
            },
        )

    def show_posts(self, head: seo.Head, rows: list[PostRow], **context: Any) -> Response:
        """Render a list of posts; `posts.html` says what else it can show."""
        return self.show("posts", head, posts=rows, **context)

    def _navigation(self) -> list[Link]:
        """Return the entries of the menu that have something to show."""
        here = path_of(self.request)
        shown = filter(None, map(self.menu_link, self.settings.menu))
        return [Link(text, url, here == url or here.startswith(f"{url}/")) for text, url in shown]

    def menu_link(self, entry: MenuEntry) -> tuple[str, str] | None:
        """Return the text and the URL of an entry, or None if there is nothing to show."""
        if entry.link in SECTIONS:
            is_shown = {
                "projects": bool(self.person.projects),
                "experience": bool(self.person.experience),
                "about": bool(self.person.about_content),
                "contact": self.settings.contact,
                "newsletter": self.settings.newsletter,
            }.get(entry.link, True)
            text = entry.title or Phrase(SECTIONS[entry.link])
            return (text, self.urls.page(entry.link)) if is_shown else None
        if is_link(entry.link):
            return entry.title, entry.link
        page = self.service.catalog.page_at(entry.link, self.now)
        return (entry.title or page.title, self.urls.of(page)) if page else None


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


def show_problem(request: Request, problem: web.Problem) -> Response | None:
    """Return the error page in the design of the site; None for authors and for bugs."""
    admin: str = state_of(request).service.context.urls.admin()
    if problem.status >= 500 or f"{path_of(request)}/".startswith(f"{admin}/"):
        return None
    page = _open_page(request)
    is_missing = problem.type in (web.NOT_FOUND, web.INVALID)
    title = Phrase("This page does not exist") if is_missing else Phrase(problem.type.title)
    head = replace(page.head(title, path_of(request)), is_hidden=True)
    latest = page.service.catalog.visible(page.now)[:3] if is_missing else []
    response = page.show(
        "problem",
        head,
        problem.status,
        caching=web.NO_STORE,
        problem=problem,
        text=web.NOT_FOUND.about if problem.type is web.INVALID else problem.detail,
        is_missing=is_missing,
        posts=page.rows(latest, likes=False),
    )
    response.headers.update(problem.headers)
    return response
