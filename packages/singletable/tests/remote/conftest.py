"""Fixtures for the tests of the remote drivers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.remote.drivers import Send, send_async, send_sync

# Environment variables that botocore and urllib read.
_VARIABLES = ("AWS_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove the AWS and proxy configuration of the environment."""
    for name in os.environ:
        if name.startswith(_VARIABLES):
            monkeypatch.delenv(name)
    missing = tmp_path / "none"
    monkeypatch.setenv("AWS_CONFIG_FILE", str(missing))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(missing))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(params=[send_sync, send_async], ids=["sync", "async"])
def send(request: pytest.FixtureRequest) -> Send:
    """Return a function that sends operations, with each kind of driver in turn."""
    function: Send = request.param
    return function
