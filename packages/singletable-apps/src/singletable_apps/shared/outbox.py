"""The outbox of an app: all its e-mails, sent in the background. Nothing else calls a server.

    outbox.enqueue(notices, now)   # e-mails to many people; it takes as long as storing them
    outbox.send(email, now)        # one e-mail, sent before those to many
    outbox.deliver(now)            # a job, every few seconds

What became of each e-mail is kept for a year. A notice is identified by what it is about, its
purpose and its recipient, and is sent once. Only if a process stops between sending an e-mail and
noting that, it is sent again, after `LEASE`.

Personal links are made when an e-mail is sent, so that the table contains none of them.

Without a mail server, for development, e-mails stay in the table for a week, with their links.

It limits what each author sends in a day, and what each address gets, so that nobody can use the
site to send advertisements or to flood a mailbox. What others cause does not keep essential
e-mails, such as links to reset a password, from an address. Single e-mails are encrypted until they
are sent, and nothing about them is kept after that.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import Message
from enum import StrEnum
from functools import partial
from itertools import groupby, islice
from time import time_ns
from typing import TypeAlias, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from singletable import Attr, ConditionFailed, Entity, Key, Store, attr, evolve, expires, key_of
from singletable_apps.shared import mail
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.languages import Language, Phrase
from singletable_apps.shared.sealed import derive_key

_log = logging.getLogger(__name__)
# How often `deliver` is called, in seconds, and how many e-mails it sends at once: 600 a minute.
EVERY = 5
AT_ONCE = 50
LEASE = timedelta(minutes=5)
# The waits before further attempts; after the last one, the e-mail has failed.
RETRIES = tuple(timedelta(minutes=each) for each in (2, 15, 60, 240, 720))
KEPT = timedelta(days=365)
# How many e-mails an author who does not run the site may send in a day.
PER_AUTHOR = 1_000
# How many an address gets from one author in an hour; others wait. And in a day; others fail.
PER_HOUR = 10
PER_DAY = 30
# How many essential ones it gets in an hour. Resets of passwords are requested less often: a link
# that waits for an hour has expired.
ESSENTIAL_PER_HOUR = 20
# How many an address gets from all authors in a day.
FROM_ALL = 60
# How long a single e-mail is tried.
_SEALED = timedelta(days=2)
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
# Two items are written for each notice, and a transaction has at most 100.
_BATCH = 50
_NAME = re.compile(r"[\w-]+")
_ID = re.compile(rb"^Message-ID:\s*<([\w-]+)\.([\w-]+)\.([\w-]+)@", re.MULTILINE | re.IGNORECASE)

_OVER_AUTHOR = (
    f"Not sent: a member sends up to {PER_AUTHOR:,} e-mails a day. Send the others tomorrow, or "
    "let an administrator send them."
)
_OVER_HOUR = f"Waits: this address gets {PER_HOUR} e-mails from one person in an hour."
_OVER_DAY = "Not sent: this address has got many e-mails from here today. Try again tomorrow."

MakeLink: TypeAlias = Callable[[str, str], str]


class DeliveryState(StrEnum):
    """What has become of an e-mail."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Author:
    """Who causes an e-mail: `key` is the number of an account; that of the `SITE` is empty.

    There is no daily limit for administrators, nor for e-mails that follow from counted ones, such
    as receipts. Essential e-mails are counted apart from all others. None is dropped: if an address
    gets more than `ESSENTIAL_PER_HOUR`, they wait.
    """

    key: str
    has_daily_limit: bool = True
    is_essential: bool = False


