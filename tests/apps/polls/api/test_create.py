"""Polls over HTTP: made, rejected with the position of each error, found again, and duplicated."""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.polls.api import PREFIX
from tests.apps.polls.api.client import COOKIE, OPTIONS, Server, make_server, places, type_of
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
    assert (poll["results"], poll["protection"]) == ("after-voting", "codes")
    assert poll["changeable"] is False
    assert poll["link"] == f"https://polls.example/polls/p/{poll['id']}"
    assert poll["adminLink"] == f"{poll['link']}/manage?key={poll['adminKey']}"
    assert made.headers["Location"] == f"{PREFIX}/{poll['id']}"
    found = ada.get(made.headers["Location"].removeprefix(PREFIX))
    assert found.headers["ETag"] == made.headers["ETag"]
    assert found.json() == {
        name: value for name, value in poll.items() if name not in ("adminKey", "adminLink")
    }


@pytest.mark.parametrize(
    ("sent", "pointers"),
    [
        ({"title": "   "}, ["/title"]),
        ({"title": "x" * 201}, ["/title"]),
        ({"title": "a\u0007b"}, ["/title"]),
        ({"title": 7}, ["/title"]),
        ({"title": None}, ["/title"]),
        ({"description": "x" * 2001}, ["/description"]),
        ({"description": None}, ["/description"]),
        ({"candidates": ["Go"]}, ["/candidates"]),
        ({"candidates": []}, ["/candidates"]),
        ({"candidates": [f"Option {n}" for n in range(51)]}, ["/candidates"]),
        ({"candidates": "Go, Rust"}, ["/candidates"]),
        ({"candidates": ["Go", 1]}, ["/candidates/1"]),
        ({"candidates": ["Go", " ", "x" * 101, "gO"]}, [f"/candidates/{n}" for n in (1, 2, 3)]),
        ({"expiresAt": "2025-01-01T00:00:00Z"}, ["/expiresAt"]),
        ({"expiresAt": "2099-01-01T00:00:00Z"}, ["/expiresAt"]),
        ({"expiresAt": "0001-01-01T00:00:00Z"}, ["/expiresAt"]),
        ({"expiresAt": "2027-01-01T00:00:00"}, ["/expiresAt"]),
        ({"expiresAt": 1893456000}, ["/expiresAt"]),
        ({"expiresAt": ""}, ["/expiresAt"]),
        ({"results": "never"}, ["/results"]),
        ({"protection": "captcha"}, ["/protection"]),
        ({"changeable": "yes"}, ["/changeable"]),
        ({"expires_at": None}, ["/expires_at"]),
        ({"id": "mine"}, ["/id"]),
        (
            {"title": "", "candidates": ["Go", "go"], "expiresAt": "2025-01-01T00:00:00Z"},
            ["/title", "/candidates/1", "/expiresAt"],
        ),
        ({"results": "never", "changeable": 1}, ["/results", "/changeable"]),
    ],
)
def test_invalid_poll_reports_each_field(
    server: Server, sent: dict[str, object], pointers: list[str]
) -> None:
    answer = server.new_visitor().post("", {**GOOD, **sent})
    assert type_of(answer) == "422 invalid-request"
    assert places(answer) == pointers
    assert "set-cookie" not in answer.headers
    assert dump(server.driver) == []


@pytest.mark.parametrize("missing", ["title", "candidates"])
def test_poll_requires_title_and_options(server: Server, missing: str) -> None:
    sent = {name: value for name, value in GOOD.items() if name != missing}
    assert places(server.new_visitor().post("", sent)) == [f"/{missing}"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "422 invalid-request"),
        (b"[]", "422 invalid-request"),
        (b"{", "400 malformed-body"),
        (b'{"title": "a", "title": "b"}', "400 malformed-body"),
        (b'{"title": "\\ud800"}', "400 malformed-body"),
        (b'{"title": NaN}', "400 malformed-body"),
        (b"\xff", "400 malformed-body"),
        (b" " * (1 << 21), "413 too-large"),
    ],
)
def test_malformed_body_is_rejected(server: Server, content: bytes, kind: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = server.new_visitor().ask("POST", "", content=content, headers=headers)
    assert type_of(answer) == kind
    assert dump(server.driver) == []


def test_cross_site_requests_are_rejected(server: Server) -> None:
    form = server.new_visitor().ask("POST", "", data={"title": "Best?"})
    assert type_of(form) == "415 unsupported-media-type"
    other = server.new_visitor().post("", GOOD, headers={"Sec-Fetch-Site": "cross-site"})
    assert type_of(other) == "403 cross-origin"
    assert dump(server.driver) == []


def test_browser_lists_its_polls_newest_first(server: Server) -> None:
    ada, ben = server.new_visitor(), server.new_visitor()
    assert ada.get("").json() == {"items": [], "next": None}
    for number in range(5):
        ada.makes(title=f"Poll {number}")
    ben.makes(title="Ben's")
    first = ada.get("", params={"limit": 3})
    rest = ada.get(first.links["next"]["url"].removeprefix(PREFIX))
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
    # A browser that is known stays who it is.
    again = ada.post("", GOOD)
    assert again.headers["set-cookie"].partition(";")[0] == cookie.partition(";")[0]
    assert len(ada.get("").json()["items"]) == 2


@pytest.mark.parametrize("value", ["", "short", "x" * 65, "a b" * 10, "é" * 30])
def test_foreign_cookie_is_ignored(server: Server, value: str) -> None:
    headers = [(b"cookie", f"{COOKIE}={value}".encode())]
    stranger = server.new_visitor()
    assert stranger.get("", headers=dict(headers)).json()["items"] == []


def test_duplicate_has_the_same_options_and_no_votes(server: Server) -> None:
    ada, ben = server.new_visitor(), server.new_visitor()
    poll = ada.makes(title="Again?", expiresAt="2026-01-02T00:00:00Z", changeable=False)
    ada.votes(poll, "Go")
    copy = ben.post(f"{poll.path}/duplicate")
    assert copy.status_code == 201
    assert copy.headers["Location"] == f"{PREFIX}/{copy.json()['id']}"
    assert (copy.json()["title"], copy.json()["changeable"]) == ("Again?", False)
    assert copy.json()["expiresAt"] == "2026-01-02T00:00:00Z"
    assert f"/{copy.json()['id']}" != poll.path
    assert copy.json()["adminKey"] != poll.key
    assert ben.get(f"/{copy.json()['id']}/results").json()["totalVotes"] == 0
    assert [one["id"] for one in ben.get("").json()["items"]] == [copy.json()["id"]]
    server.clock.move(days=2)
    assert "expiresAt" not in ben.post(f"{poll.path}/duplicate").json()
