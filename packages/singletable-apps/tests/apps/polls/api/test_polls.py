"""A poll over HTTP: created, listed, read, changed with If-Match, closed; and the cookie."""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.polls.urls import API
from tests.apps.polls.api.client import COOKIE, OPTIONS, Server, make_server, type_of
from tests.apps.polls.support.harness import dump

GOOD: dict[str, Any] = {"title": "Best?", "candidates": OPTIONS}


def test_created_poll_has_location_etag_and_links(server: Server) -> None:
    ada = server.new_visitor()
    made = ada.post(
        "",
        {
            "title": "  Best   of all? ",
            "candidates": [" Go", "Rust "],
            "description": "Rank them.",
            "expiresAt": "2027-01-01T13:00:00+01:00",
            "results": "after-voting",
            "protection": "codes",
            "changeable": False,
        },
    )
    assert made.status_code == 201
    poll = made.json()
    assert poll["title"] == "Best of all?"
    assert poll["candidates"] == ["Go", "Rust"]
    assert poll["expiresAt"] == "2027-01-01T12:00:00Z"
    assert (poll["results"], poll["protection"]) == ("after-closing", "codes")
    assert poll["changeable"] is False
    assert poll["link"] == f"https://polls.example/polls/{poll['id']}"
    assert (
        poll["adminLink"]
        == f"https://polls.example/polls/p/{poll['id']}/manage?key={poll['adminKey']}"
    )
    assert made.headers["Location"] == f"{API}/{poll['id']}"
    found = ada.get(made.headers["Location"].removeprefix(API))
    assert found.headers["ETag"] == made.headers["ETag"]
    assert found.json() == {
        name: value for name, value in poll.items() if name not in ("adminKey", "adminLink")
    }


def test_browser_lists_its_polls_newest_first(server: Server) -> None:
    ada, ben = server.new_visitor(), server.new_visitor()
    assert ada.get("").json() == {"items": [], "next": None}
    for number in range(5):
        ada.makes(title=f"Poll {number}")
    ben.makes(title="Ben's")
    first = ada.get("", params={"limit": 3})
    rest = ada.get(first.links["next"]["url"].removeprefix(API))
    titles = [[poll["title"] for poll in page.json()["items"]] for page in (first, rest)]
    assert titles == [["Poll 4", "Poll 3", "Poll 2"], ["Poll 1", "Poll 0"]]
    assert rest.json()["next"] is None
    managed = first.json()["items"][0]
    assert ada.get(f"/{managed['id']}/codes", key=managed["adminKey"]).status_code == 200
    stolen = ben.get("", params={"cursor": first.json()["next"]})
    assert type_of(stolen) == "400 cursor-refused"
    assert type_of(ada.get("", params={"limit": 0})) == "422 invalid-request"


@pytest.mark.parametrize("secure", [True, False])
def test_cookie_is_host_only_and_http_only(secure: bool) -> None:
    server = make_server(secure=secure)
    ada = server.new_visitor()
    cookie = ada.post("", GOOD).headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=" if secure else "polls_browser=")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert ("; Secure" in cookie) is secure
    # A known browser keeps its token.
    again = ada.post("", GOOD)
    assert again.headers["set-cookie"].partition(";")[0] == cookie.partition(";")[0]
    assert len(ada.get("").json()["items"]) == 2


@pytest.mark.parametrize("value", ["", "short", "x" * 65, "a b" * 10, "é" * 30])
def test_foreign_cookie_is_ignored(server: Server, value: str) -> None:
    headers = [(b"cookie", f"{COOKIE}={value}".encode())]
    stranger = server.new_visitor()
    assert stranger.get("", headers=dict(headers)).json()["items"] == []


def test_poll_id_is_case_insensitive(server: Server) -> None:
    poll = server.new_visitor().makes()
    for written in (poll.path.upper(), poll.path.replace("-", "")):
        assert server.new_visitor().get(written).json()["id"] == poll.path[1:]


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


# What If-Match means: shared/web/test_etags.py.
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("PATCH", "", {"title": "Other"}), ("DELETE", "", None), ("POST", "/close", None)],
)
def test_edit_requires_if_match(server: Server, method: str, path: str, body: object) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    tag = ada.get(poll.path).headers["ETag"]
    assert ada.get(poll.path, headers={"If-None-Match": tag}).status_code == 304
    ada.ask("PATCH", poll.path, key=poll.key, tag=tag, json={"title": "New"})
    before = dump(server.world.driver)
    late = ada.ask(method, f"{poll.path}{path}", key=poll.key, tag=tag, json=body)
    assert type_of(late) == "412 precondition-failed"
    none = ada.ask(method, f"{poll.path}{path}", key=poll.key, json=body)
    assert type_of(none) == "428 precondition-required"
    assert dump(server.world.driver) == before
    now = late.headers["ETag"]
    assert ada.get(poll.path).headers["ETag"] == now != tag
    assert ada.ask(method, f"{poll.path}{path}", key=poll.key, tag=now, json=body).is_success


def test_poll_is_closed_at_once(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    closed = ada.post(f"{poll.path}/close", key=poll.key, tag="*")
    assert closed.json()["expiresAt"].startswith("2026-01-01T12:00")
    assert ada.get(f"{poll.path}/results").json()["isFinal"]
    again = ada.post(f"{poll.path}/close", key=poll.key, tag=closed.headers["ETag"])
    assert (again.status_code, again.json()) == (200, closed.json())
