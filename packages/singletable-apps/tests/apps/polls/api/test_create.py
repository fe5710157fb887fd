"""Polls over HTTP: created, listed and duplicated; and the cookie of the browser."""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.polls.urls import API
from tests.apps.polls.api.client import COOKIE, OPTIONS, Server, make_server, type_of

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
