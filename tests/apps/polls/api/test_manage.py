"""A poll over HTTP: seen, changed by tag and key, closed, deleted; and refused without a trace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree as ET

import pytest

from tests.apps.polls.api.client import Server, places, type_of
from tests.apps.polls.support.harness import dump

NOBODY = "/00000000-0000-4000-8000-000000000000"
# What needs the admin key, with a body where there is one.
MANAGED = [
    ("PATCH", "", {"title": "Other"}),
    ("DELETE", "", None),
    ("POST", "/close", None),
    ("POST", "/codes", {"count": 1}),
    ("GET", "/codes", None),
    ("GET", "/recount", None),
]
ANYBODYS = [
    ("GET", "", None),
    ("POST", "/duplicate", None),
    ("POST", "/vote", {"rankings": ["Go"]}),
    ("GET", "/vote", None),
    ("GET", "/results", None),
    ("GET", "/export/csv", None),
    ("GET", "/qr.svg", None),
]


@pytest.mark.parametrize(("method", "path", "body"), [*MANAGED, *ANYBODYS])
def test_unknown_poll_is_404(server: Server, method: str, path: str, body: object) -> None:
    answer = server.new_visitor().ask(method, f"{NOBODY}{path}", key="x", tag="*", json=body)
    assert type_of(answer) == "404 not-found"
    assert dump(server.driver) == []


@pytest.mark.parametrize("name", ["nope", "%2e%2e", "123", "docs/no", f"{NOBODY[1:]}x"])
def test_malformed_poll_id_is_404(server: Server, name: str) -> None:
    assert type_of(server.new_visitor().get(f"/{name}")) == "404 not-found"


def test_poll_id_is_case_insensitive(server: Server) -> None:
    poll = server.new_visitor().makes()
    for written in (poll.path.upper(), poll.path.replace("-", "")):
        assert server.new_visitor().get(written).json()["id"] == poll.path[1:]


@pytest.mark.parametrize(("method", "path", "body"), MANAGED)
def test_managing_requires_the_admin_key(
    server: Server, method: str, path: str, body: object
) -> None:
    ada = server.new_visitor()
    poll, other = ada.makes(), ada.makes()
    before = dump(server.driver)
    missing = ada.ask(method, f"{poll.path}{path}", tag="*", json=body)
    assert type_of(missing) == "401 no-admin-key"
    assert missing.headers["WWW-Authenticate"] == "Bearer"
    assert places(missing) == ["Authorization"]
    for wrong in (other.key, "x", poll.key[:-1], "é"):
        headers = {"Authorization": f"Bearer {wrong}".encode()}
        answer = ada.ask(method, f"{poll.path}{path}", tag="*", json=body, headers=headers)
        assert type_of(answer) == "403 not-allowed"
    basic = {"Authorization": f"Basic {poll.key}"}
    assert (
        ada.ask(method, f"{poll.path}{path}", tag="*", json=body, headers=basic).status_code == 401
    )
    assert dump(server.driver) == before


@pytest.mark.parametrize(("method", "path", "body"), MANAGED[:3])
def test_edit_requires_if_match(server: Server, method: str, path: str, body: object) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    tag = ada.get(poll.path).headers["ETag"]
    assert (
        ada.ask("PATCH", poll.path, key=poll.key, tag=tag, json={"title": "New"}).status_code == 200
    )
    before = dump(server.driver)
    late = ada.ask(method, f"{poll.path}{path}", key=poll.key, tag=tag, json=body)
    assert type_of(late) == "412 precondition-failed"
    assert late.headers["ETag"] == ada.get(poll.path).headers["ETag"]
    none = ada.ask(method, f"{poll.path}{path}", key=poll.key, json=body)
    assert type_of(none) == "428 precondition-required"
    assert places(none) == ["If-Match"]
    odd = ada.ask(method, f"{poll.path}{path}", key=poll.key, tag="7", json=body)
    assert type_of(odd) == "422 invalid-request"
    assert dump(server.driver) == before
    now = late.headers["ETag"]
    assert ada.ask(method, f"{poll.path}{path}", key=poll.key, tag=now, json=body).is_success


def test_poll_is_304_until_it_changes(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    tag = ada.get(poll.path).headers["ETag"]
    seen = ada.get(poll.path, headers={"If-None-Match": f'"0", {tag}'})
    assert (seen.status_code, seen.content, seen.headers["ETag"]) == (304, b"", tag)
    ada.votes(poll, "Go")
    assert ada.get(poll.path, headers={"If-None-Match": tag}).status_code == 304
    changed = ada.ask("PATCH", poll.path, key=poll.key, tag=tag, json={"title": "New"})
    found = ada.get(poll.path, headers={"If-None-Match": tag})
    assert (found.status_code, found.json()) == (200, changed.json())
    assert found.headers["ETag"] == changed.headers["ETag"] != tag


def test_patch_changes_only_the_given_fields(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes(expiresAt="2026-06-01T00:00:00Z")
    change = {
        "title": "  Other ",
        "description": "Words",
        "candidates": ["C", "Zig", "Ada"],
        "results": "after-closing",
        "protection": "open",
        "changeable": False,
    }
    answer = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=change)
    assert answer.status_code == 200
    assert {name: answer.json()[name] for name in change} == {**change, "title": "Other"}
    assert answer.json()["expiresAt"] == "2026-06-01T00:00:00Z"
    cleared = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json={"expiresAt": None})
    assert "expiresAt" not in cleared.json()
    assert ada.get(poll.path).json() == cleared.json()


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({}, [""]),
        ({"title": None}, ["/title"]),
        ({"title": ""}, ["/title"]),
        ({"candidates": ["Go"]}, ["/candidates"]),
        ({"candidates": ["Go", "GO"], "title": ""}, ["/title", "/candidates/1"]),
        ({"candidates": None}, ["/candidates"]),
        ({"expiresAt": "2025-01-01T00:00:00Z"}, ["/expiresAt"]),
        ({"results": None}, ["/results"]),
        ({"adminKey": "x"}, ["/adminKey"]),
        ({"id": "x", "createdAt": "2026-01-01T00:00:00Z"}, ["/id", "/createdAt"]),
    ],
)
def test_invalid_patch_is_rejected(
    server: Server, change: dict[str, object], pointers: list[str]
) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    before = dump(server.driver)
    answer = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=change)
    assert type_of(answer) == "422 invalid-request"
    assert places(answer) == pointers
    assert dump(server.driver) == before


def test_options_cannot_change_after_a_vote(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    ada.votes(poll, "Go")
    before = dump(server.driver)
    for change in ({"candidates": ["Go", "C"], "title": "Other"}, {"protection": "codes"}):
        answer = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=change)
        assert type_of(answer) == "409 settled"
    assert dump(server.driver) == before
    words = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json={"title": "Other"})
    assert words.json()["title"] == "Other"


def test_closed_poll_rejects_votes_until_reopened(server: Server) -> None:
    ada, ben = server.new_visitor(), server.new_visitor()
    poll = ada.makes()
    ada.votes(poll, "Go")
    closed = ada.post(f"{poll.path}/close", key=poll.key, tag=ada.get(poll.path).headers["ETag"])
    assert closed.status_code == 200
    assert closed.json()["expiresAt"].startswith("2026-01-01T12:00")
    assert ada.get(f"{poll.path}/results").json()["isFinal"]
    again = ada.post(f"{poll.path}/close", key=poll.key, tag=closed.headers["ETag"])
    assert (again.status_code, again.json()) == (200, closed.json())
    before = dump(server.driver)
    assert type_of(ben.votes(poll, "Rust")) == "409 closed"
    assert dump(server.driver) == before
    later = {"expiresAt": "2026-01-03T00:00:00Z"}
    assert ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=later).status_code == 200
    assert ben.votes(poll, "Rust").status_code == 201
    server.clock.move(days=3)
    assert type_of(ben.votes(poll, "Go")) == "409 closed"


def test_deleted_poll_leaves_no_items(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    for _ in range(3):
        server.new_visitor().votes(poll, "Go", "Rust")
    gone = ada.ask("DELETE", poll.path, key=poll.key, tag="*")
    assert (gone.status_code, gone.content) == (204, b"")
    assert dump(server.driver) == []
    assert type_of(ada.get(poll.path)) == "404 not-found"
    assert type_of(ada.ask("DELETE", poll.path, key=poll.key, tag="*")) == "404 not-found"
    assert ada.get("").json()["items"] == []


def test_one_of_concurrent_edits_succeeds(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    tag = ada.get(poll.path).headers["ETag"]

    def change(number: int) -> int:
        body = {"title": f"Title {number}"}
        return ada.ask("PATCH", poll.path, key=poll.key, tag=tag, json=body).status_code

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(change, range(6))) == [200, *[412] * 5]


# A concurrent request finds the poll complete or gone, never broken.
def test_poll_can_be_deleted_while_in_use(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()

    def use(number: int) -> int:
        if number % 3:
            return server.new_visitor().votes(poll, "Go").status_code
        return server.new_visitor().ask("DELETE", poll.path, key=poll.key, tag="*").status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = set(pool.map(use, range(24)))
    assert statuses <= {201, 204, 404, 409}
    assert dump(server.driver) == []


def test_qr_code_encodes_the_link(server: Server) -> None:
    ada = server.new_visitor()
    poll, other = ada.makes(), ada.makes()
    drawn = ada.get(f"{poll.path}/qr.svg")
    assert drawn.headers["Content-Type"] == "image/svg+xml"
    assert ET.fromstring(drawn.text).tag == "{http://www.w3.org/2000/svg}svg"
    assert drawn.text != ada.get(f"{other.path}/qr.svg").text
