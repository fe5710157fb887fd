"""Sessions with rotating refresh tokens: each token works once and is replaced by another.

A session is one item with the number of its valid token. Tokens are derived from the number with an
HMAC, so the table contains no tokens, and two tabs that refresh at the same time get the same
successor. If an older token is used again, it has been copied. The session then ends, because
there is no way to tell the owner from the thief.
"""

from __future__ import annotations

import hmac
import re
import secrets
from contextlib import suppress
from datetime import datetime, timedelta

from singletable import ConditionFailed, Store
from singletable_apps.shared.accounts import entities
from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.accounts.identities import disconnect
from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.sealed import derive_key

REUSE_GRACE = timedelta(seconds=10)
MAX_ABOUT_LENGTH = 200

_TOKEN = re.compile(r"(-?[0-9]{1,18})\.([\w-]{22})\.([0-9]{1,9})\.([\w-]{43})", re.ASCII)


class Sessions:
    """Starts, renews and ends sessions. Each ends `lifetime` after it began."""

    def __init__(
        self, store: Store, *, secret: bytes, lifetime: timedelta = timedelta(days=30)
    ) -> None:
        self._store = store
        self._key = derive_key(secret, "sessions")
        self.lifetime = lifetime

    def start(
        self,
        subject: int,
        now: datetime,
        *,
        credentials: int = 0,
        about: str = "",
        begun: datetime | None = None,
    ) -> tuple[entities.Session, str]:
        """Start a session and return it with its first token. Its owner sees `about`.

        `begun` is when they proved who they are, if that was earlier.
        """
        session = entities.Session(
            subject=subject,
            family=secrets.token_urlsafe(16),
            credentials=credentials,
            about=_storable(about),
            begun=begun or now,
            rotated=now,
            ends=now + self.lifetime,
        )
        self._store.create(session)
        return session, self._token(session)

    def rotate(self, token: str, now: datetime) -> tuple[entities.Session, str]:
        """Return the session and its next token. Raise NotSignedIn if `token` is not the last."""
        subject, family, number = self._read(token)
        try:
            session = self._store.update(
                entities.Session.key(subject, family),
                entities.Session.number.set(number + 1),
                entities.Session.rotated.set(now),
                if_=(entities.Session.number == number) & (entities.Session.ends > now),
            )
        except ConditionFailed as conflict:
            session = self._check_reuse(number, conflict.current, now)
        return session, self._token(session)

    def end(self, token: str) -> None:
        """End the session of a token, whether current or used. Ignore invalid tokens."""
        with suppress(NotSignedIn):
            subject, family, _ = self._read(token)
            self.end_one(subject, family)

    def end_one(self, subject: int, session: str) -> None:
        """End one session of a person, by its `family`."""
        self._store.delete(entities.Session.key(subject, session))

    def end_all(self, subject: int) -> None:
        """End all sessions and revoke all tokens of a person."""
        sessions = self._store.query(entities.Session.key.partition(subject), consistent=True)
        tokens = self._store.query(entities.PersonalToken.key.partition(subject), consistent=True)
        self._store.delete_many(
            [
                *(entities.Session.key(subject, session.family) for session in sessions),
                *(entities.PersonalToken.key(subject, token.digest) for token in tokens),
            ]
        )

    def forget(self, subject: int) -> None:
        """Delete the sessions, links, addresses and identity of a removed person."""
        self.end_all(subject)
        disconnect(self._store, subject)
        stored = (entities.ResetToken, entities.EmailChange, entities.RecoveryLock)
        self._store.delete_many([entity.key(subject) for entity in stored])

    def is_open(self, subject: int, session: str, now: datetime) -> bool:
        """Return whether a session of a person, by its `family`, has not ended."""
        stored = self._store.get(entities.Session.key(subject, session), consistent=True)
        return stored is not None and stored.ends > now

    def list(self, subject: int) -> list[entities.Session]:
        """Return the sessions of a person, most recently used first."""
        stored = self._store.query(entities.Session.key.partition(subject), consistent=True)
        return sorted(stored, key=lambda session: session.rotated, reverse=True)

    def _check_reuse(self, number: int, stored: object, now: datetime) -> entities.Session:
        """Return the session if its token was used a moment ago; otherwise end it."""
        if not isinstance(stored, entities.Session):
            raise NotSignedIn("Your session has ended. Sign in again.")
        if stored.ends <= now:
            raise NotSignedIn("Your session has expired. Sign in again.")
        if stored.number == number + 1 and now - stored.rotated <= REUSE_GRACE:
            return stored
        self.end_one(stored.subject, stored.family)
        raise NotSignedIn(
            "This token was used before, so it may have been copied. The session was ended. "
            "Sign in again."
        )

    def _token(self, session: entities.Session) -> str:
        parts = (str(session.subject), session.family, str(session.number))
        return ".".join((*parts, mac(self._key, *parts)))

    def _read(self, token: str) -> tuple[int, str, int]:
        """Return the person, the session and the number of a token, or raise NotSignedIn."""
        parts = _TOKEN.fullmatch(token)
        if parts is None:
            raise NotSignedIn("This is not a session token. Sign in again.")
        subject, family, number, signature = parts.groups()
        if not hmac.compare_digest(signature, mac(self._key, subject, family, number)):
            raise NotSignedIn("This token was not issued by this service. Sign in again.")
        return int(subject), family, int(number)


def _storable(about: str) -> str:
    """Return a User-Agent, which may contain anything, as text that can be stored."""
    return about[:MAX_ABOUT_LENGTH].encode(errors="replace").decode()
