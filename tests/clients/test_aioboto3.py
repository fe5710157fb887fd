"""A session with aioboto3, which pins a botocore of its own and speaks through aiohttp."""

from __future__ import annotations

from tests.clients.endpoint import Endpoint
from tests.clients.installed import SESSIONS, installed, run_session


def test_a_session(endpoint: Endpoint) -> None:
    run_session([installed("aioboto3/bin/python"), SESSIONS / "with_aioboto3.py"], endpoint)
