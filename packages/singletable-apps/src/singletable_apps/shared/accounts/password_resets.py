"""Password reset links: each works once, and only the latest one works.

The table stores an HMAC of the token, so reading the table opens no account.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta

from singletable import ConditionFailed, Store
from singletable_apps.shared.accounts.entities import ResetToken
from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.sealed import derive_key

_TOKEN = re.compile(r"(-?[0-9]{1,18})\.[\w-]{43}", re.ASCII)


class PasswordResets:
    """Issues and redeems reset links, or raises NotSignedIn. A link is valid for `lifetime`."""

    def __init__(
        self, store: Store, *, secret: bytes, lifetime: timedelta = timedelta(hours=1)
    ) -> None:
        self._store = store
        self._key = derive_key(secret, "resets")
        self.lifetime = lifetime

    def issue(self, subject: int, state: str, now: datetime) -> str:
        """Return a new token. Earlier tokens of the same person stop working.

        `state` is `Account.state`: compare it with the account when the token is redeemed.
        """
        token = f"{subject}.{secrets.token_urlsafe(32)}"
        self._store.put(
            ResetToken(
                subject=subject, digest=mac(self._key, token), state=state, ends=now + self.lifetime
            )
        )
        return token

    def read(self, token: str, now: datetime) -> ResetToken:
        """Return what the token is for without using it up, to check the new password first."""
        stored = self._store.get(ResetToken.key(_subject(token)), consistent=True)
        if stored is None or stored.digest != mac(self._key, token):
            raise _used()
        return _checked(stored, now)

    def redeem(self, token: str, now: datetime) -> ResetToken:
        """Return what the token is for, and use it up. Of concurrent callers only one succeeds."""
        address = ResetToken.key(_subject(token))
        try:
            stored = self._store.delete(address, if_=ResetToken.digest == mac(self._key, token))
        except ConditionFailed:
            raise _used() from None
        if stored is None:
            raise _used()
        return _checked(stored, now)


def _subject(token: str) -> int:
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        raise NotSignedIn(
            "This link is incomplete. Open it again from the e-mail, or request a new one.",
            field="token",
        )
    return int(parts[1])


def _checked(stored: ResetToken, now: datetime) -> ResetToken:
    if stored.ends <= now:
        raise NotSignedIn("This link has expired. Request a new one.", field="token")
    return stored


def _used() -> NotSignedIn:
    return NotSignedIn(
        "This link has been used, has expired, or was replaced by a newer one. Request a new one.",
        field="token",
    )
