"""Plain-text e-mail: validated messages, and the SMTP server that sends them.

MailError
├─ InvalidEmail     also a ValueError: the address, subject or text is not acceptable
└─ MailNotSent      the server did not accept the message; `is_temporary` says whether to retry
"""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime, make_msgid
from typing import Protocol

MAX_ADDRESS_LENGTH = 254
MAX_SUBJECT_LENGTH = 200
MAX_TEXT_BYTES = 100_000

# Characters that separate addresses or end a header are rejected, so nothing can be injected.
_ADDRESS_PART = r"[^\s\x00-\x1f\x7f-\x9f@,;:<>()\[\]\\\"]+"
_LABEL = _ADDRESS_PART.replace("@", "@.")
_ADDRESS = re.compile(rf"{_ADDRESS_PART}@{_LABEL}(\.{_LABEL})*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class MailError(Exception):
    """Base class of all errors raised here."""


class InvalidEmail(MailError, ValueError):
    """The address, subject or text is not acceptable. Nothing was sent."""


class MailNotSent(MailError):
    """The server did not accept the message. `is_temporary` says whether a retry may succeed."""

    def __init__(self, message: str, *, is_temporary: bool) -> None:
        super().__init__(message)
        self.is_temporary = is_temporary


class MailServerUnreachable(MailNotSent):
    """The server cannot be connected to, stopped answering, or does not let us sign in."""

    def __init__(self, message: str) -> None:
        super().__init__(message, is_temporary=True)


@dataclass(frozen=True, slots=True)
class Email:
    """A plain-text message to one address. Replies go to `reply_to`, if it is not empty.

    `unsubscribe` is the URL that ends such messages with one click (RFC 8058). `reference` is the
    first half of the Message-ID, by which a report of its delivery is recognized.
    """

    to: str
    subject: str
    text: str
    reply_to: str = ""
    unsubscribe: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        check_address(self.to)
        if self.reply_to:
            check_address(self.reply_to)
        if not self.subject.strip() or len(self.subject) > MAX_SUBJECT_LENGTH:
            raise InvalidEmail(
                f"Expected a subject of 1 to {MAX_SUBJECT_LENGTH} characters, but got "
                f"{len(self.subject):,}."
            )
        if control := _CONTROL.search(self.subject):
            raise InvalidEmail(f"Expected a subject of one line, but it contains {control[0]!r}.")
        for name, text in (
            ("address", self.to),
            ("address for replies", self.reply_to),
            ("subject", self.subject),
            ("text", self.text),
        ):
            _check_size(name, text)


class MailServer(Protocol):
    """Anything that sends e-mail: `Smtp` or one of your own. Only the outbox calls it."""

    def transmit(self, email: Email, now: datetime) -> None:
        """Send `email`, dated `now`. Raise MailNotSent if the server does not accept it."""
        ...


@dataclass(frozen=True, slots=True)
class EmailDelivery:
    """How e-mails leave the outbox: by a `server`. Without one, they stay in it for a week.

    `show` is called with each e-mail as well, such as to print it.
    """

    server: MailServer | None = None
    show: Callable[[Email], object] | None = None


KEEP_EMAILS = EmailDelivery()


def check_address(address: str) -> None:
    """Raise InvalidEmail unless `address` is exactly one e-mail address."""
    if len(address) > MAX_ADDRESS_LENGTH or not _ADDRESS.fullmatch(address):
        raise InvalidEmail(
            f"Expected one address such as ada@example.org, but got {address[:100]!r}."
        )


def _check_size(name: str, text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidEmail(f"The {name} contains half a character (a lone surrogate).") from None
    if size > MAX_TEXT_BYTES:
        raise InvalidEmail(f"Expected at most {MAX_TEXT_BYTES:,} bytes, but got {size:,}.")


class Smtp:
    """An SMTP server.

    `starttls` requires an encrypted connection, checked against `tls_context`; a password is never
    sent without it. `timeout` is in seconds, for each answer of the server.
    """

    def __init__(
        self,
        host: str,
        port: int,
        sender: str,
        username: str | None = None,
        password: str | None = None,
        starttls: bool = True,
        *,
        tls_context: ssl.SSLContext | None = None,
        timeout: float = 10.0,
    ) -> None:
        check_address(sender)
        if username is not None and not starttls:
            raise ValueError(
                "The password would be sent unencrypted. Keep starttls on, or leave out username."
            )
        self._host, self._port = host, port
        self._sender = sender
        self._timeout = timeout
        self._username, self._password = username, password
        self._tls_context = (tls_context or ssl.create_default_context()) if starttls else None

    def transmit(self, email: Email, now: datetime) -> None:
        """Hand the e-mail to the server. Raise MailNotSent if it is not accepted."""
        message = build_message(email, self._sender, now)
        try:
            self._deliver(message)
        except smtplib.SMTPException as error:
            raise self._not_sent(error) from error
        except OSError as error:
            raise MailServerUnreachable(
                f"Could not connect to the mail server {self._host}:{self._port}: {error}. Check "
                "the host, port and certificate."
            ) from error

    def _deliver(self, message: EmailMessage) -> None:
        with smtplib.SMTP(self._host, self._port, timeout=self._timeout) as server:
            if self._tls_context is not None:
                server.starttls(context=self._tls_context)
            if self._username is not None:
                server.login(self._username, self._password or "")
            server.send_message(message)

    def _not_sent(self, error: smtplib.SMTPException) -> MailNotSent:
        server = f"The mail server {self._host}:{self._port}"
        match error:
            case smtplib.SMTPRecipientsRefused(recipients=recipients):
                code, reply = next(iter(recipients.values()))
                problem = "rejected the address"
                advice = "Try again later." if code < 500 else "Check the address."
            case smtplib.SMTPAuthenticationError(smtp_code=code, smtp_error=reply):
                problem, advice = "rejected our sign-in", "Check the username and password."
            case smtplib.SMTPResponseException(smtp_code=code, smtp_error=reply):
                advice = "Try again later." if code < 500 else "Trying again will not help."
                problem = "rejected the e-mail"
            case smtplib.SMTPNotSupportedError():
                return MailNotSent(
                    f"{server} lacks a feature that this e-mail needs: {error}. Use another server "
                    "or address.",
                    is_temporary=False,
                )
            case _:
                return MailServerUnreachable(
                    f"{server} closed the connection: {error}. Try again later."
                )
        text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
        message = f"{server} {problem}: {code} {text}. {advice}"
        if isinstance(error, smtplib.SMTPAuthenticationError):
            return MailServerUnreachable(message)
        return MailNotSent(message, is_temporary=code < 500)


class _Policy(EmailPolicy):
    """Folds headers, but not a URL: a long one would be encoded, and mail programs need it."""

    def fold_binary(self, name: str, value: str) -> bytes:
        if name == "List-Unsubscribe":
            return f"{name}: {value}{self.linesep}".encode()
        return super().fold_binary(name, value)


def build_message(email: Email, sender: str, now: datetime) -> EmailMessage:
    """Return the MIME message for `email`."""
    message = EmailMessage(policy=_Policy(linesep="\r\n"))
    message["From"] = sender
    message["To"] = email.to
    if email.reply_to:
        message["Reply-To"] = email.reply_to
    message["Subject"] = email.subject
    message["Date"] = format_datetime(now)
    domain = sender.partition("@")[2]
    known = email.reference and f"<{email.reference}@{domain}>"
    message["Message-ID"] = known or make_msgid(domain=domain)
    if email.unsubscribe:
        message["List-Unsubscribe"] = f"<{email.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    # Keeps autoresponders such as vacation notices quiet.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(email.text)
    return message
