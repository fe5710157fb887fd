"""What the tests of the driver share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.remote.faces import Asking, in_a_thread, on_a_loop

# What botocore and urllib would find around us.
_FROM_AROUND = ("AWS_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy")


@pytest.fixture(autouse=True)
def _nothing_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration but that of the test."""
    for name in os.environ:
        if name.startswith(_FROM_AROUND):
            monkeypatch.delenv(name)
    nowhere = tmp_path / "none"
    monkeypatch.setenv("AWS_CONFIG_FILE", str(nowhere))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(nowhere))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(params=[in_a_thread, on_a_loop], ids=["thread", "loop"])
def ask(request: pytest.FixtureRequest) -> Asking:
    """How operations are asked: by each face of the driver."""
    asking: Asking = request.param
    return asking
