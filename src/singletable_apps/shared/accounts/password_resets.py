"""Links to a new password: each works once, and only the last that was sent.

The table holds an HMAC of the link's token, so nothing in it opens an account.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable import ConditionFailed, Store
from singletable_apps.shared.accounts.entities import ResetToken
from singletable_apps.shared.accounts.errors import InvalidReset
from singletable_apps.shared.accounts.tokens import derive_key, mac

_TOKEN = re.compile(r"(-?[0-9]{1,18})\.[\w-]{43}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reset:
    """Who may choose a new password, in place of which state of their credentials."""

    subject: int
    credentials: int


class PasswordResets:
    """Links to a new password, kept in a store for a `lifetime`."""

    def __init__(
        self, store: Store, *, secret: bytes, lifetime: timedelta = timedelta(hours=1)
    ) -> None:
        self._store = store
        self._key = derive_key(secret, "resets")
        self.lifetime = lifetime

    def issue(self, subject: int, credentials: int, now: datetime) -> str:
        """A token for somebody; those that were issued before stop working."""
        token = f"{subject}.{secrets.token_urlsafe(32)}"
        self._store.put(
            ResetToken(
                subject=subject,
                digest=mac(self._key, token),
                credentials=credentials,
                ends=now + self.lifetime,
            )
        )
        return token

    def read(self, token: str, now: datetime) -> Reset:
        """What the token is for, without using it up: to look at a new password first."""
        held = self._store.get(ResetToken.key(_subject(token)), consistent=True)
        if held is None or held.digest != mac(self._key, token):
            raise _used()
        return _checked(held, now)

    def redeem(self, token: str, now: datetime) -> Reset:
        """What the token is for, once: of any number who come at the same time one gets it."""
        address = ResetToken.key(_subject(token))
        try:
            held = self._store.delete(address, if_=ResetToken.digest == mac(self._key, token))
        except ConditionFailed:
            raise _used() from None
        if held is None:
            raise _used()
        return _checked(held, now)


def _subject(token: str) -> int:
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        raise InvalidReset("malformed", "This is no link that was sent. Open it from the letter.")
    return int(parts[1])


def _checked(held: ResetToken, now: datetime) -> Reset:
    if held.ends <= now:
        raise InvalidReset("expired", "The link's time is over. Ask for a new one.")
    return Reset(held.subject, held.credentials)


def _used() -> InvalidReset:
    return InvalidReset(
        "used", "The link was used, or a newer one was sent, or it is too old. Ask for a new one."
    )
