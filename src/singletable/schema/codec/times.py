"""Days and moments.

A moment is held in UTC, in one of a few forms that sort as time does. Digits finer than the form
has are cut off, towards the past. What is read back is in UTC as well, from any RFC 3339 text that
has an offset.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import cast

from msgspec import to_builtins

from singletable.errors import InvalidValue
from singletable.schema.codec.codec import Codec, Source, invalid_value, mismatch, short_repr
from singletable.values import AttributeValue, InvalidNumber, canonical_number

MOMENT_SAYS = "a moment with its time zone (datetime)"
DAY_SAYS = "a day (date)"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MILLISECOND = timedelta(milliseconds=1)
WHOLE_LENGTH = len("2026-11-15T05:00:00.000000Z")


class TimeFormat(Enum):
    """How a moment is written."""

    MICROSECONDS = "2026-11-15T05:00:00.000000Z"
    MILLISECONDS = "2026-11-15T05:00:00.000Z"
    SECONDS = "2026-11-15T05:00:00Z"
    EPOCH_SECONDS = "1794718800"
    EPOCH_MILLISECONDS = "1794718800000"


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC; InvalidValue if it does not say what its zone is."""
    if moment.utcoffset() is None:
        raise InvalidValue(
            f"expected {MOMENT_SAYS}, but got {short_repr(moment)}, which has none. Say which zone is "
            "meant: datetime.now(UTC), or moment.replace(tzinfo=UTC) for one that is in UTC."
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidValue(
            f"expected {MOMENT_SAYS}, but {short_repr(moment)} is outside of the years 1 to 9999 in UTC."
        ) from None


def _utc(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise invalid_value(MOMENT_SAYS, value)
    return value if value.tzinfo is UTC else in_utc(value)


def _microseconds(value: object) -> str:
    # Ten times as fast as `isoformat`; it leaves out microseconds that are zero.
    text = cast(str, to_builtins(_utc(value)))
    return text if len(text) == WHOLE_LENGTH else f"{text[:19]}.000000Z"


def _milliseconds(value: object) -> str:
    return f"{_microseconds(value)[:23]}Z"


def _seconds(value: object) -> str:
    return f"{_microseconds(value)[:19]}Z"


def _epoch_seconds(value: object) -> str:
    return str((_utc(value) - EPOCH) // SECOND)


def _epoch_milliseconds(value: object) -> str:
    return str((_utc(value) - EPOCH) // MILLISECOND)


def moment_of(text: str) -> datetime:
    """The moment that the text tells, in UTC; ValueError if it tells none."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise ValueError("no offset")
    return moment.astimezone(UTC)


def _moment_of_any(text: str) -> datetime:
    """As `moment_of`; RFC 3339 allows small letters too, and a minute of 61 seconds."""
    text = text.upper()
    if text[16:19] == ":60":
        return moment_of(f"{text[:16]}:59{text[19:]}") + SECOND
    return moment_of(text)


def _moment_from_seconds(text: str) -> datetime:
    return EPOCH + timedelta(microseconds=int(Decimal(canonical_number(text)) * 1_000_000))


def _moment_from_milliseconds(text: str) -> datetime:
    return EPOCH + timedelta(microseconds=int(Decimal(canonical_number(text)) * 1_000))


_WRITE: dict[TimeFormat, Callable[[object], str]] = {
    TimeFormat.MICROSECONDS: _microseconds,
    TimeFormat.MILLISECONDS: _milliseconds,
    TimeFormat.SECONDS: _seconds,
    TimeFormat.EPOCH_SECONDS: _epoch_seconds,
    TimeFormat.EPOCH_MILLISECONDS: _epoch_milliseconds,
}


def moments(form: TimeFormat) -> Codec:
    """How a datetime is held in this form."""
    if form is TimeFormat.EPOCH_SECONDS:
        return _moments("N", "a moment in seconds since 1970", form, _moment_from_seconds)
    if form is TimeFormat.EPOCH_MILLISECONDS:
        return _moments("N", "a moment in milliseconds since 1970", form, _moment_from_milliseconds)
    return _moments("S", f"a moment such as {form.value}, as text", form, _moment_of_any)


def _moments(kind: str, says: str, form: TimeFormat, read: Callable[[str], datetime]) -> Codec:
    write = _WRITE[form]

    def encode(value: object) -> AttributeValue:
        return {"N": write(value)} if kind == "N" else {"S": write(value)}

    def decode(value: AttributeValue) -> object:
        if kind not in value:
            raise mismatch(f"{says} ({kind})", value)
        try:
            return read(value["N"] if kind == "N" else value["S"])
        except (ValueError, OverflowError, InvalidNumber):
            raise mismatch(f"{says} ({kind}), with its offset from UTC", value) from None

    def writing(source: Source, name: str) -> str:
        return f'{{"{kind}": {source.name(write, form.name.lower())}({name})}}'

    def reading(source: Source, name: str) -> str:
        quick = moment_of if kind == "S" else read
        return f'{source.name(quick, "moment")}({name}["{kind}"])'

    return Codec(
        types=frozenset({kind}),
        optional=False,
        encode=encode,
        decode=decode,
        expects=MOMENT_SAYS,
        writing=writing,
        reading=reading,
    )


def _encode_day(value: object) -> AttributeValue:
    if isinstance(value, datetime):
        raise invalid_value(DAY_SAYS, value, "Take its day: moment.date().")
    if not isinstance(value, date):
        raise invalid_value(DAY_SAYS, value)
    return {"S": value.isoformat()}


def _decode_day(value: AttributeValue) -> object:
    if "S" not in value:
        raise mismatch("a day such as 2026-11-15, as text (S)", value)
    try:
        return date.fromisoformat(value["S"])
    except ValueError:
        raise mismatch("a day such as 2026-11-15, as text (S)", value) from None


def _write_day(source: Source, name: str) -> str:
    kind = source.name(date, "date")
    return f'{{"S": {name}.isoformat()}} if {name}.__class__ is {kind} else refuse()'


DAY = Codec(
    types=frozenset({"S"}),
    optional=False,
    encode=_encode_day,
    decode=_decode_day,
    expects=DAY_SAYS,
    writing=_write_day,
    reading=lambda source, name: f'{source.name(date.fromisoformat, "day")}({name}["S"])',
)
