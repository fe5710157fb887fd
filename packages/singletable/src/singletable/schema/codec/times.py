"""Codecs of dates, datetimes and timedeltas.

A datetime is stored in UTC, in a format whose texts sort chronologically. A datetime that is finer
than the format is rejected, except in fields that have a role, such as `updated()`: these are
rounded down, and the store assigns the rounded time to the instance. Datetimes are read back in
UTC, from any RFC 3339 text that has an offset. A timedelta is stored as a number of seconds, exact
to the microsecond.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import cast

from msgspec import to_builtins

from dynamodb_engine.values import canonical_number
from singletable.errors import InvalidValue
from singletable.schema.codec.codec import (
    Codec,
    SourceBuilder,
    invalid_value,
    scalar_codec,
    short_repr,
)

DATETIME_TYPE = "a datetime with a time zone"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MILLISECOND = timedelta(milliseconds=1)
MICROSECOND = timedelta(microseconds=1)
FULL_LENGTH = len("2026-11-15T05:00:00.000000Z")


class TimeFormat(Enum):
    """How a datetime is stored; the value is an example."""

    MICROSECONDS = "2026-11-15T05:00:00.000000Z"
    MILLISECONDS = "2026-11-15T05:00:00.000Z"
    SECONDS = "2026-11-15T05:00:00Z"
    EPOCH_SECONDS = "1794718800"
    EPOCH_MILLISECONDS = "1794718800000"


def in_utc(time: datetime) -> datetime:
    """Return the datetime in UTC; raise InvalidValue if it has no time zone."""
    if time.utcoffset() is None:
        raise InvalidValue(
            f"expected {DATETIME_TYPE}, but got {short_repr(time)}, which has none. Use "
            "datetime.now(UTC), or time.replace(tzinfo=UTC) for a time that is in UTC."
        )
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise InvalidValue(
            f"expected {DATETIME_TYPE}, but {short_repr(time)} is outside the years 1 to 9999 in "
            "UTC."
        ) from None


def _utc(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise invalid_value(DATETIME_TYPE, value)
    return value if value.tzinfo is UTC else in_utc(value)


def _microseconds(value: object) -> str:
    # Ten times as fast as `isoformat`, but it leaves out microseconds that are zero.
    is_utc = type(value) is datetime and value.tzinfo is UTC
    text = cast(str, to_builtins(value if is_utc else _utc(value)))
    return text if len(text) == FULL_LENGTH else f"{text[:19]}.000000Z"


_PRECISION = {
    TimeFormat.MICROSECONDS: MICROSECOND,
    TimeFormat.MILLISECONDS: MILLISECOND,
    TimeFormat.SECONDS: SECOND,
    TimeFormat.EPOCH_SECONDS: SECOND,
    TimeFormat.EPOCH_MILLISECONDS: MILLISECOND,
}


def _whole_milliseconds(value: object) -> str:
    text = _microseconds(value)
    if text[23:26] != "000":
        raise _too_fine(value, TimeFormat.MILLISECONDS)
    return f"{text[:23]}Z"


def _whole_seconds(value: object) -> str:
    text = _microseconds(value)
    if text[20:26] != "000000":
        raise _too_fine(value, TimeFormat.SECONDS)
    return f"{text[:19]}Z"


def _epoch(value: object, time_format: TimeFormat) -> str:
    if type(value) is datetime and value.tzinfo is UTC and not value.microsecond:
        seconds = int(value.timestamp())  # exact, and a third of the time of a division
        return str(seconds if time_format is TimeFormat.EPOCH_SECONDS else seconds * 1_000)
    elapsed, rest = divmod(_utc(value) - EPOCH, _PRECISION[time_format])
    if rest:
        raise _too_fine(value, time_format)
    return str(elapsed)


def _too_fine(value: object, time_format: TimeFormat) -> InvalidValue:
    whole, round_ = "seconds", "time.replace(microsecond=0)"
    if _PRECISION[time_format] is MILLISECOND:
        whole = "milliseconds"
        round_ = "time.replace(microsecond=time.microsecond // 1000 * 1000)"
    return InvalidValue(
        f"expected a datetime in whole {whole}, because TimeFormat.{time_format.name} stores no "
        f"finer ones, but got {short_repr(value)}. Write {round_}, or declare a finer time_format."
    )


_WRITERS: dict[TimeFormat, Callable[[object], str]] = {
    TimeFormat.MICROSECONDS: _microseconds,
    TimeFormat.MILLISECONDS: _whole_milliseconds,
    TimeFormat.SECONDS: _whole_seconds,
    TimeFormat.EPOCH_SECONDS: lambda value: _epoch(value, TimeFormat.EPOCH_SECONDS),
    TimeFormat.EPOCH_MILLISECONDS: lambda value: _epoch(value, TimeFormat.EPOCH_MILLISECONDS),
}


def writer_of(time_format: TimeFormat, *, rounds: bool = False) -> Callable[[object], str]:
    """Return the function that writes a datetime in this format, rounded down or else exactly."""
    write = _WRITERS[time_format]

    def write_rounded(value: object) -> str:
        time = _utc(value)
        return write(time - (time - EPOCH) % _PRECISION[time_format] if time.microsecond else time)

    return write_rounded if rounds and time_format is not TimeFormat.MICROSECONDS else write


def parse_datetime(text: str) -> datetime:
    """Return the datetime in UTC; raise ValueError if the text is not one with an offset."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is UTC:
        return time
    if time.tzinfo is None:
        raise ValueError("no offset")
    return time.astimezone(UTC)


