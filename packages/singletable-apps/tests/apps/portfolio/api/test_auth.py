"""Set up the site, manage accounts, and rate limits."""

from __future__ import annotations

from typing import Any

from singletable import Engine
from singletable_apps.shared.web import RateLimit
from tests.apps.portfolio.api.client import (
    AUTHOR,
    OWNER,
    Server,
    data,
    make_server,
)
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support.api_client import problem

SETUP = {"name": "Ada", "email": OWNER, "password": PASSWORD, "site_title": "Notes"}


def me(server: Server, token: str) -> Any:
    return server.visitor().get("/auth/me", headers={"Authorization": f"Bearer {token}"})


def test_site_is_set_up_once() -> None:
    server = Server(World(Engine.in_memory()))
    assert data(server.visitor().get("/portfolio"))["revision"] == 0
    setup = {**SETUP, "setup_code": server.world.service.accounts.setup_code()}
    for field in setup:
        answer = server.visitor().post("/auth/setup", {**setup, field: ""})
        assert problem(answer) == (422, "invalid-request", [f"/{field}"])
    tokens = data(server.visitor().post("/auth/setup", setup), 201)
    assert data(me(server, tokens["access_token"]))["role"] == "owner"
    assert data(server.visitor().get("/settings"))["title"] == "Notes"
    assert problem(server.visitor().post("/auth/setup", SETUP)) == (403, "not-allowed", [])


def test_owner_invites_promotes_and_removes_people(server: Server) -> None:
    owner = server.owner
    new = {"email": "Joan@example.org", "name": "Joan"}
    invited = data(owner.post("/users", new), 201)
    assert invited["is_sent"]
    assert server.world.mailbox.emails[-1].to == "joan@example.org"
    users = {user["email"]: user for user in data(owner.get("/users"))}
    assert set(users) == {OWNER, AUTHOR, "mary@example.org", "joan@example.org"}
    path = f"/users/{users[AUTHOR]['user_id']}"
    assert problem(owner.put(path, {"role": "owner"}))[0] == 428
    tag = f'"{users[AUTHOR]["revision"]}"'
    assert data(owner.put(path, {"role": "owner"}, tag=tag))["role"] == "owner"
    assert problem(owner.put(path, {"role": "author"}, tag=tag))[0] == 412
    data(owner.delete(path, tag="*"))
    assert problem(owner.delete(path, tag="*")) == (404, "not-found", [])


def test_limits_are_counted_per_visitor() -> None:
    limits = {
        "like": RateLimit("like", 2, 60),
        "comment": RateLimit("comment", 1, 3600),
        "contact": RateLimit("contact", 1, 3600),
        "search": RateLimit("search", 1, 60),
        "sign_in": RateLimit("sign-in", 1, 60),
        "signed_in": RateLimit("signed-in", 3, 60),
    }
    server = make_server(limits=limits)
    owner, visitor = server.owner, server.visitor()
    path = f"/blogs/{owner.writes()['blogId']}"
    comment = {"author_name": "Mary", "content": "Fine."}
    message = {"name": "Mary", "email": "m@example.org", "message": "Hi"}
    calls: list[tuple[str, str, object, int]] = [
        ("POST", f"{path}/likes", None, 2),
        ("POST", f"{path}/comments", comment, 1),
        ("POST", "/contact", message, 1),
        ("GET", "/search?q=x", None, 1),
        ("POST", "/auth/login", {"email": OWNER, "password": PASSWORD}, 1),
    ]
    for method, url, body, quota in calls:
        for _ in range(quota):
            assert visitor.ask(method, url, json=body).status_code < 300
        answer = visitor.ask(method, url, json=body)
        assert problem(answer) == (429, "too-many-requests", [])
        assert int(answer.headers["retry-after"]) > 0
        other = server.visitor("192.0.2.9").ask(method, url, json=body)
        assert other.status_code < 300
        assert "ratelimit" in other.headers
    statuses = [owner.get("/auth/me").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
