"""Sign-ins that last: refresh tokens that work once, each followed by another.

A family of tokens is one item with the number of the token that works. The token of a number is
made by HMAC from the secret, so nothing in the table opens anything, and whoever comes twice at the
same moment, as two tabs do, gets the same successor. A token that was used before, and not just
now, has been copied: then the whole family ends, for nobody knows who is the thief.
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable import ConditionFailed, Store
from singletable_apps.shared.accounts.entities import Session
from singletable_apps.shared.accounts.errors import InvalidSession
from singletable_apps.shared.accounts.tokens import derive_key, mac

GRACE = timedelta(seconds=10)
LONGEST_ABOUT = 200

_TOKEN = re.compile(r"(-?[0-9]{1,18})\.([\w-]{22})\.([0-9]{1,9})\.([\w-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Renewed:
    """Whose session it is, the token that follows, and when the session ends for good."""

    subject: int
    credentials: int
    token: str
    ends: datetime


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A sign-in that has not ended: what a person sees of it."""

    id: str
    about: str
    begun: datetime
    used: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class _Ticket:
    """What a token of ours says."""

    subject: int
    family: str
    number: int


class Sessions:
    """Sessions of people, kept in a store; each ends a `lifetime` after it began."""

    def __init__(
        self, store: Store, *, secret: bytes, lifetime: timedelta = timedelta(days=30)
    ) -> None:
        self._store = store
        self._key = derive_key(secret, "sessions")
        self.lifetime = lifetime

    def begin(self, subject: int, now: datetime, *, credentials: int = 0, about: str = "") -> str:
        """The first token of a new session; `about` is shown to its owner, such as the browser."""
        family = secrets.token_urlsafe(16)
        session = Session(
            subject=subject,
            family=family,
            credentials=credentials,
            about=_shown(about),
            begun=now,
            rotated=now,
            ends=now + self.lifetime,
        )
        self._store.create(session)
        return self._token(_Ticket(subject, family, 0))

    def rotate(self, token: str, now: datetime) -> Renewed:
        """The next token for one that has not been used; SessionRefused for any other."""
        ticket = self._ticket(token)
        try:
            session = self._store.update(
                Session.key(ticket.subject, ticket.family),
                Session.number.set(ticket.number + 1),
                Session.rotated.set(now),
                if_=(Session.number == ticket.number) & (Session.ends > now),
            )
        except ConditionFailed as refusal:
            session = self._followed(ticket, refusal.current, now)
        return self._renewed(session)

    def end(self, token: str) -> None:
        """End the session of a token, old or new; one that is not ours ends nothing."""
        try:
            ticket = self._ticket(token)
        except InvalidSession:
            return
        self.end_one(ticket.subject, ticket.family)

    def end_one(self, subject: int, session: str) -> None:
        """End one of somebody's sessions, by the `id` that the list has."""
        self._store.delete(Session.key(subject, session))

    def end_all(self, subject: int) -> None:
        """End all sessions that somebody has."""
        found = self._store.query(Session.key.partition(subject), consistent=True)
        self._store.delete_many([Session.key(subject, session.family) for session in found])

    def list(self, subject: int) -> list[OpenSession]:
        """The sessions that somebody has, the one that was used last first."""
        found = self._store.query(Session.key.partition(subject), consistent=True)
        return sorted(map(_open, found), key=lambda session: session.used, reverse=True)

    def id_of(self, token: str) -> str | None:
        """The `id` of the session of a token, as the list has it; None if it is not ours."""
        try:
            return self._ticket(token).family
        except InvalidSession:
            return None

    def _followed(self, ticket: _Ticket, held: object, now: datetime) -> Session:
        """The session if its token was used just now; otherwise it ends."""
        if not isinstance(held, Session):
            raise InvalidSession("ended", "The session has ended. Sign in again.")
        if held.ends <= now:
            raise InvalidSession("expired", "The session's time is over. Sign in again.")
        if held.number == ticket.number + 1 and now - held.rotated <= GRACE:
            return held
        self.end_one(ticket.subject, ticket.family)
        raise InvalidSession(
            "reused",
            "The token was used before, so somebody may have copied it, and the session is ended. "
            "Sign in again.",
        )

    def _renewed(self, session: Session) -> Renewed:
        following = _Ticket(session.subject, session.family, session.number)
        return Renewed(session.subject, session.credentials, self._token(following), session.ends)

    def _token(self, ticket: _Ticket) -> str:
        said = (str(ticket.subject), ticket.family, str(ticket.number))
        return ".".join((*said, mac(self._key, *said)))

    def _ticket(self, token: str) -> _Ticket:
        parts = _TOKEN.fullmatch(token)
        if parts is None:
            raise InvalidSession("malformed", "This is no token of a session. Sign in again.")
        subject, family, number, seal = parts.groups()
        if not hmac.compare_digest(seal, mac(self._key, subject, family, number)):
            raise InvalidSession("forged", "The token was not made by this service. Sign in again.")
        return _Ticket(int(subject), family, int(number))


def _shown(about: str) -> str:
    """What a browser says of itself, which may be anything, as text that can be stored."""
    return about[:LONGEST_ABOUT].encode(errors="replace").decode()


def _open(session: Session) -> OpenSession:
    return OpenSession(session.family, session.about, session.begun, session.rotated, session.ends)
