"""What services of all apps use."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

# Called with the current revision; raises if the edit was based on another.
RevisionCheck: TypeAlias = Callable[[int], None]


def any_revision(_: int) -> None:
    """Accept every revision."""


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)
