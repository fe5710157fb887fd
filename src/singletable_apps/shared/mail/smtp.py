"""Letters sent by SMTP."""

from __future__ import annotations

import smtplib
import ssl
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid

from singletable_apps.shared.mail.email import Email, check_address
from singletable_apps.shared.mail.errors import MailNotSent


class Smtp:
    """A mailer that hands each letter to a server.

    `starttls` demands a line that nobody else reads, and `trusted` says whose certificates are
    believed there; without a line like that no password is sent. `timeout` is how many seconds the
    server may be silent.
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
        trusted: ssl.SSLContext | None = None,
        timeout: float = 10.0,
    ) -> None:
        check_address(sender)
        if username is not None and not starttls:
            raise ValueError(
                "A password would be sent in clear. Leave starttls on, or username out."
            )
        self._place = f"{host}:{port}"
        self._host, self._port = host, port
        self._sender = sender
        self._timeout = timeout
        self._username, self._password = username, password
        self._trusted = (trusted or ssl.create_default_context()) if starttls else None

    def send(self, letter: Email, now: datetime) -> None:
        """Hand the letter to the server; MailRefused if it does not take it."""
        message = message_of(letter, self._sender, now)
        try:
            self._deliver(message)
        except smtplib.SMTPException as refusal:
            raise self._refused(refusal) from refusal
        except OSError as failure:
            raise MailNotSent(
                f"The mail server {self._place} cannot be reached: {failure}. Look at host, port "
                "and certificate, and send the letter again.",
                passing=True,
            ) from failure

    def _deliver(self, message: EmailMessage) -> None:
        with smtplib.SMTP(self._host, self._port, timeout=self._timeout) as server:
            if self._trusted is not None:
                server.starttls(context=self._trusted)
            if self._username is not None:
                server.login(self._username, self._password or "")
            server.send_message(message)

    def _refused(self, refusal: smtplib.SMTPException) -> MailNotSent:
        said = f"The mail server {self._place}"
        match refusal:
            case smtplib.SMTPRecipientsRefused(recipients=recipients):
                code, text = next(iter(recipients.values()))
                return MailNotSent(
                    f"{said} does not take the address: {code} {_words(text)}. Correct it.",
                    passing=code < 500,
                )
            case smtplib.SMTPAuthenticationError(smtp_code=code, smtp_error=text):
                return MailNotSent(
                    f"{said} does not know us: {code} {_words(text)}. Look at username and "
                    "password.",
                    passing=code < 500,
                )
            case smtplib.SMTPResponseException(smtp_code=code, smtp_error=text):
                later = "Send it again later." if code < 500 else "Sending it again will not help."
                return MailNotSent(
                    f"{said} does not take the letter: {code} {_words(text)}. {later}",
                    passing=code < 500,
                )
            case smtplib.SMTPNotSupportedError():
                return MailNotSent(
                    f"{said} lacks something: {refusal}. Take another server, or another address.",
                    passing=False,
                )
            case _:
                return MailNotSent(f"{said} hung up: {refusal}. Send it again later.", passing=True)


def message_of(letter: Email, sender: str, now: datetime) -> EmailMessage:
    """The letter as it is sent."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = letter.to
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(now)
    message["Message-ID"] = make_msgid(domain=sender.partition("@")[2])
    # So that no machine answers that its owner is on holiday.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    return message


def _words(text: bytes | str) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text
