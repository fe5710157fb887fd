"""Attacks in every text field: no page, feed or response runs or loads anything of them.

Attacks are stored through the API, typed into forms and put into URLs. A crawler opens every page
that links lead to, as a visitor and as the owner, and checks each one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect, evolve
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.urls import API
from singletable_apps.shared.web import Settings
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.crawler import attack_forms, check_response, crawl
from tests.apps.support.xss import SHARPEST, XSS_CORPUS

ORIGIN = "http://ada.example"
# A text field gets one attack in each round, and a long text several, so that all are used.
ROUNDS = 8
LONG_TEXTS = ("/markdown", "/content", "/about_markdown", "/bio", "/description", "/message")
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
    "/portfolio/custom.css",
)
OWNER_PAGES = ("/portfolio/admin", "/portfolio/admin/people/invite")
READS = (
    "/portfolio",
    "/settings",
    "/blogs",
    "/tags",
    "/categories",
    "/media",
    "/comments",
    "/users",
    "/search?q=alert",
    "/auth/me",
)

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
        settings = Settings(uploads={"/portfolio": 16 << 20}, secure_cookies=False)
        return APP.make_app(self.world.service, settings, limited=False)

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
                data: dict[str, Any] = answer.json()
                return data
            assert answer.status_code == 422, answer.text
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


def _store(site: Site, attacks: Iterator[str], number: int) -> None:
    """Store attacks in a post, a comment, an account and an image, and on the public pages."""
    post = site.send("POST", "/blogs", POST, attacks)
    site.world.clock.advance(seconds=1)
    text = "\n\n".join(["<p>Text.</p>", *islice(attacks, 10)])
    assert site.call("PUT", f"/blogs/{post['blogId']}", {"content": text}).is_success
    site.send("POST", f"/blogs/{post['blogId']}/comments", COMMENT, attacks)
    if number:  # the first one stays in the queue
        ref = site.call("GET", "/comments").json()["items"][-1]["ref"]
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
        if answer.status_code == 422:
            rejected = {fault["pointer"].split("/")[2] for fault in answer.json()["errors"]}
            kept = [each for each in entries if each["id"] not in rejected]
            assert site.call("PUT", "/portfolio", {name: kept}).is_success
    for path in PUBLIC_PAGES:
        check_response(site.visitor.get(path))


@pytest.mark.rest
def test_stored_attacks_are_harmless_on_every_page(site: Site) -> None:
    attacks = cycle(XSS_CORPUS)
    for number in range(ROUNDS):
        _store(site, attacks, number)
    site.send("POST", "/contact", CONTACT, attacks)
    site.world.clock.advance(hours=1)
    shown = crawl(site.visitor, PUBLIC_PAGES)
    assert sum(path.startswith("/portfolio/blog/") for path in shown) >= ROUNDS
    crawl(site.author, OWNER_PAGES)
    for path in READS:
        site.call("GET", path)
    assert all("\n" not in email.subject for email in site.world.mailbox.emails)


@pytest.mark.rest
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
            f"/portfolio/media/{part}/480.webp",
            f"/portfolio/search?q={part}",
            f"/portfolio/admin/sign-in?next={part}",
            f"/portfolio/admin/reset?token={part}",
            f"{API}/blogs/{part}",
            f"{API}/blogs?cursor={part}",
            f"{API}/search?q={part}",
            f"{API}/{part}",
        ):
            check_response(site.visitor.get(path))
        for path in (f"/portfolio/admin/{part}", f"/portfolio/admin/posts?q={part}"):
            check_response(site.author.get(path))


@pytest.mark.rest
def test_attacks_in_every_form_are_harmless(site: Site) -> None:
    post = site.call("POST", "/blogs", POST).json()
    entries = {"projects": [{**PROJECT, "id": "p"}], "experience": [{**POSITION, "id": "e"}]}
    assert site.call("PUT", "/portfolio", {**PORTFOLIO, **entries}).status_code == 200
    site.call("POST", f"/blogs/{post['blogId']}/comments", COMMENT)
    files = {"file": ("a.png", image_file(), "image/png")}
    site.call("POST", "/media", data={"alt": "x"}, files=files)
    attacks = cycle(SHARPEST)
    names = attack_forms(site.author, crawl(site.author, OWNER_PAGES), attacks)
    names |= attack_forms(site.visitor, crawl(site.visitor, PUBLIC_PAGES), attacks)
    assert {"title", "markdown", "author_name", "content", "message", "alt", "tagline"} <= names
    site.world.clock.advance(hours=1)
    crawl(site.visitor, PUBLIC_PAGES)


# Items of an import or of another program did not pass the rules; pages escape them all the same.
@pytest.mark.rest
def test_attacks_behind_the_rules_are_harmless(site: Site) -> None:
    service = site.world.service
    attack = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    post = site.call("POST", "/blogs", POST).json()
    blog = service.posts.get(post["blogId"]).blog
    names = ("title", "category", "author_name", "excerpt", "seo_description", "author")
    attacked = evolve(blog, **dict.fromkeys(names, attack), tags=["x", attack])
    service.context.store.put(attacked)
    service.catalog.expire()
    crawl(site.visitor, PUBLIC_PAGES)
    crawl(site.author, OWNER_PAGES)
