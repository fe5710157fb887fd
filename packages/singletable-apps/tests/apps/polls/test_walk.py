"""A vote takes the way that ARCHITECTURE.md describes."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.web.threads import Threads
from tests.apps.polls.api.client import make_server
from tools.testing.walks import missing_stops, traced


def test_vote_takes_the_described_way() -> None:
    server = make_server()
    poll = server.new_visitor().makes()
    with pytest.MonkeyPatch.context() as patch, traced() as trace:
        # New threads, which are traced.
        patch.setattr(TestClient, "portal", None)
        patch.setattr("singletable_apps.shared.web.threads._threads", Threads())
        assert server.new_visitor().votes(poll, "Go", "Rust").status_code == 201
    assert missing_stops("A vote", trace) == []
