"""The mail server that an operator names: smtp://user@mail.example.org?from=vote@example.org."""

from __future__ import annotations

import os
from urllib.parse import parse_qs, unquote, urlsplit

from singletable_apps.elections.terminal.refusing import MailingRefused
from singletable_apps.shared.mail import LetterRefused, Smtp

PASSWORD = "SMTP_PASSWORD"
_PORT = 587


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
