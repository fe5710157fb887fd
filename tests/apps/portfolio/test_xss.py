"""Attacks in every text field: no page, feed or response runs or loads anything of them.

Attacks are stored through the API, typed into forms and put into URLs. A crawler opens every page
that links lead to, as a visitor and as the owner, and checks each one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from itertools import cycle, islice
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect, evolve
from singletable_apps.portfolio.api import API, UPLOADS, ApiSettings, Limits, make_portfolio_app
from singletable_apps.portfolio.pages import add_pages
from singletable_apps.shared.web import Settings
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.feeds import check_json_feed, check_xml
from tests.apps.support.html import HtmlForm, forms_in
from tests.apps.support.xss import XSS_CORPUS, assert_harmless

ORIGIN = "http://ada.example"
# A text field gets one attack in each round, and a long text several, so that all are used.
ROUNDS = 8
LONG_TEXTS = ("/markdown", "/content", "/about_markdown", "/bio", "/description", "/message")
# These break out of an attribute, an element, a script or a URL.
SHARPEST = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover=alert(1) x='",
    "</title></textarea></script><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}${7 * 7}",
)
PUBLIC_PAGES = (
    "/portfolio",
    "/portfolio/about",
    "/portfolio/projects",
    "/portfolio/experience",
    "/portfolio/blog",
    "/portfolio/tags",
    "/portfolio/archive",
    "/portfolio/contact",
    "/portfolio/search?q=alert",
    "/portfolio/feed.xml",
    "/portfolio/atom.xml",
    "/portfolio/feed.json",
    "/portfolio/sitemap.xml",
    "/portfolio/robots.txt",
    "/portfolio/theme.css",
)
OWNER_PAGES = ("/portfolio/admin", "/portfolio/admin/people/invite")
READS = (
    "/portfolio",
    "/settings",
    "/blogs",
    "/tags",
    "/categories",
    "/archive",
    "/media",
    "/comments",
    "/users",
    "/search?q=alert",
    "/auth/me",
)
# Forms that end what the test needs.
SKIPPED_FORMS = re.compile(r"/(sign-out|delete|remove|end|password|unpublish|reject)$")

POST: dict[str, Any] = {
    "title": "Tea",
    "markdown": "Text.",
    "slug": "",
    "featured_image_url": "/a.webp",
    "featured_image_alt": "A cup",
    "tags": ["tea"],
    "category": "Drinks",
    "seo_description": "About tea.",
    "canonical_url": "",
}
PROJECT: dict[str, Any] = {
    "title": "Pot",
    "description": "A pot.",
    "image_url": "/a.webp",
    "image_alt": "A pot",
    "technologies": ["clay"],
    "link": "https://example.org",
}
POSITION: dict[str, Any] = {
    "title": "Potter",
    "company": "Pots",
    "description": "Pots.",
    "technologies": ["clay"],
}
PORTFOLIO: dict[str, Any] = {
    "name": "Ada",
    "headline": "Potter",
    "profile_pic_url": "/a.webp",
    "bio": "Pots.",
    "email": "ada@example.org",
    "social_links": {"github": "https://example.org/ada"},
    "about_markdown": "Hi.",
}
SETTINGS: dict[str, Any] = {
    "title": "Site",
    "tagline": "Pots",
    "language": "en",
    "time_zone": "UTC",
    "accent": "#0f6b4f",
    "theme": "auto",
    "font": "serif",
}
COMMENT = {"author_name": "Bob", "author_email": "bob@example.org", "content": "Nice."}
CONTACT = {"name": "Bob", "email": "bob@example.org", "message": "Hi."}


class Site:
    """The API and the pages on one database; the owner is signed in."""

    def __init__(self) -> None:
        self.world = World(connect("memory:"))
        owner = self.world.set_up()
        self.app = self._make_app()
        signed_in = self.world.service.accounts.start_session(owner, "tests")
        self.visitor, self.author, self.program = (self._client() for _ in range(3))
        self.author.cookies.set("portfolio_access", signed_in.access)
        self.author.cookies.set("portfolio_session", signed_in.refresh)
        self.program.headers["Authorization"] = f"Bearer {signed_in.access}"
        self.program.headers.update({"Accept": "application/json", "If-Match": "*"})

    def _make_app(self) -> FastAPI:
        web = Settings(uploads={**UPLOADS, "/portfolio": 16 << 20}, secure_cookies=False)
        settings = ApiSettings(web=web, limits=Limits.off())
        app = make_portfolio_app(self.world.service, settings=settings)
        add_pages(app, self.world.service, Limits.off())
        return app

    def _client(self) -> TestClient:
        headers = {"Accept": "text/html", "Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
        return TestClient(self.app, base_url=ORIGIN, headers=headers, raise_server_exceptions=False)

    def call(self, method: str, path: str, body: object = None, **more: Any) -> httpx2.Response:
        """Call the API as the owner, and check the response."""
        if body is not None:
            # The test client encodes lone surrogates as programs do: as escapes.
            more["content"] = json.dumps(body)
            more["headers"] = {"Content-Type": "application/json"}
        answer = self.program.request(method, f"{API}{path}", **more)
        check_response(answer)
        return answer

    def send(
        self, method: str, path: str, body: dict[str, Any], attacks: Iterator[str]
    ) -> dict[str, Any]:
        """Send attacks in all texts of a body, except in those that the API rejects."""
        attacked = body
        for place in _places(body):
            count = 5 if place in LONG_TEXTS else 1
            attacked = _with(attacked, place, "\n\n".join(islice(attacks, count)))
        for _ in range(5):
            answer = self.call(method, path, attacked)
            if answer.is_success:
                data: dict[str, Any] = answer.json()["data"]
                return data
            assert answer.status_code == 400, answer.text
            for fault in answer.json()["errors"]:
                places = [place for place in _places(body) if fault["pointer"].startswith(place)]
                assert places, fault
                for place in places:
                    attacked = _with(attacked, place, _at(body, place))
        raise AssertionError(f"{method} {path}: {answer.text}")


def _places(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JSON pointers of the texts, and of the lists of texts, in a body."""
    for name, value in body.items():
        if isinstance(value, dict):
            yield from (f"/{name}{place}" for place in _places(value))
        else:
            yield f"/{name}"


