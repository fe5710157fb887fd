"""Letters that go nowhere: they are kept for a week, to be read where one develops."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable import Attr, Entity, Key, Store, attr, expires
from singletable_apps.shared.accounts.entities import expiring
from singletable_apps.shared.mail.email import Email


class StoredEmail(Entity, table=expiring, type_tag=("type", "LETTER")):
    """A letter in the outbox."""

    sent: Attr[datetime] = attr()
    mark: Attr[str] = attr()
    to: Attr[str] = attr()
    subject: Attr[str] = attr()
    text: Attr[str] = attr()
    ends: Attr[datetime] = expires()

    key = Key(pk="OUTBOX", sk=(sent, mark))


@dataclass(frozen=True, slots=True)
class OutboxEmail:
    """A letter, and when it was sent."""

    letter: Email
    sent: datetime


class Outbox:
    """A mailer that keeps letters in a store, where whoever may read the table reads them."""

    def __init__(self, store: Store, *, lifetime: timedelta = timedelta(days=7)) -> None:
        self._store = store
        self._lifetime = lifetime

    def send(self, letter: Email, now: datetime) -> None:
        """Keep the letter."""
        self._store.create(
            StoredEmail(
                sent=now,
                mark=secrets.token_hex(8),
                to=letter.to,
                subject=letter.subject,
                text=letter.text,
                ends=now + self._lifetime,
            )
        )

    def newest(self, limit: int = 50) -> list[OutboxEmail]:
        """The last letters, the newest first."""
        found = self._store.query(
            StoredEmail.key.partition(), limit=limit, reverse=True, consistent=True
        )
        return [
            OutboxEmail(Email(letter.to, letter.subject, letter.text), letter.sent)
            for letter in found
        ]
