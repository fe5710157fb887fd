"""The public site around its posts: home, about, projects, experience, contact and search.

These pages depend on nothing but the URL and the data, so that a CDN can cache them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Annotated, TypeAlias, cast
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from markupsafe import Markup
from pydantic import BaseModel

from singletable_apps.portfolio.comment_rules import ContactDraft
from singletable_apps.portfolio.entities import Blog, Experience, Portfolio, Project, SiteSettings
from singletable_apps.portfolio.errors import InvalidInput, SiteBusy
from singletable_apps.portfolio.limits import hit_limit
from singletable_apps.portfolio.pages.dependencies import CurrentSite, PortfolioSite
from singletable_apps.portfolio.pages.seo import (
    Head,
    Picture,
    breadcrumb_data,
    json_ld,
    person_data,
    picture_of,
    share_image,
)
from singletable_apps.portfolio.pages.theme import palettes, theme_stylesheet
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.pages import Form, Link, LocalTime, PostedForm, path_of, submit_form
from singletable_apps.shared.web import (
    FOREVER,
    NO_STORE,
    NOT_FOUND,
    SHARED_FIVE_MINUTES,
    CachedRoute,
    Problem,
    public_response,
)

router = APIRouter(route_class=CachedRoute)
HOME_PROJECTS, HOME_POSTS = 4, 5
MAX_QUERY = 200
# Posts of an earlier time link to images of other sites. Scripts and styles are our own.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: https:; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
_ITALIC = ("<em", "<i>", "<cite", "<blockquote")
_NETWORKS = {
    "github": "GitHub",
    "linkedin": "LinkedIn",
    "mastodon": "Mastodon",
    "twitter": "Twitter",
    "instagram": "Instagram",
    "website": "Website",
}


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
    site: PortfolioSite
    settings: SiteSettings
    person: Portfolio

    @property
    def service(self) -> PortfolioService:
        """Return the service."""
        return self.site.service

    @property
    def urls(self) -> Urls:
        """Return the URLs of the site."""
        return self.site.urls

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
            window_title=f"{title} · {site}" if title else home,
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
        return self.site.pages.render_public(
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


def _open_page(request: Request, site: CurrentSite) -> PublicPageContext:
    profile = site.service.profile
    return PublicPageContext(request, site, profile.get_settings(), profile.get_portfolio())


def _public_page(request: Request, site: CurrentSite) -> PublicPageContext:
    page = _open_page(request, site)
    if page.settings.revision == 0 and path_of(request).rstrip("/") != site.urls.prefix:
        # A new site has one page, which says how to set it up.
        raise HTTPException(303, headers={"Location": site.urls.page()})
    return page


# A page of the site; and what every page loads, even before the site is set up.
PublicPage: TypeAlias = Annotated[PublicPageContext, Depends(_public_page)]
PublicFile: TypeAlias = Annotated[PublicPageContext, Depends(_open_page)]


def show_problem(request: Request, problem: Problem) -> Response | None:
    """Return the error page in the design of the site; None for authors and for bugs."""
    site = cast(PortfolioSite, request.app.state.portfolio_pages)
    if problem.status >= 500 or path_of(request).startswith(f"{site.urls.admin()}"):
        return None
    page = _open_page(request, site)
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


# With and without the slash: beside other apps, or at the root of a domain.
@router.get("/")
def show_home(page: PublicPage) -> Response:
    """Show who this is, with selected projects and the latest posts."""
    head = page.head("", page.urls.page())
    if page.settings.revision == 0:
        head = replace(head, title="A new site", window_title="A new site", is_hidden=True)
        return page.render("welcome", head, caching=NO_STORE)
    posts = page.service.catalog.visible(page.now)[:HOME_POSTS]
    person = json_ld(person_data(page.urls, page.person, page.settings))
    return page.render(
        "home",
        replace(head, json_ld=[person], kind="profile"),
        projects=_with_pictures(page.person.projects[:HOME_PROJECTS]),
        posts=page.rows(posts),
        social=[
            Link(_NETWORKS.get(name, name.capitalize()), url)
            for name, url in page.person.social_links.items()
            if url
        ],
    )


@router.get("/about")
def show_about(page: PublicPage) -> Response:
    """Show the about page, which the owner writes in Markdown."""
    head = page.head("About", page.urls.page("about"), page.person.headline)
    # It was sanitized when it was saved.
    text = Markup(page.person.about_content)
    return page.render("about", head, last_modified=page.changed_at, text=text)


@router.get("/projects")
def show_projects(page: PublicPage) -> Response:
    """Show all projects."""
    head = page.head("Projects", page.urls.page("projects"))
    projects = _with_pictures(page.person.projects)
    return page.render("projects", head, last_modified=page.changed_at, projects=projects)


def _with_pictures(projects: Iterable[Project]) -> list[tuple[Project, Picture | None]]:
    return [(project, picture_of(project.image_url, project.image_alt)) for project in projects]


@dataclass(frozen=True)
class Position:
    """An entry of the timeline with its period in words."""

    entry: Experience
    period: str
    is_current: bool


def format_period(start: date | None, end: date | None) -> str:
    """Return `Mar 2021 – Present`, `2019 – 2021` in months, or an empty text without a start."""
    if start is None:
        return f"Until {end:%b %Y}" if end else ""
    first, last = f"{start:%b %Y}", f"{end:%b %Y}" if end else "Present"
    return first if first == last else f"{first} – {last}"


@router.get("/experience")
def show_experience(page: PublicPage) -> Response:
    """Show the timeline of positions, the current ones first."""
    entries = sorted(
        page.person.experience,
        key=lambda entry: (entry.end_date or date.max, entry.start_date or date.min),
        reverse=True,
    )
    positions = [
        Position(
            entry,
            format_period(entry.start_date, entry.end_date),
            is_current=entry.start_date is not None and entry.end_date is None,
        )
        for entry in entries
    ]
    head = page.head("Experience", page.urls.page("experience"))
    return page.render("experience", head, last_modified=page.changed_at, positions=positions)


class ContactFields(BaseModel):
    """The contact form. `website` is a trap for bots."""

    name: str = ""
    email: str = ""
    message: str = ""
    website: str = ""


@router.get("/contact")
def show_contact(page: PublicPage, sent: str = "") -> Response:
    """Show the contact form, or that the message was sent."""
    return _show_contact(page, Form(), is_sent=bool(sent))


@router.post("/contact")
def send_message(page: PublicPage, form: PostedForm) -> Response:
    """Send a message to the owner of the site."""
    hit_limit(page.request, page.site.limits.contact)

    def send(fields: ContactFields) -> Response:
        page.service.contact.send(ContactDraft(**fields.model_dump()))
        return page.site.pages.redirect(page.request, page.urls.page("contact", sent="1"))

    return submit_form(
        form,
        ContactFields,
        send,
        lambda shown, status: _show_contact(page, shown, status),
        rejects=(InvalidInput, SiteBusy),
    )


def _show_contact(
    page: PublicPageContext, form: Form, status: int = 200, *, is_sent: bool = False
) -> Response:
    if not page.settings.contact:
        raise Problem(NOT_FOUND, "The contact form of this site is switched off.")
    head = page.head("Contact", page.urls.page("contact"))
    caching = SHARED_FIVE_MINUTES if status == 200 else NO_STORE
    return page.render("contact", head, status, caching=caching, form=form, is_sent=is_sent)


@router.get("/search")
def search_posts(page: PublicPage, q: Annotated[str, Query(max_length=MAX_QUERY)] = "") -> Response:
    """Show the posts that contain the words, with the words marked."""
    query = " ".join(q.split())
    rows: list[PostRow] = []
    if query:
        hit_limit(page.request, page.site.limits.search)
        for hit in page.service.catalog.search(query, page.now):
            # The index escapes everything but its own marks.
            title, about = Markup(hit.title_html), Markup(hit.snippet_html)
            rows.append(replace(page.row(hit.blog), title=title, about=about, picture=None))
    head = replace(page.head("Search", page.urls.page("search")), is_hidden=True, json_ld=())
    empty = f"No post contains “{query}”. Try fewer or other words." if query else ""
    return page.render_posts(head, rows, query=query, empty=empty)


@router.get("/theme.css")
def get_theme(page: PublicFile, v: str = "") -> Response:
    """Return the colors and the font of the site. Pages link it with the current revision."""
    return _versioned(page, v, theme_stylesheet(page.settings), "text/css")


@router.get("/icon.svg")
def get_icon(page: PublicFile, v: str = "") -> Response:
    """Return the icon of the site: its initial on its accent color."""
    accent, paper = palettes(page.settings.accent)[0]["accent"], "#ffffff"
    letter = Markup.escape((page.settings.title or page.person.name or "·").strip()[:1].upper())
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
        f'<rect width="32" height="32" rx="7" fill="{accent}"/>'
        f'<text x="16" y="23" text-anchor="middle" font-family="Georgia, serif" font-size="20" '
        f'fill="{paper}">{letter}</text></svg>'
    )
    return _versioned(page, v, svg, "image/svg+xml")


def _versioned(page: PublicPageContext, version: str, content: str, media_type: str) -> Response:
    is_current = version == str(page.settings.revision)
    caching = FOREVER if is_current else SHARED_FIVE_MINUTES
    return public_response(page.request, content, media_type, caching=caching)
