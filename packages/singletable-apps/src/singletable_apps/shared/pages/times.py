"""Times in the reader's time zone, for reading and for `datetime-local` fields."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from fastapi import Request
from markupsafe import Markup

from singletable_apps.shared.languages import ENGLISH, Language
from singletable_apps.shared.service import time_zone_names

# A script sets this cookie. Without scripts, times are in UTC.
_COOKIE = "zone"
UTC = ZoneInfo("UTC")


def zone_named(name: str) -> ZoneInfo:
    """Return the time zone of this name, or UTC if it does not exist."""
    return ZoneInfo(name) if name in time_zone_names() else UTC


def request_time_zone(request: Request) -> ZoneInfo:
    """Return the time zone of the reader's browser, or UTC if it is unknown."""
    return zone_named(request.cookies.get(_COOKIE, ""))


@dataclass(frozen=True, slots=True)
class LocalTime:
    """A time in a time zone, formatted for people in their language."""

    at: datetime
    zone: ZoneInfo
    language: Language = ENGLISH

    @property
    def local(self) -> datetime:
        """Return the time on the clocks of the zone."""
        return self.at.astimezone(self.zone)

    @property
    def iso(self) -> str:
        """Return `2026-11-15T10:30:00Z`."""
        return self.at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def day(self) -> str:
        """Return `15 November 2026`."""
        return self.language.date(self.local, "d MMMM y")

    @property
    def long(self) -> str:
        """Return `15 November 2026, 11:30 CET`."""
        return f"{self.day}, {self.local:%H:%M} {_zone_name(self.local)}"

    @property
    def utc(self) -> str:
        """Return `15 November 2026, 10:30 UTC`."""
        return LocalTime(self.at, UTC, self.language).long

    @property
    def html(self) -> Markup:
        """Return a `<time>` element, with UTC in its tooltip."""
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            self.iso, self.utc, self.long
        )

    @property
    def html_with_utc(self) -> Markup:
        """Return a `<time>` element, followed by UTC if that differs."""
        if self.local.utcoffset() == self.at.astimezone(UTC).utcoffset():
            return self.html
        return Markup('{} <span class="utc">{}</span>').format(self.html, self.utc)


def _zone_name(local: datetime) -> str:
    """Return `CET` if the zone has such a name, or else `UTC+05:45`."""
    name = local.tzname() or "UTC"
    return name if name.isalpha() else f"UTC{local:%z}"[:6] + ":" + f"{local:%z}"[3:]


def format_local_time(at: datetime, zone: ZoneInfo) -> str:
    """Return a time as the value of a `datetime-local` field."""
    return at.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes")
