"""Dates and datetimes: formats, precision, time zones and parsing."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given

from dynamodb_engine.values import check_value
from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import TimeFormat, codec_of
from tests.schema.codec.strategies import datetimes

FINEST = {
    TimeFormat.MICROSECONDS: timedelta(microseconds=1),
    TimeFormat.MILLISECONDS: timedelta(milliseconds=1),
    TimeFormat.SECONDS: timedelta(seconds=1),
    TimeFormat.EPOCH_SECONDS: timedelta(seconds=1),
    TimeFormat.EPOCH_MILLISECONDS: timedelta(milliseconds=1),
}
NOON = datetime(2026, 11, 15, 12, 30, 15, 123456, tzinfo=UTC)
every_format = pytest.mark.parametrize("form", TimeFormat)


# The value of each member is an example.
@every_format
def test_stored_text_has_the_declared_format(form: TimeFormat) -> None:
    (content,) = (
        codec_of(datetime, time_format=form).encode(datetime(2026, 11, 15, 5, tzinfo=UTC)).values()
    )
    assert content == form.value


@every_format
@given(time=datetimes())
def test_finer_datetime_is_rejected_or_rounded_down(form: TimeFormat, time: datetime) -> None:
    exact, rounding = (codec_of(datetime, time_format=form, rounds=one) for one in (False, True))
    stored = rounding.encode(time)
    check_value(stored)
    read = rounding.decode(stored)
    assert isinstance(read, datetime)
    assert read.tzinfo is UTC
    assert timedelta(0) <= time - read < FINEST[form]
    if read == time:
        assert exact.encode(time) == stored
    else:
        with pytest.raises(InvalidValue, match=r"in whole .*seconds.*time\.replace\(microsecond="):
            exact.encode(time)
    assert exact.encode(read) == stored


# A sort key needs texts that sort chronologically.
@pytest.mark.parametrize(
    "form", [TimeFormat.MICROSECONDS, TimeFormat.MILLISECONDS, TimeFormat.SECONDS]
)
@given(one=datetimes(), two=datetimes())
def test_texts_sort_chronologically(form: TimeFormat, one: datetime, two: datetime) -> None:
    codec = codec_of(datetime, time_format=form, rounds=True)
    earlier, later = sorted((one, two))
    assert codec.encode(earlier)["S"] <= codec.encode(later)["S"]


class Nowhere(tzinfo):
    """A time zone without an offset."""

    def utcoffset(self, time: datetime | None) -> None:
        return None

    dst = utcoffset
    tzname = utcoffset


@pytest.mark.parametrize("zone", [None, Nowhere()])
def test_naive_datetime_is_rejected_with_advice(zone: tzinfo | None) -> None:
    with pytest.raises(InvalidValue, match=r"which has none. Use datetime.now\(UTC\)"):
        codec_of(datetime).encode(NOON.replace(tzinfo=zone))


def test_datetime_before_year_one_in_utc_is_rejected() -> None:
    with pytest.raises(InvalidValue, match="outside the years 1 to 9999"):
        codec_of(datetime).encode(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))))


@pytest.mark.parametrize(
    ("text", "time"),
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
def test_any_rfc_3339_text_is_parsed(form: TimeFormat, text: str, time: datetime) -> None:
    read = codec_of(datetime, time_format=form).decode({"S": text})
    assert isinstance(read, datetime)
    assert read == time
    assert read.tzinfo is UTC


@pytest.mark.parametrize(
    "text", ["2026-11-15T12:30:15", "2026-11-15", "noon", "", "0001-01-01T00:00:00+14:00"]
)
def test_other_text_is_a_mismatch(text: str) -> None:
    with pytest.raises(ItemMismatch, match="expected a time such as 2026"):
        codec_of(datetime).decode({"S": text})


# Other programs store fractions of seconds: time.time() in Python returns them.
def test_stored_seconds_may_have_a_fraction() -> None:
    codec = codec_of(datetime, time_format=TimeFormat.EPOCH_SECONDS)
    assert codec.decode({"N": "1794718800.25"}) == datetime(2026, 11, 15, 5, 0, 0, 250000, UTC)


@pytest.mark.parametrize("text", ["1E100", "-1E100", "99999999999999"])
def test_number_outside_the_calendar_is_a_mismatch(text: str) -> None:
    with pytest.raises(ItemMismatch, match="expected a time in seconds since 1970"):
        codec_of(datetime, time_format=TimeFormat.EPOCH_SECONDS).decode({"N": text})


def test_datetime_for_date_is_rejected_with_advice() -> None:
    with pytest.raises(InvalidValue, match=r"Take its date: time.date\(\)"):
        codec_of(date).encode(NOON)
