"""The public site around its posts: home, about, projects, contact, search, styles and images."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import date
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from singletable_apps.portfolio.comment_rules import ContactDraft
from singletable_apps.portfolio.custom_css import confine
from singletable_apps.portfolio.entities import Project
from singletable_apps.portfolio.pages.dependencies import Service
from singletable_apps.portfolio.pages.public_page import (
    PostRow,
    PublicFile,
    PublicPage,
    PublicPageContext,
)
from singletable_apps.portfolio.pages.seo import Picture, json_ld, person_data, picture_of
from singletable_apps.portfolio.pages.theme import palettes, theme_stylesheet
from singletable_apps.portfolio.profile_rules import SOCIAL_NETWORKS, format_period
from singletable_apps.shared import web
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import ConfirmForm, Form, Link, PostedForm
from singletable_apps.shared.text import is_link

router = APIRouter(route_class=web.CachedRoute)
HOME_PROJECTS, HOME_POSTS = 4, 5
MAX_QUERY = 200
# Feed readers on the web show our images on their pages.
_EMBEDDABLE = {"Cross-Origin-Resource-Policy": "cross-origin"}


# With and without the slash: at the root of a host, or beside other apps.
@router.get("/")
@router.get("")
def show_home(page: PublicPage) -> Response:
    """Show the person, with selected projects and the latest posts."""
    head = page.head("", page.urls.page())
    if page.settings.revision == 0:
        head = replace(head, title="A new site", window_title="A new site", is_hidden=True)
        return page.show("welcome", head, caching=web.NO_STORE)
    posts = page.service.catalog.visible(page.now)[:HOME_POSTS]
    address = page.person.email
    person = json_ld(person_data(page.urls, page.person, page.settings))
    return page.show(
        "home",
        replace(head, json_ld=person, kind="profile"),
        projects=_with_pictures(page.person.projects[:HOME_PROJECTS]),
        posts=page.rows(posts),
        social=[
            Link(SOCIAL_NETWORKS.get(name, name.capitalize()), url)
            for name, url in page.person.social_links.items()
            if is_link(url)
        ]
        + ([Link(Phrase("E-mail"), f"mailto:{address}")] if address else []),
    )


@router.get("/about")
def show_about(page: PublicPage) -> Response:
    """Show the about page, which the owner writes in Markdown."""
    head = page.head(Phrase("About"), page.urls.page("about"), page.person.headline)
    # It was sanitized when it was saved.
    text = Markup(page.person.about_content)
    return page.show("about", head, last_modified=page.changed_at, text=text, is_preview=False)


@router.get("/projects")
def show_projects(page: PublicPage) -> Response:
    """Show all projects."""
    head = page.head(Phrase("Projects"), page.urls.page("projects"))
    projects = _with_pictures(page.person.projects)
    return page.show("projects", head, last_modified=page.changed_at, projects=projects)


def _with_pictures(projects: Iterable[Project]) -> list[tuple[Project, Picture | None]]:
    return [(project, picture_of(project.image_url, project.image_alt)) for project in projects]


@router.get("/experience")
def show_experience(page: PublicPage) -> Response:
    """Show the timeline of positions, the current ones first."""
    entries = sorted(
        page.person.experience,
        key=lambda entry: (entry.end_date or date.max, entry.start_date or date.min),
        reverse=True,
    )
    positions = [
        (entry, format_period(entry.start_date, entry.end_date, page.language)) for entry in entries
    ]
    head = page.head(Phrase("Experience"), page.urls.page("experience"))
    return page.show("experience", head, last_modified=page.changed_at, positions=positions)


@router.get("/contact")
def show_contact(page: PublicPage, sent: str = "") -> Response:
    """Show the contact form, or that the message was sent."""
    return _show_contact(page, Form(), is_sent=bool(sent))


@router.post("/contact")
def send_message(page: PublicPage, form: PostedForm) -> Response:
    """Send a message to the owner of the site."""

    def send(_: ConfirmForm) -> Response:
        count_request(page.request, "contact")
        values = (form.value(each.name) for each in fields(ContactDraft))
        page.service.contact.send(ContactDraft(*values))
        return page.redirect(page.urls.page("contact", sent="1"))

    return page.submit(form, ConfirmForm, send, partial(_show_contact, page))


def _show_contact(
    page: PublicPageContext, form: Form, status: int = 200, *, is_sent: bool = False
) -> Response:
    if not page.settings.contact:
        raise web.Problem(web.NOT_FOUND, "The contact form of this site is switched off.")
    head = page.head(Phrase("Contact"), page.urls.page("contact"))
    caching = web.SHARED_FIVE_MINUTES if status == 200 else web.NO_STORE
    return page.show("contact", head, status, caching=caching, form=form, is_sent=is_sent)


@router.get("/search")
def search_posts(page: PublicPage, q: Annotated[str, Query(max_length=MAX_QUERY)] = "") -> Response:
    """Show the posts and pages that contain the words, with the words marked."""
    query = " ".join(q.split())
    rows: list[PostRow] = []
    if query:
        count_request(page.request, "search")
        for blog, hit in page.service.catalog.search(query, page.now):
            # The index escapes everything but its own marks.
            title, about = Markup(hit.title_html), Markup(hit.snippet_html)
            rows.append(replace(page.row(blog), title=title, about=about, picture=None))
    head = page.head(Phrase("Search"), page.urls.page("search"))
    empty = Phrase("No post contains “%(query)s”. Try fewer or other words.", query=query)
    return page.show_posts(
        replace(head, is_hidden=True), rows, query=query, empty=empty if query else ""
    )


@router.get("/theme.css")
def get_theme(page: PublicFile, v: str = "") -> Response:
    """Return the colors and the font of the site. Pages link it with the current revision."""
    return _versioned(page, v, theme_stylesheet(page.settings), "text/css")


@router.get("/custom.css")
def get_custom_css(page: PublicFile, v: str = "") -> Response:
    """Return the owner's styles for the content. Pages link the file with its digest."""
    stylesheet = confine(page.settings.css)
    return _versioned(page, v, stylesheet.text, "text/css", stylesheet.digest)


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


images = APIRouter()


@images.get("/media/{name}/{width}.webp")
def read_image(request: Request, service: Service, name: str, width: str) -> Response:
    """Return an image. Its name changes with its content, so it can be cached forever."""
    if not re.fullmatch("[1-9][0-9]{0,3}", width):
        raise NotFound("There is no such image.")
    body = service.media.open(name, int(width))
    return web.public_response(
        request, body, "image/webp", caching=web.FOREVER, headers=_EMBEDDABLE
    )


def _versioned(
    page: PublicPageContext, version: str, content: str, media_type: str, digest: str = ""
) -> Response:
    is_current = version == (digest or str(page.settings.revision))
    caching = web.FOREVER if is_current else web.SHARED_FIVE_MINUTES
    return web.public_response(page.request, content, media_type, caching=caching)
