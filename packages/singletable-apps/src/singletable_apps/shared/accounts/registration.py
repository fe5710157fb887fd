"""Registration: the set-up code for the first account, and unconfirmed registrations."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b32encode
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable import Store
from singletable_apps.shared.accounts.entities import PendingRegistration
from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.sealed import derive_key

_CODE_BYTES = 10


@dataclass(frozen=True, slots=True)
class NewAccount:
    """The data of a registration, with the hash of the password."""

    name: str
    email: str
    password_hash: str


class SetupCode:
    """The code to create the first account, which the command prints at start-up.

    Without it, the first visitor of a new public site would own it. The code is derived from the
    secret and stored nowhere. An app checks it only while there is no account, so it works once. If
    all accounts can be removed, a different `state` gives a new code.
    """

    def __init__(self, secret: bytes) -> None:
        self._key = derive_key(secret, "set-up code")

    def code(self, state: str = "") -> str:
        """Return the code: 16 letters and digits."""
        digest = hmac.digest(self._key, state.encode(), hashlib.sha256)
        return b32encode(digest[:_CODE_BYTES]).decode().lower()

    def matches(self, code: str, state: str = "") -> bool:
        """Return whether this is the code, ignoring case and spaces."""
        entered = "".join(code[:100].split()).lower().encode("utf-8", "replace")
        return hmac.compare_digest(entered, self.code(state).encode())


NEEDS_SETUP_CODE = (
    "This site has no owner yet. To become the owner, enter the set-up code that the command "
    "printed when it started."
)


class Registrations:
    """Stores registrations until their address is confirmed, with an HMAC instead of the token."""

    def __init__(self, store: Store, *, secret: bytes) -> None:
        self._store = store
        self._key = derive_key(secret, "registrations")

    def keep(self, new: NewAccount, now: datetime) -> str:
        """Store a registration and return the token for its link."""
        token = secrets.token_urlsafe(32)
        self._store.create(
            PendingRegistration(
                digest=mac(self._key, token),
                name=new.name,
                email=new.email,
                password_hash=new.password_hash,
                ends=now + timedelta(days=1),
            )
        )
        return token

    def find(self, token: str, now: datetime) -> NewAccount | None:
        """Return the registration of a valid link, or None."""
        key = PendingRegistration.key(mac(self._key, token))
        found = self._store.get(key, consistent=True)
        if found is None or found.ends <= now:
            return None
        return NewAccount(found.name, found.email, found.password_hash)

    def use_up(self, token: str) -> bool:
        """Use up a link and return whether this was the first time."""
        return self._store.delete(PendingRegistration.key(mac(self._key, token))) is not None
