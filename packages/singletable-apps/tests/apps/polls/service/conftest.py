"""Fixtures for tests with faults and conflicts."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the waits between attempts."""
    monkeypatch.setattr("time.sleep", lambda _: None)
