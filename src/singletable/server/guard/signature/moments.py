"""Moments as Signature Version 4 writes them, and how far from now one may be."""

from __future__ import annotations

import re
from calendar import timegm
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from singletable.errors import IncompleteSignature, InvalidSignature

SKEW = 5 * 60
# Longer than that nobody may sign in advance.
LONGEST = 7 * 24 * 60 * 60

_BASIC = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z")


def basic(moment: int) -> str:
    """The moment in the basic format of ISO 8601: 20260101T000000Z."""
    written = datetime.fromtimestamp(moment, UTC).replace(tzinfo=None).isoformat()
    return written.replace("-", "").replace(":", "") + "Z"


def read_moment(written: str) -> int:
    """The moment that a date header or parameter writes, in either format that AWS takes."""
    try:
        if parts := _BASIC.fullmatch(written):
            year, month, day, hour, minute, second = map(int, parts.groups())
            return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
        return timegm(parsedate_to_datetime(written).utctimetuple())
    except (ValueError, TypeError, OverflowError, IndexError):
        raise IncompleteSignature(
            f"Date must be in ISO-8601 'basic format'. Got '{written}'. "
            "See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def check_current(signed: int, lifetime: int, now: int) -> None:
    """Raise if the signature is not valid any more, or not yet."""
    if signed < now - lifetime:
        raise InvalidSignature(
            f"Signature expired: {basic(signed)} is now earlier than {basic(now - lifetime)} "
            f"({basic(now)} - {_span(lifetime)}.)"
        )
    if signed > now + SKEW:
        raise InvalidSignature(
            f"Signature not yet current: {basic(signed)} is still later than {basic(now + SKEW)} "
            f"({basic(now)} + {_span(SKEW)}.)"
        )


def read_lifetime(written: str | None) -> int:
    """For how many seconds a request that was signed in advance is valid."""
    if written is None:
        return SKEW
    if not re.fullmatch(r"-?[0-9]{1,18}", written):
        raise IncompleteSignature("X-Amz-Expires should be a number")
    lifetime = int(written)
    if lifetime < 0:
        raise IncompleteSignature("X-Amz-Expires must be non-negative")
    if lifetime > LONGEST:
        raise IncompleteSignature(
            "X-Amz-Expires must be less than a week (in seconds); that is, the given "
            f"X-Amz-Expires must be less than {LONGEST} seconds"
        )
    return lifetime


def _span(seconds: int) -> str:
    return f"{seconds} sec" if seconds % 60 else f"{seconds // 60} min"
