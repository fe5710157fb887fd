"""A session with PynamoDB: models, attributes and transactions as classes."""

from __future__ import annotations

from tests.clients.endpoint import Endpoint
from tests.clients.installed import SESSIONS, installed, run_session


def test_a_session(endpoint: Endpoint) -> None:
    run_session([installed("pynamodb/bin/python"), SESSIONS / "with_pynamodb.py"], endpoint)
