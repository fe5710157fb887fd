"""Moments and days: their forms, what is cut off, and what is read."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import TimeFormat, codec_of
from singletable.values import check_value
from tests.schema.codec.values import moments

FINEST = {
    TimeFormat.MICROSECONDS: timedelta(microseconds=1),
    TimeFormat.MILLISECONDS: timedelta(milliseconds=1),
    TimeFormat.SECONDS: timedelta(seconds=1),
    TimeFormat.EPOCH_SECONDS: timedelta(seconds=1),
    TimeFormat.EPOCH_MILLISECONDS: timedelta(milliseconds=1),
}
NOON = datetime(2026, 11, 15, 12, 30, 15, 123456, tzinfo=UTC)
every_form = pytest.mark.parametrize("form", TimeFormat)


# The member's own value shows the form.
@every_form
def test_a_form_is_as_it_is_shown(form: TimeFormat) -> None:
    (content,) = (
        codec_of(datetime, time_format=form).encode(datetime(2026, 11, 15, 5, tzinfo=UTC)).values()
    )
    assert content == form.value


@every_form
@given(moment=moments())
def test_finer_digits_are_cut_off_towards_the_past(form: TimeFormat, moment: datetime) -> None:
    codec = codec_of(datetime, time_format=form)
    held = codec.encode(moment)
    check_value(held)
    read = codec.decode(held)
    assert isinstance(read, datetime)
    assert read.tzinfo is UTC
    assert timedelta(0) <= moment - read < FINEST[form]


# Texts of one form sort as the moments do, which is what a sort key needs.
@pytest.mark.parametrize(
    "form", [TimeFormat.MICROSECONDS, TimeFormat.MILLISECONDS, TimeFormat.SECONDS]
)
@given(one=moments(), two=moments())
def test_texts_sort_as_time_does(form: TimeFormat, one: datetime, two: datetime) -> None:
    codec = codec_of(datetime, time_format=form)
    earlier, later = sorted((one, two))
    assert codec.encode(earlier)["S"] <= codec.encode(later)["S"]


class Nowhere(tzinfo):
    """A zone that does not know its offset."""

    def utcoffset(self, moment: datetime | None) -> None:
        return None

    dst = utcoffset
    tzname = utcoffset


@pytest.mark.parametrize("zone", [None, Nowhere()])
def test_a_moment_without_a_zone_is_refused_with_what_to_do(zone: tzinfo | None) -> None:
    with pytest.raises(InvalidValue, match=r"which has none. Say which zone .*datetime.now\(UTC\)"):
        codec_of(datetime).encode(NOON.replace(tzinfo=zone))


def test_a_moment_before_the_first_year_in_utc_is_refused() -> None:
    with pytest.raises(InvalidValue, match="outside of the years 1 to 9999"):
        codec_of(datetime).encode(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-15T12:30:15.123456Z", NOON),
        ("2026-11-15T12:30:15.123456+00:00", NOON),
        ("2026-11-15T14:30:15.123456+02:00", NOON),
        ("2026-11-15 07:00:15.123456-05:30", NOON),
        ("2026-11-15t12:30:15.123456z", NOON),
        ("2026-11-15T12:30:15.123456789Z", NOON),
        ("2026-11-15T12:30:15.1Z", NOON.replace(microsecond=100000)),
        ("2026-11-15T12:30:15-00:00", NOON.replace(microsecond=0)),
        ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2016-12-31T23:59:60.5Z", datetime(2017, 1, 1, 0, 0, 0, 500000, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("form", [TimeFormat.MICROSECONDS, TimeFormat.SECONDS])
def test_any_rfc_3339_text_is_read(form: TimeFormat, text: str, moment: datetime) -> None:
    read = codec_of(datetime, time_format=form).decode({"S": text})
    assert isinstance(read, datetime)
    assert read == moment
    assert read.tzinfo is UTC


@pytest.mark.parametrize(
    "text", ["2026-11-15T12:30:15", "2026-11-15", "noon", "", "0001-01-01T00:00:00+14:00"]
)
def test_other_text_is_no_moment(text: str) -> None:
    with pytest.raises(ItemMismatch, match="expected a moment such as 2026"):
        codec_of(datetime).decode({"S": text})


# Other writers put fractions into the numbers: time.time() in Python does.
def test_seconds_may_have_a_fraction_at_rest() -> None:
    codec = codec_of(datetime, time_format=TimeFormat.EPOCH_SECONDS)
    assert codec.decode({"N": "1794718800.25"}) == datetime(2026, 11, 15, 5, 0, 0, 250000, UTC)


@pytest.mark.parametrize("text", ["1E100", "-1E100", "99999999999999"])
def test_a_number_beyond_the_calendar_is_no_moment(text: str) -> None:
    with pytest.raises(ItemMismatch, match="expected a moment in seconds since 1970"):
        codec_of(datetime, time_format=TimeFormat.EPOCH_SECONDS).decode({"N": text})


def test_a_moment_is_no_day() -> None:
    with pytest.raises(InvalidValue, match=r"Take its day: moment.date\(\)"):
        codec_of(date).encode(NOON)


@given(st.sets(moments(), min_size=1, max_size=5))
def test_a_set_of_moments_has_each_once_in_its_form(several: set[datetime]) -> None:
    held = codec_of(set[datetime], time_format=TimeFormat.SECONDS).encode(several)
    check_value(held)
    assert len(held["SS"]) <= len(several)
