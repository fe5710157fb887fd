"""Times as people read them: in the zone of who reads, with UTC beside."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from fastapi import Request
from markupsafe import Markup

# A small script says it; without scripts it is UTC.
COOKIE = "zone"
UTC = ZoneInfo("UTC")


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def zone_named(name: str) -> ZoneInfo:
    """The zone of this name; UTC if there is none."""
    return ZoneInfo(name) if name in _zones() else UTC


def request_time_zone(request: Request) -> ZoneInfo:
    """The zone of who asks, as the browser told; UTC if it did not."""
    return zone_named(request.cookies.get(COOKIE, ""))


@dataclass(frozen=True, slots=True)
class LocalTime:
    """A moment in a zone, in words."""

    at: datetime
    zone: ZoneInfo

    @property
    def machine(self) -> str:
        """As programs read it."""
        return self.at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def day(self) -> str:
        """As `15 November 2026`."""
        local = self.at.astimezone(self.zone)
        return f"{local.day} {local:%B %Y}"

    @property
    def short(self) -> str:
        """As `15 Nov 2026, 11:30`, without the zone."""
        local = self.at.astimezone(self.zone)
        return f"{local.day} {local:%b %Y, %H:%M}"

    @property
    def words(self) -> str:
        """As `15 November 2026, 11:30 CET`."""
        local = self.at.astimezone(self.zone)
        return f"{self.day}, {local:%H:%M} {_zone_words(local)}"

    @property
    def utc(self) -> str:
        """As `15 Nov 2026, 10:30 UTC`."""
        return f"{LocalTime(self.at, UTC).short} UTC"

    @property
    def html(self) -> Markup:
        """The element: the moment in its zone; UTC is one look away."""
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            self.machine, self.utc, self.words
        )

    @property
    def html_with_utc(self) -> Markup:
        """The element, and UTC beside where it says something else."""
        if self.at.astimezone(self.zone).utcoffset() == self.at.astimezone(UTC).utcoffset():
            return self.html
        return Markup('{} <span class="utc">{}</span>').format(self.html, self.utc)


def _zone_words(local: datetime) -> str:
    """As `CET` where the zone has such a name, else as `UTC+05:45`."""
    name = local.tzname() or "UTC"
    return name if name.isalpha() else f"UTC{local:%z}"[:6] + ":" + f"{local:%z}"[3:]


def typed_in(text: str, zone: ZoneInfo) -> datetime:
    """The moment that somebody typed into a `datetime-local`, in a zone; ValueError if none."""
    typed = datetime.fromisoformat(text)
    try:
        moment = typed.replace(tzinfo=typed.tzinfo or zone).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text} is before the first year in UTC, or after the last.") from None
    if typed.tzinfo is not None:
        return moment
    if moment.astimezone(zone).replace(tzinfo=None) != typed:
        raise ValueError(
            f"There is no {typed:%H:%M} on that day in {zone.key}: clocks are put forward then."
        )
    return moment


def typed_as(at: datetime, zone: ZoneInfo) -> str:
    """The moment as a `datetime-local` has it, in a zone."""
    return at.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes")
