"""A client that is not installed is an error that says what installs it."""

from __future__ import annotations

import pytest

from tests.clients.installed import ClientMissing, installed, node


def test_a_missing_client_is_named() -> None:
    with pytest.raises(ClientMissing, match=r"\.peers/nobody/bin/python.*`make test` installs"):
        installed("nobody/bin/python")


def test_missing_node_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ClientMissing, match=r"Node\.js.*`make test` installs it"):
        node()
