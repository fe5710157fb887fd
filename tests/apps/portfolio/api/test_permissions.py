"""Who may call what: every operation as a visitor, an author of other posts, and the owner."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apps.portfolio.api.client import OTHER, Server, make_server
from tests.apps.portfolio.support.images import image_file

PUBLIC, AUTHORS, EDITORS, OWNER = (200, 200, 200), (401, 200, 200), (401, 403, 200), (401, 403, 200)
COMMENT = {"author_name": "Joan", "content": "Well."}
UPLOAD = {"files": {"file": ("x.png", image_file())}}

# The operation, its body, and the statuses for a visitor, another author and the owner; a success
# is 200. The post, the comments and the image are those of another author.
TABLE: dict[str, tuple[tuple[int, int, int], dict[str, Any]]] = {
    "GET /portfolio": (PUBLIC, {}),
    "PUT /portfolio": (OWNER, {"json": {"bio": "x"}}),
    "GET /settings": (PUBLIC, {}),
    "PUT /settings": (OWNER, {"json": {"tagline": "x"}}),
    "GET /blogs": (PUBLIC, {}),
    "GET /blogs?status=draft": (AUTHORS, {}),
    "GET /blogs?status=scheduled": (AUTHORS, {}),
    "POST /blogs": (AUTHORS, {"json": {"title": "T", "markdown": "x"}}),
    "GET /blogs/{blog_id}": (PUBLIC, {}),
    "GET /blogs/{draft}": ((404, 404, 200), {}),
    "PUT /blogs/{blog_id}": (EDITORS, {"json": {"title": "x"}}),
    "DELETE /blogs/{blog_id}": (EDITORS, {}),
    "GET /blogs/{blog_id}/history": (EDITORS, {}),
    "POST /blogs/{blog_id}/history/{number}/restore": (EDITORS, {}),
    "GET /blogs/{blog_id}/likes": (PUBLIC, {}),
    "POST /blogs/{blog_id}/likes": (PUBLIC, {}),
    "DELETE /blogs/{blog_id}/likes": (PUBLIC, {}),
    "GET /blogs/{blog_id}/comments": (PUBLIC, {}),
    "POST /blogs/{blog_id}/comments": (PUBLIC, {"json": COMMENT}),
    "GET /blogs/{blog_id}/stats": (EDITORS, {}),
    "GET /comments": (AUTHORS, {}),
    "POST /comments/{ref}/approve": (EDITORS, {}),
    "POST /comments/{ref}/reject": (EDITORS, {}),
    "DELETE /comments/{ref}": (EDITORS, {}),
    "POST /contact": (
        PUBLIC,
        {"json": {"name": "Joan", "email": "j@example.org", "message": "Hi"}},
    ),
    "GET /tags": (PUBLIC, {}),
    "GET /categories": (PUBLIC, {}),
    "GET /archive": (PUBLIC, {}),
    "GET /search": (PUBLIC, {"params": {"q": "x"}}),
    "GET /stats": (AUTHORS, {}),
    "POST /media": (AUTHORS, UPLOAD),
    "GET /media": (AUTHORS, {}),
    "PUT /media/{name}": (EDITORS, {"json": {"alt": "x"}}),
    "DELETE /media/{name}": (EDITORS, {}),
    "POST /auth/setup": (
        (403, 403, 403),
        {"json": {"name": "x", "email": "x@y.z", "password": "x", "site_title": "x"}},
    ),
    "POST /auth/login": (
        (401, 401, 401),
        {"json": {"email": "x@example.org", "password": "x"}},
    ),
    "POST /auth/refresh": ((401, 401, 401), {"json": {"refresh_token": "x"}}),
    "POST /auth/logout": (PUBLIC, {"json": {"refresh_token": "x"}}),
    "GET /auth/me": (AUTHORS, {}),
    "PUT /auth/password": (
        AUTHORS,
        {"json": {"current": "nine blue horses", "new": "seven green birds"}},
    ),
    "GET /users": (OWNER, {}),
    "POST /users": (OWNER, {"json": {"email": "j@example.org", "name": "Joan"}}),
    "PUT /users/{user_id}": (OWNER, {"json": {"role": "owner"}}),
    "DELETE /users/{user_id}": (OWNER, {}),
}


def fill(server: Server, path: str) -> str:
    """Create a post, a comment, an image and an account, and put their names into a path."""
    author = server.author
    blog_id = author.writes()["blogId"]
    author.put(f"/blogs/{blog_id}", {"title": "Second"})
    server.visitor().post(f"/blogs/{blog_id}/comments", {"author_name": "x", "content": "y"})
    values: dict[str, object] = {
        "blog_id": blog_id,
        "number": 1,
        "draft": author.writes(status="draft")["blogId"] if "draft" in path else "",
    }
    if "{ref}" in path:
        values["ref"] = author.get("/comments").json()["data"]["items"][0]["ref"]
    if "{name}" in path:
        values["name"] = author.ask("POST", "/media", **UPLOAD).json()["data"]["name"]
    if "{user_id}" in path:
        values["user_id"] = author.get("/auth/me").json()["data"]["user_id"]
    return path.format(**values)


# In this order, since only the last one may delete what the others ask for.
@pytest.mark.parametrize("operation", TABLE)
def test_operation_is_permitted_as_the_table_says(server: Server, operation: str) -> None:
    method, path = operation.split()
    url = fill(server, path)
    expected, more = TABLE[operation]
    needs_tag = path in ("/settings", "/users/{user_id}") or "restore" in path
    headers = {"If-Match": "*"} if needs_tag and method != "GET" else {}
    answers = [
        caller.ask(method, url, headers=headers, **more)
        for caller in (server.visitor(), server.sign_in(OTHER), server.owner)
    ]
    statuses = tuple(200 if answer.is_success else answer.status_code for answer in answers)
    assert statuses == expected, [answer.text for answer in answers]


def test_table_has_every_operation() -> None:
    document = make_server().visitor().get("/openapi.json").json()
    described = {
        f"{method.upper()} {path.removeprefix('/api/portfolio')}"
        for path, operations in document["paths"].items()
        for method in operations
    }
    variants = {"GET /blogs?status=draft", "GET /blogs?status=scheduled", "GET /blogs/{draft}"}
    assert described == TABLE.keys() - variants
