"""The worlds that these tests are tried in."""

from __future__ import annotations

from tests.apps.support.elections.fixtures import far_end, memory, world

__all__ = ["far_end", "memory", "world"]
