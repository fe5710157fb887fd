"""Rejected requests: the type of the problem and the position of each error. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.apps.polls.api.client import OPTIONS, Made, Person, Server, make_server, places, type_of
from tests.apps.polls.support.harness import dump

PAST = "2025-01-01T00:00:00Z"
VALID: dict[str, dict[str, Any]] = {
    "POST ": {"title": "Best?", "candidates": OPTIONS},
    "POST /vote": {"rankings": ["Go"]},
}
DAYS = ["2026-11-20", "2026-11-21T10:00:00Z"]
# The route, what differs from a valid body (`...` leaves a field out), and the pointers of the
# errors. The rules themselves are in test_rules.py.
INVALID: list[tuple[str, dict[str, Any], str]] = [
    ("POST ", {"title": ...}, "/title"),
    ("POST ", {"candidates": ...}, "/candidates"),
    ("POST ", {"title": 7}, "/title"),
    ("POST ", {"candidates": "Go, Rust"}, "/candidates"),
    ("POST ", {"candidates": ["Go", 1]}, "/candidates/1"),
    ("POST ", {"candidates": ["a", " ", "A"]}, "/candidates/1 /candidates/2"),
    ("POST ", {"expiresAt": "2027-01-01T00:00:00"}, "/expiresAt"),
    ("POST ", {"expiresAt": 1893456000}, "/expiresAt"),
    ("POST ", {"protection": "captcha"}, "/protection"),
    ("POST ", {"id": "mine"}, "/id"),
    ("POST ", {"title": "", "expiresAt": PAST}, "/title /expiresAt"),
    ("POST ", {"results": "never", "changeable": 1}, "/results /changeable"),
    ("POST ", {"maxPicks": 2}, "/maxPicks"),
    ("POST ", {"kind": "several", "maxPicks": 51}, "/maxPicks"),
    ("POST ", {"names": True, "protection": "codes"}, "/names"),
    ("POST ", {"kind": "dates", "candidates": ["Go", DAYS[0]]}, "/candidates/0"),
    ("POST ", {"kind": "dates", "writeIns": True, "candidates": DAYS}, "/writeIns"),
    ("POST ", {"kind": "dates", "candidates": [DAYS[0], DAYS[0]]}, "/candidates/1"),
    ("POST ", {"zone": "../Mars"}, "/zone"),
    ("POST ", {"email": "ada@example.org, eve@example.org"}, "/email"),
    ("POST /vote", {"maybe": ["Rust"]}, "/maybe"),
    ("POST /vote", {"name": "Ada"}, "/name"),
    ("POST /options", {"name": "Zig"}, "/name"),
    ("POST /comments", {"text": "Hi"}, "/text"),
    ("POST /vote", {"rankings": []}, "/rankings"),
    ("POST /vote", {"rankings": ["Go", "Zig", "GO"]}, "/rankings/1 /rankings/2"),
    ("POST /vote", {"rankings": ["Go"] * 51}, "/rankings"),
    ("POST /vote", {"rankings": ["Go", None]}, "/rankings/1"),
    ("POST /vote", {"rankings": ["x" * 100_000]}, "/rankings/0"),
    ("POST /vote", {"code": "x" * 101}, "/code"),
    ("PATCH ", {}, ""),
    ("PATCH ", {"title": None}, "/title"),
    ("PATCH ", {"candidates": ["Go", "GO"], "title": ""}, "/title /candidates/1"),
    ("PATCH ", {"expiresAt": PAST}, "/expiresAt"),
    ("PATCH ", {"adminKey": "x"}, "/adminKey"),
    *(("POST /codes", {"count": count}, "/count") for count in (0, 1.5, "3", True)),
    # There is a code already, and a poll has at most 10,000.
    ("POST /codes", {"count": 10_000}, "/count"),
    ("GET /vote?vote=1", {}, "vote"),
    ("GET /export/doc", {}, "format"),
]
# A poll in some state, the route and the body, and the problem.
CONFLICTS: list[tuple[str, str, object, str]] = [
    ("unchangeable", "POST /vote", {"rankings": ["Rust"]}, "409 already-voted"),
    ("closed", "POST /vote", {"rankings": ["Rust"]}, "409 closed"),
    ("open", "PATCH ", {"candidates": ["Go", "C"], "title": "Other"}, "409 settled"),
    ("open", "PATCH ", {"protection": "codes"}, "409 settled"),
    ("open", "GET /vote", None, "404 not-found"),
    ("codes", "POST /vote", {"rankings": ["Go"]}, "403 no-code"),
    ("codes", "POST /vote", {"rankings": ["Go"], "code": "000A-7K3M-QX9T"}, "403 no-code"),
    ("codes", "GET /vote", None, "403 no-code"),
    ("codes", "GET /vote?code=nonsense", None, "403 no-code"),
]
CONTENTS: list[tuple[bytes, str, str]] = [
    (b"[]", "application/json", "422 invalid-request"),
    (b"{", "application/json", "400 malformed-body"),
    (b" " * (1 << 21), "application/json", "413 too-large"),
    (b"title=Best", "application/x-www-form-urlencoded", "415 unsupported-media-type"),
]


@dataclass
class Polls:
    """Polls in several states, and a browser that has voted in those that take votes."""

    server: Server
    ada: Person
    made: dict[str, Made]
    stored: list[str]

    def ask(self, poll: str, route: str, body: object, **headers: str) -> httpx2.Response:
        method, _, path = route.partition(" ")
        made = self.made[poll]
        at = "" if route == "POST " else f"{made.path}{path}"
        return self.ada.ask(method, at, key=made.key, tag="*", json=body, headers=headers)


@pytest.fixture(scope="module")
def polls() -> Polls:
    server = make_server()
    ada = server.new_visitor()
    made = {
        "new": ada.makes(),
        "unchangeable": ada.makes(changeable=False),
        "closed": ada.makes(),
        "open": ada.makes(protection="open"),
        "codes": ada.makes(protection="codes"),
    }
    for name in ("unchangeable", "closed", "open"):
        assert ada.votes(made[name], "Go").status_code == 201
    ada.post(f"{made['closed'].path}/close", key=made["closed"].key, tag="*")
    for name in ("new", "codes"):
        ada.post(f"{made[name].path}/codes", {"count": 1}, key=made[name].key)
    return Polls(server, ada, made, dump(server.world.driver))


@pytest.fixture(autouse=True)
def nothing_is_stored(polls: Polls) -> Iterator[None]:
    yield
    assert dump(polls.server.world.driver) == polls.stored


@pytest.mark.parametrize(("route", "change", "pointers"), INVALID)
def test_invalid_request_names_each_position(
    polls: Polls, route: str, change: dict[str, Any], pointers: str
) -> None:
    body = VALID.get(route, {}) | change
    answer = polls.ask("new", route, {name: body[name] for name in body if body[name] is not ...})
    assert (type_of(answer), places(answer)) == ("422 invalid-request", pointers.split(" "))
    assert len(answer.content) < 5_000
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(("poll", "route", "body", "problem"), CONFLICTS)
def test_state_of_the_poll_forbids_the_request(
    polls: Polls, poll: str, route: str, body: object, problem: str
) -> None:
    assert type_of(polls.ask(poll, route, body)) == problem


def test_code_of_another_poll_is_rejected(polls: Polls) -> None:
    made = polls.made["new"]
    [issued] = polls.ada.get(f"{made.path}/codes", key=made.key).json()["items"]
    body = {"rankings": ["Go"], "code": issued["code"]}
    assert type_of(polls.ask("codes", "POST /vote", body)) == "403 no-code"


@pytest.mark.parametrize(("content", "media_type", "problem"), CONTENTS)
def test_malformed_body_is_rejected(
    polls: Polls, content: bytes, media_type: str, problem: str
) -> None:
    headers = {"Content-Type": media_type}
    assert type_of(polls.ada.ask("POST", "", content=content, headers=headers)) == problem


@pytest.mark.parametrize("key", ["1", "x" * 15, "x" * 201, "with space in between", ""])
def test_invalid_idempotency_key_is_rejected(polls: Polls, key: str) -> None:
    answer = polls.ask("new", "POST /vote", {"rankings": ["Go"]}, **{"Idempotency-Key": key})
    assert (type_of(answer), places(answer)) == ("400 idempotency-key", ["Idempotency-Key"])


NOBODY = "/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "", {"title": "Other"}),
        ("DELETE", "", None),
        ("POST", "/close", None),
        ("POST", "/codes", {"count": 1}),
        ("GET", "/codes", None),
        ("GET", "", None),
        ("POST", "/vote", {"rankings": ["Go"]}),
        ("GET", "/vote", None),
        ("GET", "/results", None),
        ("GET", "/export/csv", None),
    ],
)
def test_unknown_poll_is_404(polls: Polls, method: str, path: str, body: object) -> None:
    answer = polls.ada.ask(method, f"{NOBODY}{path}", key="x", tag="*", json=body)
    assert type_of(answer) == "404 not-found"


@pytest.mark.parametrize("name", ["nope", "%2e%2e", "123", "docs/no", f"{NOBODY[1:]}x"])
def test_malformed_poll_id_is_404(polls: Polls, name: str) -> None:
    assert type_of(polls.ada.get(f"/{name}")) == "404 not-found"


# Who has which key: test_access.py.
def test_managing_requires_the_admin_key_as_a_bearer_token(polls: Polls) -> None:
    made = polls.made["new"]
    missing = polls.ada.ask("PATCH", made.path, tag="*", json={"title": "Other"})
    assert (type_of(missing), places(missing)) == ("401 no-admin-key", ["Authorization"])
    assert missing.headers["WWW-Authenticate"] == "Bearer"
    for header, problem in (
        (f"Basic {made.key}", "401 no-admin-key"),
        (f"Bearer {polls.made['open'].key}", "403 not-allowed"),
        (f"Bearer {made.key[:-1]}", "403 not-allowed"),
        ("Bearer é", "403 not-allowed"),
    ):
        headers = {"Authorization": header.encode()}
        answer = polls.ada.ask("PATCH", made.path, tag="*", json={"title": "x"}, headers=headers)
        assert type_of(answer) == problem
