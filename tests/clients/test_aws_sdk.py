"""A session with the JavaScript SDK: the client of commands, and the document client upon it."""

from __future__ import annotations

from tests.clients.endpoint import Endpoint
from tests.clients.installed import SESSIONS, installed, node, run_session


def test_a_session(endpoint: Endpoint) -> None:
    packages = installed("aws-sdk/node_modules")
    run_session([node(), SESSIONS / "with_aws_sdk.cjs"], endpoint, NODE_PATH=str(packages))
