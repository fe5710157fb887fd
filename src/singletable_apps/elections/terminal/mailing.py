"""Which way letters go: kept, printed too, or by the mail server that an operator names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qs, unquote, urlsplit

import typer

from singletable_apps.counting import replace_control_characters
from singletable_apps.elections.errors import ElectionsError
from singletable_apps.shared.mail import Letter, LetterRefused, Mailer, Smtp

PASSWORD = "SMTP_PASSWORD"
_PORT = 587


class MailingRefused(ElectionsError):
    """Letters cannot be sent that way."""


@dataclass(frozen=True, slots=True)
class Letters:
    """Which way letters go: by a server if there is one, and printed, too, if it is wished."""

    printed: bool = False
    server: Smtp | None = None

    def mailer(self, outbox: Mailer) -> Mailer:
        """Who sends them; without a server they are kept."""
        sender = self.server or outbox
        return _Printed(sender) if self.printed else sender

    @property
    def words(self) -> str:
        """Where one finds them."""
        if self.server is not None:
            return "sent by the mail server"
        return "printed here" if self.printed else "kept, for singletable elections outbox"


@dataclass(frozen=True, slots=True)
class _Printed:
    """A mailer that also shows each letter where the service was started."""

    sender: Mailer

    def send(self, letter: Letter, now: datetime) -> None:
        self.sender.send(letter, now)
        typer.echo(f"\nA letter to {letter.to}: {letter.subject}\n")
        for line in letter.text.rstrip().split("\n"):
            typer.echo(f"  {replace_control_characters(line)}")
        typer.echo("")


def letters_for(*, printed: bool, smtp: str | None) -> Letters:
    """The way that an operator names; `smtp` is smtp://user@mail.example.org?from=vote@example.org."""
    return Letters(printed, smtp_at(smtp) if smtp is not None else None)


def smtp_at(text: str) -> Smtp:
    """A mailer for the server; its password comes from the environment, and is on no screen."""
    parts = urlsplit(text)
    sender = parse_qs(parts.query).get("from", [""])[-1]
    try:
        port = parts.port or _PORT
    except ValueError:
        port = 0
    if parts.scheme not in ("smtp", "smtp+plain") or not parts.hostname or not port or not sender:
        raise MailingRefused(
            "--smtp takes an address as smtp://user@mail.example.org:587?from=vote@example.org "
            f"(smtp+plain:// for a server on one's own machine without TLS), and '{text}' is none."
        )
    if parts.password is not None:
        raise MailingRefused(
            f"The password of the mail server does not belong into --smtp, where others see it. "
            f"Put it into the environment variable {PASSWORD}."
        )
    user = unquote(parts.username) if parts.username else None
    try:
        return Smtp(
            parts.hostname,
            port,
            sender,
            user,
            os.environ.get(PASSWORD) if user else None,
            starttls=parts.scheme == "smtp",
        )
    except (LetterRefused, ValueError) as refusal:
        raise MailingRefused(f"--smtp: {refusal}") from refusal
