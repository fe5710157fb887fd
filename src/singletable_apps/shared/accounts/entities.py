"""What accounts keep for a while: sign-ins, links to a new password, counted guesses."""

from __future__ import annotations

from datetime import datetime

from singletable import Attr, Entity, Key, Table, attr, expires, version

# The table of what is kept for a while: sign-ins, links, counted guesses, letters to look at.
#
# Whatever lies here ends by itself, and is no record of anything. An app gives the table its real
# name when it opens a store: `Store(driver, tables={kept: "vote_sessions"})`.

expiring = Table("kept", ttl="expires_at")


class Session(Entity, table=expiring, type_tag=("type", "SESSION")):
    """A sign-in on one device: a family of refresh tokens, of which only one still works."""

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
    """The last link to a new password that somebody was sent."""

    subject: Attr[int] = attr()
    digest: Attr[str] = attr()
    credentials: Attr[int] = attr()
    ends: Attr[datetime] = expires()

    key = Key(pk=("RESET", subject), sk="RESET")


class Attempts(Entity, table=expiring, type_tag=("type", "ATTEMPTS")):
    """How often something was guessed, and when the next guess is allowed."""

    digest: Attr[str] = attr()
    tries: Attr[int] = attr()
    opens: Attr[datetime] = attr()
    ends: Attr[datetime] = expires()
    version: Attr[int] = version()

    key = Key(pk=("ATTEMPTS", digest), sk="ATTEMPTS")
