"""Personal access tokens: programs use the API for a person, within the scopes they chose.

The table has an HMAC of each token, so nobody who reads it can use one. A token ends when it
expires, when its owner revokes it, and when the password changes.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from enum import StrEnum

from singletable import Store
from singletable_apps.shared.accounts.entities import PersonalToken
from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.accounts.users import Account
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.sealed import derive_key

# Programs that look for leaked secrets recognize tokens by it.
PREFIX = "pat_"
MAX_TOKENS = 20
# The time of the last use is stored this often, so that not every request writes.
USE_STORED_EVERY = timedelta(hours=1)

_TOKEN = re.compile(rf"{PREFIX}(-?[0-9]{{1,18}})_([\w-]{{43}})", re.ASCII)


class Scope(StrEnum):
    """What a token may do, at most: its owner may do it, too."""

    READ = "read"
    VOTE = "vote"
    MANAGE = "manage"


class PersonalTokens:
    """Creates, finds and revokes tokens."""

    def __init__(self, store: Store, *, secret: bytes, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._key = derive_key(secret, "personal tokens")

    def create(self, owner: Account, name: str, scopes: Collection[Scope], days: int) -> str:
        """Return a new token, which cannot be shown again."""
        now = self._clock()
        if len(self.list(owner)) >= MAX_TOKENS:
            message = f"You have {MAX_TOKENS} tokens. Revoke one that you don’t need first."
            raise InvalidInput({"name": message})
        secret = secrets.token_urlsafe(32)
        self._store.create(
            PersonalToken(
                subject=owner.subject,
                digest=self._digest(owner.subject, secret),
                name=name,
                scopes=sorted(scopes),
                credentials=owner.credentials,
                created=now,
                ends=now + timedelta(days=days),
            )
        )
        return f"{PREFIX}{owner.subject}_{secret}"

    def find(self, text: str) -> PersonalToken | None:
        """Return what is stored of a token, unless it has expired or was revoked."""
        parts, now = _TOKEN.fullmatch(text), self._clock()
        if parts is None:
            return None
        key = PersonalToken.key(int(parts[1]), self._digest(int(parts[1]), parts[2]))
        token = self._store.get(key, consistent=True)
        if token is None or token.ends <= now:
            return None
        if token.used is None or now - token.used >= USE_STORED_EVERY:
            self._store.update(key, PersonalToken.used.set(now), if_=PersonalToken.digest.exists())
        return token

    def list(self, owner: Account) -> list[PersonalToken]:
        """Return the valid tokens of a person, the newest first."""
        stored = self._store.query(PersonalToken.key.partition(owner.subject), consistent=True)
        valid = [token for token in stored if token.ends > self._clock()]
        return sorted(valid, key=lambda token: token.created, reverse=True)

    def revoke(self, owner: Account, digest: str) -> None:
        """Revoke a token. An unknown one is ignored."""
        self._store.delete(PersonalToken.key(owner.subject, digest))

    def _digest(self, subject: int, secret: str) -> str:
        return mac(self._key, str(subject), secret)
