"""Fixtures for tests of the log and the projection, on every driver."""

from __future__ import annotations

from tests.apps.support.elections.fixtures import far_end, memory, world

__all__ = ["far_end", "memory", "world"]
