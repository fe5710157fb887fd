"""What the tests of all apps use: drivers, quick passwords, one event loop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anyio.from_thread import start_blocking_portal
from fastapi.testclient import TestClient

from singletable_apps.shared.accounts import Passwords
from tools.testing.drivers import drivers as drivers
from tools.testing.drivers import far_end as far_end


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the backoff of stores."""
    monkeypatch.setattr("time.sleep", [].append)


@pytest.fixture(scope="session", autouse=True)
def password_cost() -> Iterator[tuple[int, ...]]:
    """Hash passwords quickly where a test does not say how, and yield the real defaults."""
    function = Passwords.__init__
    with pytest.MonkeyPatch.context() as patch:
        defaults: tuple[int, ...] = function.__defaults__ or ()
        patch.setattr(function, "__defaults__", (64, 1, *defaults[2:]))
        yield defaults


@pytest.fixture(scope="session", autouse=True)
def event_loop_of_clients() -> Iterator[None]:
    """Let all clients share one event loop: one loop and its threads per request cost more time.

    A server has one event loop for all requests too.
    """
    with start_blocking_portal() as portal:
        TestClient.portal = portal
        yield
        TestClient.portal = None
