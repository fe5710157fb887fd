"""Rate limits per address: their headers, and 429 beyond them."""

from __future__ import annotations

from singletable_apps.polls.app import APP
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.api.client import OPTIONS, make_server, type_of
from tests.apps.polls.support.harness import dump


def test_creating_polls_is_rate_limited() -> None:
    server = make_server(limits={"create": RateLimit("make", 2, 60)})
    ada = server.new_visitor()
    poll = ada.makes()
    new = {"title": "Best?", "candidates": OPTIONS}
    made = ada.post("", new)
    assert made.headers["RateLimit-Policy"] == '"make";q=2;w=60'
    assert made.headers["RateLimit"].startswith('"make";r=0;')
    before = dump(server.world.driver)
    answer = server.new_visitor().post("", new)
    assert type_of(answer) == "429 too-many-requests"
    assert int(answer.headers["Retry-After"]) >= 1
    assert "RateLimit" in answer.headers
    assert dump(server.world.driver) == before
    assert ada.votes(poll, "Go").status_code == 201


# Each sends an e-mail to an address that anyone can enter.
def test_polls_with_notices_are_rate_limited() -> None:
    ada = make_server(limits={"notice": RateLimit("notice", 1, 60)}).new_visitor()
    new = {"title": "Best?", "candidates": OPTIONS}
    statuses = [ada.post("", {**new, "email": f"{name}@example.org"}).status_code for name in "ab"]
    assert (statuses, ada.post("", new).status_code) == ([201, 429], 201)


def test_voting_is_rate_limited() -> None:
    server = make_server(limits={"vote": RateLimit("vote", 2, 60)})
    poll = server.new_visitor().makes()
    for left in (1, 0):
        vote = server.new_visitor().votes(poll, "Go")
        assert vote.headers["RateLimit"].startswith(f'"vote";r={left};')
    before = dump(server.world.driver)
    assert type_of(server.new_visitor().votes(poll, "Go")) == "429 too-many-requests"
    assert dump(server.world.driver) == before
    assert server.new_visitor().get(f"{poll.path}/results").status_code == 200


def test_voting_limit_allows_a_class_behind_one_address() -> None:
    limit = APP.make_limits()["vote"]
    assert limit is not None
    assert len([limit.hit("192.0.2.1") for _ in range(40)]) == 40
