"""A poll over HTTP: read, changed with If-Match, closed and deleted."""

from __future__ import annotations

import pytest

from tests.apps.polls.api.client import Server, places, type_of
from tests.apps.polls.support.harness import dump


def test_poll_id_is_case_insensitive(server: Server) -> None:
    poll = server.new_visitor().makes()
    for written in (poll.path.upper(), poll.path.replace("-", "")):
        assert server.new_visitor().get(written).json()["id"] == poll.path[1:]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("PATCH", "", {"title": "Other"}), ("DELETE", "", None), ("POST", "/close", None)],
)
def test_edit_requires_if_match(server: Server, method: str, path: str, body: object) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    tag = ada.get(poll.path).headers["ETag"]
    assert (
        ada.ask("PATCH", poll.path, key=poll.key, tag=tag, json={"title": "New"}).status_code == 200
    )
    before = dump(server.world.driver)
    late = ada.ask(method, f"{poll.path}{path}", key=poll.key, tag=tag, json=body)
    assert type_of(late) == "412 precondition-failed"
    assert late.headers["ETag"] == ada.get(poll.path).headers["ETag"]
    none = ada.ask(method, f"{poll.path}{path}", key=poll.key, json=body)
    assert type_of(none) == "428 precondition-required"
    assert places(none) == ["If-Match"]
    odd = ada.ask(method, f"{poll.path}{path}", key=poll.key, tag="7", json=body)
    assert type_of(odd) == "422 invalid-request"
    assert dump(server.world.driver) == before
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


def test_poll_is_closed_and_reopened(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    closed = ada.post(f"{poll.path}/close", key=poll.key, tag=ada.get(poll.path).headers["ETag"])
    assert closed.status_code == 200
    assert closed.json()["expiresAt"].startswith("2026-01-01T12:00")
    assert ada.get(f"{poll.path}/results").json()["isFinal"]
    again = ada.post(f"{poll.path}/close", key=poll.key, tag=closed.headers["ETag"])
    assert (again.status_code, again.json()) == (200, closed.json())
    later = {"expiresAt": "2026-01-03T00:00:00Z"}
    assert ada.ask("PATCH", poll.path, key=poll.key, tag="*", json=later).status_code == 200
    assert ada.votes(poll, "Rust").status_code == 201