def _at(body: Any, place: str) -> Any:
    for name in place.split("/")[1:]:
        body = body[name]
    return body


def _with(body: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """Return the body with another value at a place; a text for a list is its only item."""
    _, name, *rest = place.split("/")
    if rest:
        return {**body, name: _with(body[name], f"/{'/'.join(rest)}", value)}
    is_wrapped = isinstance(body[name], list) and isinstance(value, str)
    return {**body, name: [value] if is_wrapped else value}


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.world.check_calls()


def check_response(response: httpx2.Response) -> None:
    """Fail for an error of the server, and for anything harmful in the response."""
    where = f"{response.request.method} {response.url}"
    assert response.status_code < 500, where
    kind = response.headers.get("content-type", "").partition(";")[0]
    try:
        match kind:
            case "text/html":
                assert_harmless(response.text)
                assert "unsafe" not in response.headers["content-security-policy"]
            case "application/rss+xml":
                for text in check_xml("rss", response.content).iter("{*}encoded"):
                    assert_harmless(text.text or "")
            case "application/atom+xml":
                for text in check_xml("atom", response.content).iter("{*}content"):
                    assert_harmless(text.text or "")
            case "application/feed+json":
                for item in check_json_feed(response.content)["items"]:
                    assert_harmless(item["content_html"])
            case "application/xml":
                check_xml("sitemap", response.content)
            case "application/json" | "application/problem+json":
                assert response.headers["x-content-type-options"] == "nosniff"
                _check_json(response.json())
            case "application/zip":
                assert response.headers["content-disposition"].startswith("attachment")
            case _:
                assert kind in ("text/css", "text/plain", "image/webp", "image/svg+xml", ""), kind
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from error


def _check_json(value: object) -> None:
    """Check the members that the API documents as HTML; the others are plain text."""
    if isinstance(value, list):
        for member in value:
            _check_json(member)
    elif isinstance(value, dict):
        is_post = "blogId" in value and "markdown" in value
        html = ("content",) if is_post else ("about_content", "title_html", "snippet_html")
        for name, member in value.items():
            if name in html:
                assert_harmless(member)
            else:
                _check_json(member)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        url = dict(attrs).get("href")
        if tag in ("a", "link") and url:
            self.urls.append(url)


def crawl(client: TestClient, start: Iterable[str]) -> dict[str, httpx2.Response]:
    """Open every page that links lead to, and check it; return the pages by path."""
    pages: dict[str, httpx2.Response] = {}
    opened: Counter[str] = Counter()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        # Two pages of a list show all that there is to see.
        opened[path.partition("?")[0]] += path not in pages
        if path in pages or opened[path.partition("?")[0]] > 3:
            continue
        pages[path] = response = client.get(path)
        check_response(response)
        if response.headers.get("content-type", "").startswith("text/html"):
            parser = _Links()
            parser.feed(response.text)
            waiting += filter(None, (_own_path(path, url) for url in parser.urls))
    return pages


def _own_path(path: str, link: str) -> str:
    """Return the path of a link to this site, or an empty text."""
    try:
        url = urlsplit(urljoin(f"{ORIGIN}{path}", link))
    except ValueError:
        return ""
    is_own = url.hostname == "ada.example" and url.path.startswith("/portfolio")
    # Other orders of a list show nothing new.
    if not is_own or "sort=" in url.query:
        return ""
    return f"{url.path}?{url.query}" if url.query else url.path


def _store(site: Site, attacks: Iterator[str], number: int) -> None:
    """Store attacks in a post, a comment, an account and an image, and on the public pages."""
    post = site.send("POST", "/blogs", POST, attacks)
    site.world.clock.move(seconds=1)
    text = "\n\n".join(["<p>Text.</p>", *islice(attacks, 10)])
    assert site.call("PUT", f"/blogs/{post['blogId']}", {"content": text}).is_success
    site.send("POST", f"/blogs/{post['blogId']}/comments", COMMENT, attacks)
    if number:  # the first one stays in the queue
        ref = site.call("GET", "/comments").json()["data"]["items"][-1]["ref"]
        assert site.call("POST", f"/comments/{ref}/approve").is_success
    site.send("POST", "/users", {"name": "Bob", "email": f"bob{number}@example.org"}, attacks)
    filename = re.sub(r'[\x00-\x1f"]', "", next(attacks)) or "x"
    files = {"file": (filename, image_file(8, 8 + number), "image/png")}
    site.call("POST", "/media", data={"alt": next(attacks)}, files=files)
    site.send("PUT", "/portfolio", PORTFOLIO, attacks)
    site.send("PUT", "/settings", SETTINGS, attacks)
    for name, entry in (("projects", PROJECT), ("experience", POSITION)):
        # One entry for each field, so that a field that is rejected takes no other with it.
        entries = [
            {**_with(entry, place, next(attacks)), "id": f"{index}"}
            for index, place in enumerate(_places(entry))
        ]
        answer = site.call("PUT", "/portfolio", {name: entries})
        if answer.status_code == 400:
            rejected = {fault["pointer"].split("/")[2] for fault in answer.json()["errors"]}
            kept = [each for each in entries if each["id"] not in rejected]
            assert site.call("PUT", "/portfolio", {name: kept}).is_success
    for path in PUBLIC_PAGES:
        check_response(site.visitor.get(path))


def test_stored_attacks_are_harmless_on_every_page(site: Site) -> None:
    attacks = cycle(XSS_CORPUS)
    for number in range(ROUNDS):
        _store(site, attacks, number)
    site.send("POST", "/contact", CONTACT, attacks)
    site.world.clock.move(hours=1)
    shown = crawl(site.visitor, PUBLIC_PAGES)
    assert sum(path.startswith("/portfolio/blog/") for path in shown) >= ROUNDS
    crawl(site.author, OWNER_PAGES)
    for path in READS:
        site.call("GET", path)
    assert all("\n" not in email.subject for email in site.world.mailbox.emails)


def test_attacks_in_urls_are_harmless(site: Site) -> None:
    site.call("POST", "/blogs", POST)
    for attack in (*SHARPEST, *XSS_CORPUS[::40]):
        part = quote(attack, safe="")
        for path in (
            f"/portfolio/{part}",
            f"/portfolio/blog/{part}",
            f"/portfolio/blog/tea?like={part}&comment={part}",
            f"/portfolio/blog/tea?preview={part}",
            f"/portfolio/blog?cursor={part}",
            f"/portfolio/tags/{part}",
            f"/portfolio/tags/{part}/feed.xml",
            f"/portfolio/categories/{part}",
            f"/portfolio/archive/{part}/1",
            f"/portfolio/media/{part}/480.webp",
            f"/portfolio/search?q={part}",
            f"/portfolio/admin/sign-in?next={part}",
            f"/portfolio/admin/reset?token={part}",
            f"{API}/blogs/{part}",
            f"{API}/blogs?last_key={part}",
            f"{API}/search?q={part}",
            f"{API}/{part}",
        ):
            check_response(site.visitor.get(path))
        for path in (f"/portfolio/admin/{part}", f"/portfolio/admin/posts?q={part}"):
            check_response(site.author.get(path))


def _text_fields(form: HtmlForm) -> list[str]:
    return [name for name in form.fields if name not in form.offered]


def test_attacks_in_every_form_are_harmless(site: Site) -> None:
    post = site.call("POST", "/blogs", POST).json()["data"]
    entries = {"projects": [{**PROJECT, "id": "p"}], "experience": [{**POSITION, "id": "e"}]}
    assert site.call("PUT", "/portfolio", {**PORTFOLIO, **entries}).status_code == 200
    site.call("POST", f"/blogs/{post['blogId']}/comments", COMMENT)
    files = {"file": ("a.png", image_file(), "image/png")}
    site.call("POST", "/media", data={"alt": "x"}, files=files)
    submitted: set[tuple[str, str]] = set()
    attacks = cycle(SHARPEST)
    for client, start in ((site.author, OWNER_PAGES), (site.visitor, PUBLIC_PAGES)):
        for path, page in crawl(client, start).items():
            if not page.headers.get("content-type", "").startswith("text/html"):
                continue
            for form in forms_in(page):
                action = urljoin(f"{ORIGIN}{path}", form.action)
                if SKIPPED_FORMS.search(urlsplit(action).path):
                    continue
                for field in _text_fields(form):
                    if (urlsplit(action).path, field) not in submitted:
                        submitted.add((urlsplit(action).path, field))
                        # Some for each field, in turn, keep this below ten seconds.
                        for attack in islice(attacks, 2):
                            fields = {**form.fields, field: [attack]}
                            check_response(client.post(action, data=fields))
    names = {field for _, field in submitted}
    assert {"title", "markdown", "author_name", "content", "message", "alt", "tagline"} <= names
    site.world.clock.move(hours=1)
    crawl(site.visitor, PUBLIC_PAGES)


# Items of an import or of another program did not pass the rules; pages escape them all the same.
def test_attacks_behind_the_rules_are_harmless(site: Site) -> None:
    service = site.world.service
    attack = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    post = site.call("POST", "/blogs", POST).json()["data"]
    blog = service.posts.get(post["blogId"]).blog
    names = ("title", "category", "author_name", "excerpt", "seo_description", "author")
    attacked = evolve(blog, **dict.fromkeys(names, attack), tags=["x", attack])
    service.context.store.put(attacked)
    service.catalog.expire()
    crawl(site.visitor, PUBLIC_PAGES)
    crawl(site.author, OWNER_PAGES)
