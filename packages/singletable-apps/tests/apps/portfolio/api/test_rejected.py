"""Rejected requests: the type of the problem and the position of each error. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.apps.portfolio.api.client import OWNER, Person, data, make_server
from tests.apps.portfolio.support.harness import PASSWORD
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.api_client import problem
from tests.apps.support.tables import stored_text

PROJECT = {"id": "1", "title": "Engine"}
POSITION = {
    "id": "1",
    "title": "Programmer",
    "company": "Babbage & Co.",
    "start_date": "2020-09-13",
}
SCHEDULED = {"status": "scheduled"}
VALID: dict[str, dict[str, Any]] = {
    "POST /blogs": {"title": "T", "markdown": "Text"},
    "POST /blogs/{post}/comments": {"author_name": "Mary", "content": "Fine."},
    "POST /contact": {"name": "Grace", "email": "g@example.org", "message": "Hello"},
    "POST /users": {"email": "joan@example.org", "name": "Joan"},
    "PUT /auth/password": {"current": PASSWORD, "new": "seven green birds"},
}
# The route, what differs from a valid body (`...` leaves a field out), and the positions of the
# errors. The rules themselves are in test_post_rules.py and in the tests of the services.
INVALID: list[tuple[str, dict[str, Any], str]] = [
    ("POST /blogs", {"title": ""}, "/title"),
    ("POST /blogs", {"title": 7}, "/title"),
    ("POST /blogs", {"slug": "No Slug"}, "/slug"),
    ("POST /blogs", {"tags": "tea"}, "/tags"),
    ("POST /blogs", {"author": "me"}, "/author"),
    ("POST /blogs", {"markdown": ""}, "/markdown"),
    ("POST /blogs", {"markdown": "x" * 120_001}, "/markdown"),
    ("POST /blogs", {"markdown": ...}, ""),
    ("POST /blogs", {"content": "a"}, ""),
    ("POST /blogs", {"markdown": ..., "content": ""}, "/content"),
    ("POST /blogs", {"markdown": ..., "content": None}, "/content"),
    ("POST /blogs", {"markdown": ..., "content": "<p>" + "x" * 130_000}, "/content"),
    ("POST /blogs", {"status": "secret"}, "/status"),
    ("POST /blogs", SCHEDULED, ""),
    ("POST /blogs", {"publish_at": "2027-01-15T08:00:00Z"}, ""),
    ("POST /blogs", {**SCHEDULED, "publish_at": "2255-03-13T16:00:00Z"}, "/publish_at"),
    ("POST /blogs", {**SCHEDULED, "publish_at": "2020-01-01T00:00:00Z"}, "/publish_at"),
    ("POST /blogs", {"status": "draft", "publish_at": "2020-01-01T00:00:00Z"}, ""),
    ("POST /blogs", {**SCHEDULED, "publish_at": "tomorrow"}, "/publish_at"),
    ("POST /blogs", {"canonical_url": "/here"}, "/canonical_url"),
    ("PUT /blogs/{post}", {}, ""),
    ("PUT /blogs/{post}", {"title": None}, "/title"),
    ("PUT /blogs/{post}", {"content": "a", "markdown": "b"}, ""),
    ("PUT /blogs/{post}", {"content": " "}, "/content"),
    ("PUT /blogs/{post}", {"blogId": "x"}, "/blogId"),
    ("PUT /blogs/{post}", {"likes_count": 99}, "/likes_count"),
    ("PUT /blogs/{post}", {"publish_at": "2027-01-15T08:00:00Z"}, ""),
    ("POST /blogs/{post}/comments", {"author_email": "nobody"}, "/author_email"),
    ("POST /blogs/{post}/comments", {"author_name": "", "content": ""}, "/author_name /content"),
    ("POST /blogs/{post}/comments", {"status": "approved"}, "/status"),
    ("PUT /portfolio", {}, ""),
    ("PUT /portfolio", {"PK": "x"}, "/PK"),
    ("PUT /portfolio", {"updated_at": 1}, "/updated_at"),
    ("PUT /portfolio", {"bio": None}, "/bio"),
    ("PUT /portfolio", {"email": "no address"}, "/email"),
    ("PUT /portfolio", {"social_links": {"github": "javascript:x"}}, "/social_links/github"),
    ("PUT /portfolio", {"projects": [{"id": "1"}]}, "/projects/0/title"),
    ("PUT /portfolio", {"projects": [PROJECT, PROJECT]}, "/projects/1/id"),
    (
        "PUT /portfolio",
        {"experience": [{**POSITION, "end_date": "1970-01-01"}]},
        "/experience/0/end_date",
    ),
    ("PUT /portfolio", {"experience": [{**POSITION, "end_date": 0}]}, "/experience/0/end_date"),
    ("PUT /portfolio", {"about_content": "a", "about_markdown": "b"}, "/about_content"),
    ("PUT /settings", {"font": "comic"}, "/font"),
    ("PUT /settings", {"likes": 1}, "/likes"),
    ("PUT /settings", {"posts_per_page": 0}, "/posts_per_page"),
    ("PUT /settings", {"accent": "red"}, "/accent"),
    ("PUT /settings", {"zone": "UTC"}, "/zone"),
    ("PUT /media/{image}", {"alt": "x" * 501}, "/alt"),
    ("POST /contact", {"email": "nobody"}, "/email"),
    ("POST /users", {"email": "x"}, "/email"),
    ("PUT /users/{author}", {"role": "boss"}, "/role"),
    ("PUT /auth/password", {"new": "short"}, "/new"),
    *(
        (f"GET /blogs?{query}", {}, query.partition("=")[0])
        for query in ("limit=0", "limit=101", "limit=x", "status=secret", "content=?")
    ),
    ("GET /search", {}, "q"),
    ("GET /stats?days=0", {}, "days"),
]
# Other problems: the route, the body, and the status, type and position.
REJECTED: list[tuple[str, object, str]] = [
    ("POST /blogs", {"title": "T", "markdown": "x", "slug": "tea"}, "409 taken /slug"),
    ("PUT /blogs/{other}", {"slug": "tea"}, "409 taken /slug"),
    ("POST /users", {"email": OWNER, "name": "Ada"}, "409 taken /email"),
    ("DELETE /users/{owner}", None, "422 invalid-request /role"),
    ("DELETE /users/99999999999999999999", None, "422 invalid-request user_id"),
    ("PUT /auth/password", {"current": "x", "new": PASSWORD}, "401 not-signed-in /current"),
    ("POST /blogs/{post}/history/9/restore", None, "404 not-found"),
    ("POST /blogs/{post}/history/x/restore", None, "422 invalid-request number"),
    ("GET /blogs?cursor=%7B%22PK%22%3A%22x%22%7D", None, "400 cursor-refused cursor"),
    ("GET /blogs?cursor=%7B%7D&tag=tea", None, "400 cursor-refused cursor"),
    ("POST /comments/none/approve", None, "404 not-found"),
    ("POST /comments/a.1.b/approve", None, "404 not-found"),
    ("POST /comments/%00/approve", None, "404 not-found"),
    ("POST /media", {"file": "x"}, "415 unsupported-media-type"),
    *(
        (f"{route.replace('*', name)}", {"title": "x"}, "404 not-found")
        for name in ("none", "x" * 3000, "%00", "a%2Fb", "%F0%9F%98%80")
        for route in ("GET /blogs/*", "PUT /blogs/*", "GET /blogs/*/likes", "GET /blogs/*/history")
    ),
    ("DELETE /blogs/none", None, "404 not-found"),
    ("POST /blogs/none/likes", None, "404 not-found"),
    ("GET /blogs/none/comments", None, "404 not-found"),
]


@dataclass
class Site:
    """A site, its owner, and the names of its objects."""

    owner: Person
    names: dict[str, str]

    def stored(self) -> str:
        return stored_text(self.owner.world.service.context.store, "DataTable")


@pytest.fixture(scope="module")
def site() -> Site:
    server = make_server()
    owner = server.owner
    users = {user["name"]: str(user["user_id"]) for user in data(owner.get("/users"))}
    image = owner.ask("POST", "/media", files={"file": ("x.png", image_file())})
    names = {"owner": users["Ada"], "author": users["Grace"], "image": data(image, 201)["name"]}
    names |= {"post": owner.writes(slug="tea")["blogId"], "other": owner.writes()["blogId"]}
    return Site(owner, names)


@pytest.fixture(autouse=True)
def nothing_is_stored(site: Site) -> Iterator[None]:
    before = site.stored()
    yield
    assert site.stored() == before
    site.owner.world.check_calls()


def ask(site: Site, route: str, body: object) -> str:
    method, _, path = route.partition(" ")
    more = {} if body is None else {"json": body}
    return describe(site.owner.ask(method, path.format(**site.names), tag="*", **more))


def describe(answer: httpx2.Response) -> str:
    """Return the status, the type and the positions of a problem."""
    status, kind, places = problem(answer)
    return " ".join([f"{status} {kind}", *places])


@pytest.mark.parametrize(("route", "change", "places"), INVALID)
def test_invalid_request_names_each_position(
    site: Site, route: str, change: dict[str, Any], places: str
) -> None:
    body = VALID.get(route, {}) | change
    sent = {name: body[name] for name in body if body[name] is not ...}
    assert ask(site, route, sent) == f"422 invalid-request {places}"


@pytest.mark.parametrize(("route", "body", "expected"), REJECTED)
def test_request_is_rejected(site: Site, route: str, body: object, expected: str) -> None:
    assert ask(site, route, body) == expected


@pytest.mark.parametrize("switch", ["likes", "comments", "contact"])
def test_feature_that_is_switched_off_is_403(switch: str) -> None:
    owner = make_server().owner
    post = f"/blogs/{owner.writes()['blogId']}"
    path = {"likes": f"{post}/likes", "comments": f"{post}/comments", "contact": "/contact"}[switch]
    body = VALID["POST /contact" if switch == "contact" else "POST /blogs/{post}/comments"]
    data(owner.put("/settings", {switch: False}, tag="*"))
    assert describe(owner.post(path, body)) == "403 switched-off"


FORM = {"Content-Type": "multipart/form-data; boundary=x"}


@pytest.mark.parametrize(
    ("upload", "expected"),
    [
        ({"files": {"file": ("x.png", b"no image")}}, "422 invalid-request /file"),
        ({"files": {"other": ("x.png", b"no image")}}, "422 invalid-request /file"),
        ({"content": b"--x\r\n", "headers": FORM}, "400 malformed-body"),
        ({"content": b"x" * 15_100_000, "headers": FORM}, "413 too-large"),
    ],
    ids=["no image", "no file", "malformed", "too large"],
)
def test_invalid_upload_is_rejected(site: Site, upload: dict[str, Any], expected: str) -> None:
    assert describe(site.owner.ask("POST", "/media", **upload)) == expected
