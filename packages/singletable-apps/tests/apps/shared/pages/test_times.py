"""Times are shown in the reader's time zone, and in UTC for programs."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from singletable_apps.shared.pages import LocalTime
from singletable_apps.shared.pages.templating import make_environment
from singletable_apps.shared.pages.times import zone_named

AT = datetime(2026, 11, 15, 20, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("UTC", "15 November 2026, 20:30 UTC"),
        ("Europe/Berlin", "15 November 2026, 21:30 CET"),
        ("Asia/Kathmandu", "16 November 2026, 02:15 UTC+05:45"),
        ("America/Sao_Paulo", "15 November 2026, 17:30 UTC-03:00"),
    ],
)
def test_time_as_text(zone: str, words: str) -> None:
    assert LocalTime(AT, ZoneInfo(zone)).long == words


def test_time_is_a_time_element() -> None:
    assert LocalTime(AT, ZoneInfo("Europe/Berlin")).html == (
        '<time datetime="2026-11-15T20:30:00Z" title="15 November 2026, 20:30 UTC">'
        "15 November 2026, 21:30 CET</time>"
    )


def test_utc_is_added_if_the_time_zone_differs() -> None:
    assert (
        '<span class="utc">15 November 2026, 20:30 UTC</span>'
        in LocalTime(AT, ZoneInfo("Europe/Berlin")).html_with_utc
    )
    assert "span" not in LocalTime(AT, ZoneInfo("UTC")).html_with_utc


@pytest.mark.parametrize("name", ["day", "moment", "moment_with_utc"])
def test_filters_show_a_date_as_its_day_in_every_time_zone(name: str) -> None:
    template = make_environment([], {}).from_string("{{ on | " + name + " }}")
    shown = template.render(on=date(2026, 11, 15), zone=ZoneInfo("America/New_York"))
    assert shown == "15 November 2026"


@pytest.mark.parametrize("name", ["", "Mars/Base", "../../etc/passwd", "/etc/localtime", "x" * 999])
def test_unknown_time_zone_is_utc(name: str) -> None:
    assert zone_named(name) == ZoneInfo("UTC")