SITE = Author("", has_daily_limit=False)
# What has happened to an account, to its owner.
SECURITY = Author("security", has_daily_limit=False, is_essential=True)
# What the owner of an account has asked for. Anyone can ask in their place, but not often.
RESETS = Author("resets", has_daily_limit=False, is_essential=True)
# What visitors write to the owner of a site.
MESSAGES = Author("messages", has_daily_limit=False, is_essential=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """An e-mail to queue. In `text`, {link} and {unsubscribe} stand for links of the recipient.

    `about`, `purpose` and `recipient` have letters, digits, - and _.
    """

    author: Author
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
    author: Attr[str] = attr(default="")
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


class SealedEmail(Entity, table=expiring, type_tag=("type", "SEALED_EMAIL")):
    """A single e-mail to send when it is due, encrypted with its address."""

    due: Attr[datetime] = attr()
    token: Attr[str] = attr()
    content: Attr[bytes] = attr()
    attempts: Attr[int] = attr(default=0)
    ends: Attr[datetime] = expires()

    key = Key(pk="SEALED_MAIL", sk=(due, token))


class KeptEmail(Entity, table=expiring, type_tag=("type", "EMAIL")):
    """An e-mail that no server has sent, because there is none."""

    sent_at: Attr[datetime] = attr()
    token: Attr[str] = attr()
    to: Attr[str] = attr()
    subject: Attr[str] = attr()
    text: Attr[str] = attr()
    reply_to: Attr[str] = attr(default="")
    ends: Attr[datetime] = expires()

    key = Key(pk="OUTBOX", sk=(sent_at, token))


Q = TypeVar("Q", QueuedEmail, SealedEmail)


class EmailCount(Entity, table=expiring, type_tag=("type", "EMAIL_COUNT")):
    """How many e-mails an author sent or an address got in an hour or day; `digest` is an HMAC."""

    digest: Attr[str] = attr()
    count: Attr[int] = attr()
    ends: Attr[datetime] = expires()

    key = Key(pk=("EMAIL_COUNT", digest), sk="EMAIL_COUNT")


class _Quotas:
    """Counts e-mails by author and address, in hours and days that begin for all at once."""

    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._key = store, derive_key(secret, "mail quotas")

    def count(self, period: timedelta, now: datetime, *key: str, more: int = 1) -> int:
        """Count e-mails, and return how many they are in this period."""
        number = str(now.timestamp() // period.total_seconds())
        digest = derive_key(self._key, "\n".join((*key, number))).hex()
        counted = EmailCount.count.add(more)
        ends = EmailCount.ends.set(now + 2 * period)
        return self._store.upsert(EmailCount.key(digest), counted, on_create=[ends]).count

    def is_over_hour(self, author: str, address: str, now: datetime, limit: int = PER_HOUR) -> bool:
        """Count an e-mail, and return whether the address gets too many from the author now."""
        return self.count(_HOUR, now, "hour", author, _mailbox(address)) > limit

    def is_over_day(self, author: str, address: str, now: datetime) -> bool:
        """Count an e-mail, and return whether the address gets too many today."""
        mailbox = _mailbox(address)
        if self.count(_DAY, now, "day", author, mailbox) > PER_DAY:
            return True
        return self.count(_DAY, now, "address", mailbox) > FROM_ALL


def _mailbox(address: str) -> str:
    """Return an address without case and subaddress: ada+news@example.org is ada@example.org."""
    name, _, domain = address.casefold().partition("@")
    return f"{name.partition('+')[0] or name}@{domain}"


class Outbox:
    """The outbox of an app.

    `link` and `unsubscribe` make the links of a recipient, from what the notice is about and the
    recipient. Single e-mails whose texts are Phrases are sent in the `language` of the site.
    """

    def __init__(
        self,
        store: Store,
        emails: mail.EmailDelivery = mail.KEEP_EMAILS,
        *,
        secret: bytes,
        link: MakeLink = lambda about, recipient: "",
        unsubscribe: MakeLink | None = None,
        language: Callable[[], Language] | None = None,
    ) -> None:
        self._store, self._emails = store, emails
        self._link, self._unsubscribe = link, unsubscribe or link
        self._language = language
        self._quotas = _Quotas(store, secret)
        self._cipher = AESGCM(derive_key(secret, "mail queue"))

    def enqueue(self, notices: Iterable[Notice], now: datetime) -> int:
        """Queue the notices that are new, and return how many; a failed one is sent again.

        Those beyond the daily limit of their author fail. Only a batch is in memory at a time.
        """
        known: dict[str, set[tuple[str, str]]] = {}
        new, queued = filter(partial(self._is_new, known), notices), 0
        while batch := [*islice(new, _BATCH)]:
            for author, notices in groupby(batch, lambda notice: notice.author):
                allowed, others = self._split(author, [*notices], now)
                queued += self._enqueue(allowed, now)
                self._enqueue(others, now, problem=_OVER_AUTHOR)
        return queued

    def _split(
        self, author: Author, notices: list[Notice], now: datetime
    ) -> tuple[list[Notice], list[Notice]]:
        """Count notices of an author, and return those within the daily limit, and the others."""
        if not author.has_daily_limit:
            return notices, []
        count = self._count_author(author, len(notices), now)
        allowed = max(0, len(notices) - max(0, count - PER_AUTHOR))
        return notices[:allowed], notices[allowed:]

    def _count_author(self, author: Author, more: int, now: datetime) -> int:
        return self._quotas.count(_DAY, now, "author", author.key, more=more)

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

    def _enqueue(self, notices: Sequence[Notice], now: datetime, *, problem: str = "") -> int:
        """Queue notices in one transaction, or one by one if somebody queues the same ones.

        With a problem, only note that they have failed.
        """
        if not notices:
            return 0
        state = DeliveryState.FAILED if problem else DeliveryState.WAITING
        is_new = Delivery.state.missing() | (Delivery.state == DeliveryState.FAILED)
        try:
            with self._store.transaction() as transaction:
                for notice in notices:
                    queued = _queued(notice, now)
                    if not problem:
                        transaction.create(queued)
                    transaction.put(_delivery(queued, state, now, problem), if_=is_new)
        except ConditionFailed:
            if len(notices) == 1:
                return 0
            return sum(self._enqueue([notice], now, problem=problem) for notice in notices)
        return len(notices)

    def send(self, email: mail.Email | None, now: datetime, author: Author = SITE) -> bool:
        """Queue a single e-mail, and return whether that was possible.

        It is sent before those to many. None is an e-mail to someone without a valid address.
        """
        if email is None:
            return False
        if author.has_daily_limit and self._count_author(author, 1, now) > PER_AUTHOR:
            _log.warning("A single e-mail was not sent: %s", _OVER_AUTHOR)
            return False
        subject, text = self._translate(email.subject), self._translate(email.text)
        token, iv = _new_token(), secrets.token_bytes(12)
        plain = json.dumps([[email.to, subject, text, email.reply_to], astuple(author)])
        content = iv + self._cipher.encrypt(iv, plain.encode(), token.encode())
        self._store.create(SealedEmail(due=now, token=token, content=content, ends=now + _SEALED))
        return True

    def _translate(self, text: str) -> str:
        if self._language is None or not isinstance(text, Phrase):
            return text
        return self._language().gettext(text)

    def deliveries(self, about: str) -> Iterator[Delivery]:
        """Yield what has become of the e-mails about something, by recipient."""
        return self._store.query(Delivery.key.partition(about), consistent=True)

    def deliver(self, now: datetime) -> int:
        """Send what is due, up to `AT_ONCE`, and return how many were sent.

        If the server does not answer, the others wait for the next call: each would take as long.
        """
        due = QueuedEmail.key.partition().le(now)
        sealed = SealedEmail.key.partition().le(now)
        single = [*self._store.query(sealed, limit=AT_ONCE, consistent=True)]
        left = max(1, AT_ONCE - len(single))
        found = self._store.query(due, limit=left, consistent=True)
        sent = 0
        with suppress(mail.MailServerUnreachable):
            for waiting in single:
                sent += self._deliver_sealed(waiting, now)
            for queued in [*found]:
                sent += self._deliver(queued, now)
        return sent

    def _transmit(self, email: mail.Email, now: datetime) -> None:
        """Hand an e-mail to the server, or keep it for a week if there is none."""
        if self._emails.server is not None:
            self._emails.server.transmit(email, now)
        else:
            self._store.create(
                KeptEmail(
                    sent_at=now,
                    token=_new_token(),
                    to=email.to,
                    subject=email.subject,
                    text=email.text,
                    reply_to=email.reply_to,
                    ends=now + timedelta(days=7),
                )
            )
        if self._emails.show is not None:
            self._emails.show(email)

    def _deliver(self, queued: QueuedEmail, now: datetime) -> bool:
        """Send one e-mail, and return whether it was sent by this process now."""
        leased = evolve(queued, due=now + LEASE, attempts=queued.attempts + 1)
        if not self._replace(queued, leased) or not self._is_allowed(queued, leased, now):
            return False
        try:
            self._transmit(self._email(queued), now)
        except (mail.MailNotSent, mail.InvalidEmail) as error:
            is_temporary = isinstance(error, mail.MailNotSent) and error.is_temporary
            self._note_problem(leased, str(error), now, is_temporary=is_temporary)
            if isinstance(error, mail.MailServerUnreachable):
                raise
            return False
        self._replace(leased, _delivery(leased, DeliveryState.SENT, now))
        return True

    def _deliver_sealed(self, waiting: SealedEmail, now: datetime) -> bool:
        """Send a single e-mail, and return whether it was sent by this process now."""
        leased = evolve(waiting, due=now + LEASE, attempts=waiting.attempts + 1)
        if not self._replace(waiting, leased):
            return False
        try:
            email, author = self._open(waiting)
            if not waiting.attempts and self._must_wait(email, author, now):
                self._replace(leased, evolve(waiting, due=now + _HOUR))
                return False
            self._transmit(email, now)
        except (mail.MailNotSent, mail.InvalidEmail) as error:
            is_temporary = isinstance(error, mail.MailNotSent) and error.is_temporary
            if is_temporary and leased.attempts <= len(RETRIES):
                self._replace(leased, evolve(leased, due=now + RETRIES[leased.attempts - 1]))
            else:
                self._replace(leased)
                _log.warning("A single e-mail was not sent: %s", error)
            if isinstance(error, mail.MailServerUnreachable):
                raise
            return False
        return self._replace(leased)

    def _open(self, waiting: SealedEmail) -> tuple[mail.Email, Author]:
        iv, content = waiting.content[:12], waiting.content[12:]
        try:
            plain = self._cipher.decrypt(iv, content, waiting.token.encode())
        except InvalidTag:
            raise mail.InvalidEmail("The secret of the site was replaced.") from None
        email, author = json.loads(plain)
        return mail.Email(*email), Author(*author)

    def _must_wait(self, email: mail.Email, author: Author, now: datetime) -> bool:
        """Count a single e-mail, and return whether it waits for an hour.

        Beyond the limits, raise InvalidEmail unless it is essential.
        """
        sent = author.key, email.to, now
        if author.is_essential:
            return self._quotas.is_over_hour(*sent, ESSENTIAL_PER_HOUR)
        if self._quotas.is_over_hour(*sent) or self._quotas.is_over_day(*sent):
            raise mail.InvalidEmail("The address gets too many e-mails from here.")
        return False

    def _is_allowed(self, queued: QueuedEmail, leased: QueuedEmail, now: datetime) -> bool:
        """Count an e-mail at its first attempt. Beyond the limits, let it wait or fail."""
        sent = queued.author, queued.to, now
        if queued.attempts:
            return True
        if self._quotas.is_over_hour(*sent):
            later = evolve(queued, due=now + _HOUR)
            waiting = _delivery(queued, DeliveryState.WAITING, now, _OVER_HOUR)
            self._replace(leased, waiting, later)
        elif self._quotas.is_over_day(*sent):
            self._note_problem(leased, _OVER_DAY, now, is_temporary=False)
        else:
            return True
        return False

    def _note_problem(
        self, leased: QueuedEmail, problem: str, now: datetime, *, is_temporary: bool
    ) -> None:
        retry = is_temporary and leased.attempts <= len(RETRIES)
        state = DeliveryState.WAITING if retry else DeliveryState.FAILED
        later = evolve(leased, due=now + RETRIES[leased.attempts - 1]) if retry else None
        self._replace(leased, _delivery(leased, state, now, problem), later)

    def _replace(self, queued: Q, *items: Q | Delivery | None) -> bool:
        """Replace an e-mail in the queue; return False if another process has it."""
        try:
            with self._store.transaction() as transaction:
                transaction.delete(key_of(queued), if_=type(queued).token.exists())
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


def newest_emails(store: Store, limit: int = 50) -> list[KeptEmail]:
    """Return the e-mails that stay in the outbox, newest first."""
    emails = KeptEmail.key.partition()
    return [*store.query(emails, limit=limit, reverse=True, consistent=True)]


def note_bounce(store: Store, report: bytes, now: datetime) -> Delivery | None:
    """Note an e-mail that a mail server reports as undeliverable (RFC 3464), and return it.

    None if the report is about no e-mail of an outbox, or about a delay only.
    """
    problem = _bounce_problem(message_from_bytes(report))
    for found in _ID.findall(report) if problem else ():
        about, purpose, recipient = (part.decode() for part in found)
        stored = store.get(Delivery.key(about, recipient, purpose), consistent=True)
        if stored is not None:
            failed = evolve(stored, state=DeliveryState.FAILED, at=now, problem=problem)
            return store.put(failed)
    return None


def _new_token() -> str:
    """Return a token that sorts after earlier ones, for e-mails of the same second."""
    return f"{time_ns():016x}{secrets.token_hex(4)}"


def _queued(notice: Notice, now: datetime) -> QueuedEmail:
    values = {field.name: getattr(notice, field.name) for field in fields(notice)}
    values["author"] = notice.author.key
    return QueuedEmail(due=now, token=_new_token(), ends=now + KEPT, **values)


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
