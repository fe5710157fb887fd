"""Sessions with clients that run as programs of their own, with their own dependencies."""

from __future__ import annotations

import pytest

from tests.clients.endpoint import Endpoint
from tools.testing.programs import SESSIONS, ClientMissing, installed, node, run_session


def test_aws_sdk_for_javascript(endpoint: Endpoint) -> None:
    packages = {"NODE_PATH": str(installed("aws-sdk/node_modules"))}
    run_session([node(), SESSIONS / "with_aws_sdk.cjs"], endpoint.environment | packages)


# aioboto3 pins its own botocore, and uses aiohttp.
@pytest.mark.parametrize("client", ["aioboto3", "pynamodb"])
def test_python_client(client: str, endpoint: Endpoint) -> None:
    python, session = installed(f"{client}/bin/python"), SESSIONS / f"with_{client}.py"
    run_session([python, session], endpoint.environment)


def test_missing_client_is_named() -> None:
    with pytest.raises(ClientMissing, match=r"\.peers/nobody/bin/python.*`make test-all` installs"):
        installed("nobody/bin/python")


def test_missing_node_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ClientMissing, match=r"Node\.js.*`make test-all` installs it"):
        node()
