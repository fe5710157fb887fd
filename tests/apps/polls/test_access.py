"""Pages of other sites change nothing: they can send no unsafe request to any route."""

from __future__ import annotations

from tests.apps.polls.pages.client import HOME, Server, shared_app
from tests.apps.support.access import AccessCheck, routes_of


def test_pages_of_other_sites_change_nothing() -> None:
    server = Server()
    poll_id = str(server.poll().poll.id)
    table = dict.fromkeys(routes_of(shared_app()), frozenset({"nobody"}))
    values = {"poll_id": poll_id}
    access = AccessCheck(
        shared_app(), table, {}, {}, {}, values, [], "/api/polls", "/polls", "x", HOME
    )
    assert access.forged("nobody") == []