def _parse_lenient(text: str) -> datetime:
    """Parse lowercase letters and leap seconds (:60) too, which RFC 3339 allows."""
    text = text.upper()
    if text[16:19] == ":60":
        return parse_datetime(f"{text[:16]}:59{text[19:]}") + SECOND
    return parse_datetime(text)


def _from_seconds(text: str) -> datetime:
    if text.isascii() and text.isdigit():
        return EPOCH + timedelta(seconds=int(text))
    return EPOCH + timedelta(microseconds=int(Decimal(canonical_number(text)) * 1_000_000))


def _from_milliseconds(text: str) -> datetime:
    return EPOCH + timedelta(microseconds=int(Decimal(canonical_number(text)) * 1_000))


def datetime_codec(time_format: TimeFormat, *, rounds: bool = False) -> Codec:
    """Return the codec of datetimes in this format, which finer ones are rounded down to."""
    tag, parse = "N", _from_milliseconds
    if time_format is TimeFormat.EPOCH_SECONDS:
        stored, parse = "a time in seconds since 1970 (N)", _from_seconds
    elif time_format is TimeFormat.EPOCH_MILLISECONDS:
        stored = "a time in milliseconds since 1970 (N)"
    else:
        tag, parse = "S", _parse_lenient
        stored = f"a time such as {time_format.value}, with its offset from UTC, as a string (S)"
    write = writer_of(time_format, rounds=rounds)
    fast_parse = parse_datetime if tag == "S" else parse

    def encode_expression(source: SourceBuilder, name: str) -> str:
        return f'{{"{tag}": {source.bind(write, time_format.name.lower())}({name})}}'

    def content_expression(source: SourceBuilder, content: str) -> str:
        parse_time = source.bind(fast_parse, "parse_time")
        if tag == "N":
            return f"{parse_time}({content})"
        # Nearly all stored times are in UTC.
        time, utc = source.new_variable("time"), source.bind(UTC, "UTC")
        parsed = f"({time} := {source.bind(datetime.fromisoformat, 'time')}({content}))"
        return f"({time} if {parsed}.tzinfo is {utc} else {parse_time}({content}))"

    return scalar_codec(
        tag,
        write,
        parse,
        expects=DATETIME_TYPE,
        stored=stored,
        encode_expression=encode_expression,
        content_expression=content_expression,
    )


def _encode_date(value: object) -> str:
    if isinstance(value, datetime):
        raise invalid_value("a date", value, "Take its date: time.date().")
    if not isinstance(value, date):
        raise invalid_value("a date", value)
    return value.isoformat()


def _date_expression(source: SourceBuilder, name: str) -> str:
    kind = source.bind(date, "date")
    return f'{{"S": {name}.isoformat()}} if {name}.__class__ is {kind} else fail()'


DATE = scalar_codec(
    "S",
    _encode_date,
    date.fromisoformat,
    expects="a date",
    stored="a date such as 2026-11-15, as a string (S)",
    encode_expression=_date_expression,
    content_expression=lambda source, content: (
        f"{source.bind(date.fromisoformat, 'date')}({content})"
    ),
)


def _encode_timedelta(value: object) -> str:
    if not isinstance(value, timedelta):
        advice = ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            advice = f"Write timedelta(seconds={value!r})."
        raise invalid_value("a timedelta", value, advice)
    seconds, microseconds = divmod(abs(value) // MICROSECOND, 1_000_000)
    sign = "-" if value < timedelta() else ""
    fraction = f".{microseconds:06d}".rstrip("0") if microseconds else ""
    return f"{sign}{seconds}{fraction}"


def _parse_timedelta(text: str) -> timedelta:
    # Rounded as timedelta() itself does: other programs may store the digits of a float.
    return timedelta(microseconds=round(Decimal(canonical_number(text)) * 1_000_000))


TIMEDELTA = scalar_codec(
    "N",
    _encode_timedelta,
    _parse_timedelta,
    expects="a timedelta",
    stored="a number of seconds (N)",
    encode_expression=lambda source, name: (
        f'{{"N": {source.bind(_encode_timedelta, "timedelta")}({name})}}'
    ),
    content_expression=lambda source, content: (
        f"{source.bind(_parse_timedelta, 'parse_timedelta')}({content})"
    ),
)
