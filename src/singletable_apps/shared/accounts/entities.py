"""Entities that expire by themselves: sessions, password resets and counted attempts."""

from __future__ import annotations

from datetime import datetime

from singletable import Attr, Entity, Key, attr, expires, version
from singletable_apps.shared.expiry import expiring


class Session(Entity, table=expiring, type_tag=("type", "SESSION")):
    """A session on one device: a family of refresh tokens, of which only the latest is valid."""

    subject: Attr[int] = attr()
    family: Attr[str] = attr()
    number: Attr[int] = attr(default=0)
    credentials: Attr[int] = attr(default=0)
    about: Attr[str] = attr(default="")
    begun: Attr[datetime] = attr()
    rotated: Attr[datetime] = attr()
    ends: Attr[datetime] = expires()

    key = Key(pk=("SESSIONS", subject), sk=("SESSION", family))


class ResetToken(Entity, table=expiring, type_tag=("type", "RESET")):
    """The latest password reset link of a person."""

    subject: Attr[int] = attr()
    digest: Attr[str] = attr()
    credentials: Attr[int] = attr()
    ends: Attr[datetime] = expires()

    key = Key(pk=("RESET", subject), sk="RESET")


class Attempts(Entity, table=expiring, type_tag=("type", "ATTEMPTS")):
    """The number of attempts for one key, and when the next one is allowed."""

    digest: Attr[str] = attr()
    tries: Attr[int] = attr()
    opens: Attr[datetime] = attr()
    ends: Attr[datetime] = expires()
    version: Attr[int] = version()

    key = Key(pk=("ATTEMPTS", digest), sk="ATTEMPTS")
