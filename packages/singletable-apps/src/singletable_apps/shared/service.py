"""Helpers for the services of all apps: revision checks, the clock, time zones, lookups."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import TypeAlias, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from singletable import ConnectionFailed, InternalError
from singletable_apps.shared.errors import NotFound

T = TypeVar("T")

# After one of these errors a write may or may not have been applied.
UNKNOWN_OUTCOME = (InternalError, ConnectionFailed)
# Called with the current revision; raises if the edit was based on another.
RevisionCheck: TypeAlias = Callable[[int], None]


def any_revision(_: int) -> None:
    """Accept every revision."""


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@cache
def time_zone_names() -> frozenset[str]:
    """Return the names of all time zones; finding them opens some hundred files."""
    return frozenset(available_timezones())


class NonexistentTime(ValueError):
    """The time is skipped when clocks go forward."""


def parse_local_time(text: str, zone: ZoneInfo) -> datetime:
    """Parse a time as people enter it. Raise ValueError if clocks in the zone show no such time."""
    typed = datetime.fromisoformat(text)
    try:
        time = typed.replace(tzinfo=typed.tzinfo or zone).astimezone(UTC)
    except OverflowError:
        raise ValueError("Choose a year between 1 and 9999.") from None
    if typed.tzinfo is not None:
        return time
    if time.astimezone(zone).replace(tzinfo=None) != typed:
        raise NonexistentTime(
            f"Clocks go forward on that day in {zone.key}, so {typed:%H:%M} does not exist."
        )
    return time


def check_found(item: T | None, text: str) -> T:
    """Return an item that was read, or raise NotFound."""
    if item is None:
        raise NotFound(text)
    return item


def is_uuid(text: str) -> bool:
    """Return whether a text is a UUID in its canonical form."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
