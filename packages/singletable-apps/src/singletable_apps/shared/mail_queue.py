"""A queue of e-mails to many people, sent in the background.

    queue.enqueue(notices, now)   # a request; it takes as long as storing them
    queue.deliver(now)            # a job, every few seconds

What became of each e-mail is kept for a year. A notice is identified by what it is about, its
purpose and its recipient, and is sent once. Only if a process stops between sending an e-mail and
noting that, it is sent again, after `LEASE`.

Personal links are made when an e-mail is sent, so that the table contains none of them.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import Message
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TypeAlias

from singletable import Attr, ConditionFailed, Entity, Key, Store, attr, evolve, expires, key_of
from singletable_apps.shared import mail
from singletable_apps.shared.expiry import expiring

LEASE = timedelta(minutes=5)
# The waits before further attempts; after the last one, the e-mail has failed.
RETRIES = tuple(timedelta(minutes=each) for each in (2, 15, 60, 240, 720))
KEPT = timedelta(days=365)
# Two items are written for each notice, and a transaction has at most 100.
_AT_ONCE = 50
_NAME = re.compile(r"[\w-]+")
_ID = re.compile(rb"^Message-ID:\s*<([\w-]+)\.([\w-]+)\.([\w-]+)@", re.MULTILINE | re.IGNORECASE)

MakeLink: TypeAlias = Callable[[str, str], str]


class DeliveryState(StrEnum):
    """What has become of an e-mail."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """An e-mail to queue. In `text`, {link} and {unsubscribe} stand for links of the recipient.

    `about`, `purpose` and `recipient` have letters, digits, - and _.
    """

    about: str
    purpose: str
    recipient: str
    to: str
    subject: str
    text: str
    reply_to: str = ""
    can_unsubscribe: bool = False

    def __post_init__(self) -> None:
        for name in (self.about, self.purpose, self.recipient):
            if not _NAME.fullmatch(name):
                raise ValueError(f"Expected letters, digits, - and _, but got {name!r}.")
        mail.Email(self.to, self.subject, self.text, self.reply_to)


class QueuedEmail(Entity, table=expiring, type_tag=("type", "QUEUED_EMAIL")):
    """An e-mail to send when it is due."""

    due: Attr[datetime] = attr()
    token: Attr[str] = attr()
    about: Attr[str] = attr()
    purpose: Attr[str] = attr()
    recipient: Attr[str] = attr()
    to: Attr[str] = attr()
    subject: Attr[str] = attr()
    text: Attr[str] = attr()
    reply_to: Attr[str] = attr(default="")
    can_unsubscribe: Attr[bool] = attr(default=False)
    attempts: Attr[int] = attr(default=0)
    ends: Attr[datetime] = expires()

    key = Key(pk="MAIL_QUEUE", sk=(due, token))


class Delivery(Entity, table=expiring, type_tag=("type", "DELIVERY")):
    """What has become of an e-mail; `problem` is the mail server's, in its own words."""

    about: Attr[str] = attr()
    recipient: Attr[str] = attr()
    purpose: Attr[str] = attr()
    state: Attr[DeliveryState] = attr()
    at: Attr[datetime] = attr()
    problem: Attr[str] = attr(default="")
    ends: Attr[datetime] = expires()

    key = Key(pk=("DELIVERIES", about), sk=(recipient, purpose))


