"""Sessions, resets, e-mail changes and attempts, which expire; locks and settings, which stay."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

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


class PersonalToken(Entity, table=expiring, type_tag=("type", "PERSONAL_TOKEN")):
    """A token for programs. Its `digest` is an HMAC; `name` is what its owner called it."""

    subject: Attr[int] = attr()
    digest: Attr[str] = attr()
    name: Attr[str] = attr()
    scopes: Attr[list[str]] = attr()
    credentials: Attr[int] = attr()
    created: Attr[datetime] = attr()
    used: Attr[datetime | None] = attr(default=None)
    ends: Attr[datetime] = expires()

    key = Key(pk=("PERSONAL_TOKENS", subject), sk=("PERSONAL_TOKEN", digest))


class ResetToken(Entity, table=expiring, type_tag=("type", "RESET")):
    """The latest password reset link of a person."""

    subject: Attr[int] = attr()
    digest: Attr[str] = attr()
    # `Account.state` when the link was sent. The link is void once it differs.
    state: Attr[str] = attr(default="")
    ends: Attr[datetime] = expires()

    key = Key(pk=("RESET", subject), sk="RESET")


class EmailChange(Entity, table=expiring, type_tag=("type", "EMAIL_CHANGE")):
    """A new e-mail address that awaits confirmation.

    `by` is set if someone else requested it, and `is_accepted` once the old address agrees.
    """

    subject: Attr[int] = attr()
    change: Attr[str] = attr()
    old_email: Attr[str] = attr()
    new_email: Attr[str] = attr()
    by: Attr[str] = attr(default="")
    is_accepted: Attr[bool] = attr(default=False)
    state: Attr[str] = attr()
    ends: Attr[datetime] = expires()

    key = Key(pk=("EMAIL_CHANGE", subject), sk="EMAIL_CHANGE")


class RecoveryLock(Entity, table=expiring, type_tag=("type", "RECOVERY_LOCK")):
    """Switches password resets off after someone else changed the address. It does not expire."""

    subject: Attr[int] = attr()
    change: Attr[str] = attr()
    old_email: Attr[str] = attr()
    by: Attr[str] = attr()

    key = Key(pk=("RECOVERY_LOCK", subject), sk="RECOVERY_LOCK")


class PendingRegistration(Entity, table=expiring, type_tag=("type", "REGISTRATION")):
    """A registration that awaits the confirmation of its e-mail address."""

    digest: Attr[str] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    password_hash: Attr[str] = attr(hidden=True)
    ends: Attr[datetime] = expires()

    key = Key(pk=("REGISTRATION", digest), sk="REGISTRATION")


class Attempts(Entity, table=expiring, type_tag=("type", "ATTEMPTS")):
    """The number of attempts for one key, and when the next one is allowed."""

    digest: Attr[str] = attr()
    tries: Attr[int] = attr()
    opens: Attr[datetime] = attr()
    ends: Attr[datetime] = expires()
    version: Attr[int] = version()

    key = Key(pk=("ATTEMPTS", digest), sk="ATTEMPTS")


class Registration(StrEnum):
    """Registration for everyone, with the approval of an administrator, or for nobody."""

    OPEN = "open"
    APPROVAL = "approval"
    CLOSED = "closed"


class RegistrationSetting(Entity, table=expiring, type_tag=("type", "REGISTRATION_SETTING")):
    """The registration setting, unless the app stores it elsewhere. It does not expire."""

    registration: Attr[Registration] = attr()

    key = Key(pk="REGISTRATION_SETTING", sk="REGISTRATION_SETTING")
