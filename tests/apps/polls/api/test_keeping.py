"""A poll over HTTP: seen, changed by tag and key, closed, deleted; and refused without a trace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree as ET

import pytest

from tests.apps.polls.api.people import Place, places, type_of
from tests.apps.polls.rig.world import dump

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
def test_there_is_nothing_where_there_is_no_poll(
    place: Place, method: str, path: str, body: object
) -> None:
    answer = place.somebody().ask(method, f"{NOBODY}{path}", key="x", tag="*", json=body)
    assert type_of(answer) == "404 not-found"
    assert dump(place.driver) == []


@pytest.mark.parametrize("name", ["nope", "%2e%2e", "123", "docs/no", f"{NOBODY[1:]}x"])
def test_what_cannot_be_an_id_is_no_address(place: Place, name: str) -> None:
    assert type_of(place.somebody().get(f"/{name}")) == "404 not-found"


def test_an_id_is_found_however_it_is_written(place: Place) -> None:
    poll = place.somebody().makes()
    for written in (poll.path.upper(), poll.path.replace("-", "")):
        assert place.somebody().get(written).json()["id"] == poll.path[1:]


@pytest.mark.parametrize(("method", "path", "body"), MANAGED)
def test_managing_needs_the_key_of_the_poll(
    place: Place, method: str, path: str, body: object
) -> None:
    ada = place.somebody()
    poll, other = ada.makes(), ada.makes()
    before = dump(place.driver)
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
    assert dump(place.driver) == before


@pytest.mark.parametrize(("method", "path", "body"), MANAGED[:3])
def test_an_edit_says_what_it_is_based_on(
    place: Place, method: str, path: str, body: object
) -> None:
    ada = place.somebody()
    poll = ada.makes()
    tag = ada.get(poll.path).headers["ETag"]
    assert (
        ada.ask("PATCH", poll.path, key=poll.key, tag=tag, json={"title": "New"}).status_code == 200
    )
    before = dump(place.driver)
    late = ada.ask(method, f"{poll.path}{path}", key=poll.key, tag=tag, json=body)
    assert type_of(late) == "412 precondition-failed"
    assert late.headers["ETag"] == ada.get(poll.path).headers["ETag"]
    none = ada.ask(method, f"{poll.path}{path}", key=poll.key, json=body)
    assert type_of(none) == "428 precondition-required"
    assert places(none) == ["If-Match"]
    odd = ada.ask(method, f"{poll.path}{path}", key=poll.key, tag="7", json=body)
    assert type_of(odd) == "422 invalid-request"
    assert dump(place.driver) == before
    now = late.headers["ETag"]
    assert ada.ask(method, f"{poll.path}{path}", key=poll.key, tag=now, json=body).is_success


def test_who_has_seen_a_poll_is_told_when_it_changes(place: Place) -> None:
    ada = place.somebody()
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


def test_settings_change_alone_or_together_and_null_clears(place: Place) -> None:
    ada = place.somebody()
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
def test_a_change_that_makes_no_sense_is_refused(
    place: Place, change: dict[str, object], pointers: list[str]
) -> None:
    ada = place.somebody()
    poll = ada.makes()
    before = dump(place.driver)
    answer = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=change)
    assert type_of(answer) == "422 invalid-request"
    assert places(answer) == pointers
    assert dump(place.driver) == before


def test_what_people_have_voted_on_stays(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes()
    ada.votes(poll, "Go")
    before = dump(place.driver)
    for change in ({"candidates": ["Go", "C"], "title": "Other"}, {"protection": "codes"}):
        answer = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=change)
        assert type_of(answer) == "409 settled"
    assert dump(place.driver) == before
    words = ada.ask("PATCH", poll.path, key=poll.key, tag="*", json={"title": "Other"})
    assert words.json()["title"] == "Other"


def test_a_closed_poll_takes_no_votes_until_it_is_opened_again(place: Place) -> None:
    ada, ben = place.somebody(), place.somebody()
    poll = ada.makes()
    ada.votes(poll, "Go")
    closed = ada.post(f"{poll.path}/close", key=poll.key, tag=ada.get(poll.path).headers["ETag"])
    assert closed.status_code == 200
    assert closed.json()["expiresAt"].startswith("2026-01-01T12:00")
    assert ada.get(f"{poll.path}/results").json()["isFinal"]
    again = ada.post(f"{poll.path}/close", key=poll.key, tag=closed.headers["ETag"])
    assert (again.status_code, again.json()) == (200, closed.json())
    before = dump(place.driver)
    assert type_of(ben.votes(poll, "Rust")) == "409 closed"
    assert dump(place.driver) == before
    later = {"expiresAt": "2026-01-03T00:00:00Z"}
    assert ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=later).status_code == 200
    assert ben.votes(poll, "Rust").status_code == 201
    place.clock.move(days=3)
    assert type_of(ben.votes(poll, "Go")) == "409 closed"


def test_a_deleted_poll_leaves_nothing(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes()
    for _ in range(3):
        place.somebody().votes(poll, "Go", "Rust")
    gone = ada.ask("DELETE", poll.path, key=poll.key, tag="*")
    assert (gone.status_code, gone.content) == (204, b"")
    assert dump(place.driver) == []
    assert type_of(ada.get(poll.path)) == "404 not-found"
    assert type_of(ada.ask("DELETE", poll.path, key=poll.key, tag="*")) == "404 not-found"
    assert ada.get("").json()["items"] == []


def test_of_changes_at_the_same_moment_one_is_made(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes()
    tag = ada.get(poll.path).headers["ETag"]

    def change(number: int) -> int:
        body = {"title": f"Title {number}"}
        return ada.ask("PATCH", poll.path, key=poll.key, tag=tag, json=body).status_code

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(change, range(6))) == [200, *[412] * 5]


# Whoever comes in between finds the poll there, or gone; nobody finds it broken.
def test_a_poll_may_be_deleted_while_it_is_used(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes()

    def use(number: int) -> int:
        if number % 3:
            return place.somebody().votes(poll, "Go").status_code
        return place.somebody().ask("DELETE", poll.path, key=poll.key, tag="*").status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = set(pool.map(use, range(24)))
    assert statuses <= {201, 204, 404, 409}
    assert dump(place.driver) == []


def test_the_qr_code_is_a_picture_of_the_link(place: Place) -> None:
    ada = place.somebody()
    poll, other = ada.makes(), ada.makes()
    drawn = ada.get(f"{poll.path}/qr.svg")
    assert drawn.headers["Content-Type"] == "image/svg+xml"
    assert ET.fromstring(drawn.text).tag == "{http://www.w3.org/2000/svg}svg"
    assert drawn.text != ada.get(f"{other.path}/qr.svg").text