class MailQueue:
    """The queue of an app.

    `link` and `unsubscribe` make the links of a recipient, from what the notice is about and the
    recipient. `per_minute` limits what `deliver` sends if it is called every `EVERY` seconds.
    """

    EVERY = 5

    def __init__(
        self,
        store: Store,
        mailer: mail.Mailer,
        *,
        link: MakeLink,
        unsubscribe: MakeLink | None = None,
        per_minute: int = 600,
    ) -> None:
        self._store, self._mailer = store, mailer
        self._link, self._unsubscribe = link, unsubscribe or link
        self._at_once = max(1, per_minute * self.EVERY // 60)

    def enqueue(self, notices: Iterable[Notice], now: datetime) -> int:
        """Queue the notices that are new, and return how many; a failed one is sent again.

        Only a batch of them is in memory at a time.
        """
        known: dict[str, set[tuple[str, str]]] = {}
        new, queued = filter(partial(self._is_new, known), notices), 0
        while batch := [*islice(new, _AT_ONCE)]:
            queued += self._enqueue(batch, now)
        return queued

    def _is_new(self, known: dict[str, set[tuple[str, str]]], notice: Notice) -> bool:
        """Return whether a notice is not among the known ones, and make it known."""
        if notice.about not in known:
            known[notice.about] = {
                (each.recipient, each.purpose)
                for each in self.deliveries(notice.about)
                if each.state is not DeliveryState.FAILED
            }
        key = notice.recipient, notice.purpose
        is_new = key not in known[notice.about]
        known[notice.about].add(key)
        return is_new

    def _enqueue(self, notices: Sequence[Notice], now: datetime) -> int:
        """Queue notices in one transaction, or one by one if somebody queues the same ones."""
        is_new = Delivery.state.missing() | (Delivery.state == DeliveryState.FAILED)
        try:
            with self._store.transaction() as transaction:
                for notice in notices:
                    queued = QueuedEmail(
                        due=now, token=secrets.token_hex(8), ends=now + KEPT, **asdict(notice)
                    )
                    transaction.create(queued)
                    transaction.put(_delivery(queued, DeliveryState.WAITING, now), if_=is_new)
        except ConditionFailed:
            if len(notices) == 1:
                return 0
            return sum(self._enqueue([notice], now) for notice in notices)
        return len(notices)

    def deliveries(self, about: str) -> Iterator[Delivery]:
        """Yield what has become of the e-mails about something, by recipient."""
        return self._store.query(Delivery.key.partition(about), consistent=True)

    def deliver(self, now: datetime) -> int:
        """Send what is due, up to the limit per minute, and return how many were sent.

        If the server does not answer, the others wait for the next call: each would take as long.
        """
        due = QueuedEmail.key.partition().le(now)
        found = self._store.query(due, limit=self._at_once, consistent=True)
        sent = 0
        with suppress(mail.MailServerUnreachable):
            for queued in [*found]:
                sent += self._deliver(queued, now)
        return sent

    def _deliver(self, queued: QueuedEmail, now: datetime) -> bool:
        """Send one e-mail, and return whether it was sent by this process now."""
        leased = evolve(queued, due=now + LEASE, attempts=queued.attempts + 1)
        if not self._replace(queued, leased):
            return False
        try:
            self._mailer.send(self._email(queued), now)
        except (mail.MailNotSent, mail.InvalidEmail) as error:
            is_temporary = isinstance(error, mail.MailNotSent) and error.is_temporary
            self._note_problem(leased, str(error), now, is_temporary=is_temporary)
            if isinstance(error, mail.MailServerUnreachable):
                raise
            return False
        self._replace(leased, _delivery(leased, DeliveryState.SENT, now))
        return True

    def _note_problem(
        self, leased: QueuedEmail, problem: str, now: datetime, *, is_temporary: bool
    ) -> None:
        retry = is_temporary and leased.attempts <= len(RETRIES)
        state = DeliveryState.WAITING if retry else DeliveryState.FAILED
        later = evolve(leased, due=now + RETRIES[leased.attempts - 1]) if retry else None
        self._replace(leased, _delivery(leased, state, now, problem), later)

    def _replace(self, queued: QueuedEmail, *items: QueuedEmail | Delivery | None) -> bool:
        """Replace an e-mail in the queue; return False if another process has it."""
        try:
            with self._store.transaction() as transaction:
                transaction.delete(key_of(queued), if_=QueuedEmail.token.exists())
                for item in filter(None, items):
                    transaction.put(item)
        except ConditionFailed:
            return False
        return True

    def _email(self, queued: QueuedEmail) -> mail.Email:
        who = queued.about, queued.recipient
        unsubscribe = self._unsubscribe(*who) if queued.can_unsubscribe else ""
        text = queued.text.replace("{unsubscribe}", unsubscribe).replace("{link}", self._link(*who))
        return mail.Email(
            queued.to,
            queued.subject,
            text,
            queued.reply_to,
            unsubscribe=unsubscribe,
            reference=f"{queued.about}.{queued.purpose}.{queued.recipient}",
        )


def note_bounce(store: Store, report: bytes, now: datetime) -> Delivery | None:
    """Note an e-mail that a mail server reports as undeliverable (RFC 3464), and return it.

    None if the report is about no e-mail of a queue, or about a delay only.
    """
    problem = _bounce_problem(message_from_bytes(report))
    for found in _ID.findall(report) if problem else ():
        about, purpose, recipient = (part.decode() for part in found)
        stored = store.get(Delivery.key(about, recipient, purpose), consistent=True)
        if stored is not None:
            failed = evolve(stored, state=DeliveryState.FAILED, at=now, problem=problem)
            return store.put(failed)
    return None


def _delivery(
    queued: QueuedEmail, state: DeliveryState, now: datetime, problem: str = ""
) -> Delivery:
    return Delivery(
        about=queued.about,
        recipient=queued.recipient,
        purpose=queued.purpose,
        state=state,
        at=now,
        problem=problem,
        ends=now + KEPT,
    )


def _bounce_problem(report: Message) -> str:
    """Return the diagnostics of the recipient that failed; "" if none did."""
    for part in report.walk():
        if str(part["Action"] or "").strip().casefold() == "failed":
            text = str(part["Diagnostic-Code"] or part["Status"] or "undeliverable")
            return " ".join(text.split())[:500]
    return ""
