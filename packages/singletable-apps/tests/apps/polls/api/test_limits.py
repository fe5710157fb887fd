"""Rate limits per address: their headers, and 429 beyond them."""

from __future__ import annotations

import pytest

from singletable_apps.polls.app import APP
from singletable_apps.polls.rules import PollDraft
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.api.client import OPTIONS, Server, make_server, type_of
from tests.apps.polls.support.harness import changed, dump

NEW = {"title": "Best?", "candidates": OPTIONS}


# A limit, and a request that counts: alike requests of others behind one address count together.
@pytest.mark.parametrize(
    ("limit", "path", "body"),
    [
        ("create", "", NEW),
        ("notice", "", {**NEW, "email": "ada@example.org"}),
        ("vote", "/vote", {"rankings": ["Go"]}),
        ("comment", "/comments", {"text": "Hi"}),
    ],
)
def test_requests_are_rate_limited(limit: str, path: str, body: object) -> None:
    server = make_server(limits={limit: RateLimit("few", 2, 60)})
    poll = make_poll(server)
    at = f"{poll}{path}" if path else ""
    for left in (1, 0):
        answer = server.new_visitor().post(at, body)
        assert answer.status_code == 201
        assert limit == "notice" or answer.headers["RateLimit"].startswith(f'"few";r={left};')
    before = dump(server.world.driver)
    answer = server.new_visitor().post(at, body)
    assert type_of(answer) == "429 too-many-requests"
    assert int(answer.headers["Retry-After"]) >= 1
    assert dump(server.world.driver) == before
    assert server.new_visitor().get(poll).status_code == 200


def make_poll(server: Server) -> str:
    """Return the path of a poll that no request has created."""
    draft = changed(PollDraft("Q", OPTIONS), comments=True)
    return f"/{server.polls.lifecycle.create(draft).poll.id}"


def test_voting_limit_allows_a_class_behind_one_address() -> None:
    limit = APP.make_limits()["vote"]
    assert limit is not None
    assert len([limit.hit("192.0.2.1") for _ in range(40)]) == 40
