"""What commands say of e-mails: the server of `--smtp`, the outbox, and reports of bounces."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from textwrap import indent
from urllib.parse import parse_qs, unquote, urlsplit

import typer

from ranked_ballots import replace_control_characters
from singletable import Store, Table
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.mail import Email, EmailDelivery, InvalidEmail, Smtp
from singletable_apps.shared.outbox import newest_emails, note_bounce
from singletable_apps.shared.serve import error_text, existing_address, open_driver
from singletable_apps.shared.service import utc_now

SMTP_PASSWORD = "SMTP_PASSWORD"
MAX_REPORT = 1 << 20
_PORT = 587
# How many e-mails the command prints.
SHOWN = 20


class InvalidSmtpUrl(AppError):
    """The URL of the mail server is not valid."""


def describe_delivery(emails: EmailDelivery, outbox_command: str) -> str:
    """Return where to find the e-mails; `outbox_command` prints those in the outbox."""
    if emails.server is not None:
        return "sent by the mail server"
    if emails.show is not None:
        return "printed here"
    # A file is open in one process only: the command works once the server has stopped.
    return f"kept in the outbox; add --print-emails, or stop and run: {outbox_command}"


def print_email(email: Email) -> None:
    """Print an e-mail."""
    typer.echo(f"\nE-mail to {email.to}: {email.subject}\n")
    for line in email.text.rstrip().split("\n"):
        typer.echo(f"  {replace_control_characters(line)}")
    typer.echo("")


def parse_smtp_url(text: str) -> Smtp:
    """Return the mail server of a URL. The password comes from the environment."""
    parts = urlsplit(text)
    sender = parse_qs(parts.query).get("from", [""])[-1]
    try:
        port = parts.port or _PORT
    except ValueError:
        port = 0
    if parts.scheme not in ("smtp", "smtp+plain") or not parts.hostname or not port or not sender:
        raise InvalidSmtpUrl(
            f"--smtp '{text}' is not valid. Use "
            "smtp://user@mail.example.org:587?from=vote@example.org, or smtp+plain:// for a "
            "local server without TLS."
        )
    if parts.password is not None:
        raise InvalidSmtpUrl(
            f"Set the password of the mail server as {SMTP_PASSWORD} in the environment, not in "
            "--smtp, where other users of this machine can see it."
        )
    user = unquote(parts.username) if parts.username else None
    try:
        return Smtp(
            parts.hostname,
            port,
            sender,
            user,
            os.environ.get(SMTP_PASSWORD) if user else None,
            starttls=parts.scheme == "smtp",
        )
    except (InvalidEmail, ValueError) as error:
        raise InvalidSmtpUrl(f"--smtp: {error}") from error


def print_outbox(address: str, tables: Mapping[Table, str]) -> None:
    """Print the latest e-mails in the outbox, newest first."""
    with open_driver(existing_address(address)) as driver:
        emails = newest_emails(Store(driver, tables=tables), SHOWN + 1)
    for sent in emails[:SHOWN]:
        heading = f"{sent.sent_at:%Y-%m-%d %H:%M}  {sent.to}: {sent.subject}"
        typer.echo(error_text(Exception(f"{heading}\n")))
        typer.echo(error_text(Exception(indent(sent.text, "  "))))
    if not emails:
        typer.echo("No e-mails in the last week.")
    if len(emails) > SHOWN:
        typer.echo("There are older e-mails.")


def note_bounces(address: str, tables: Mapping[Table, str]) -> None:
    """Note the e-mail that the report of a mail server on the standard input is about."""
    report = sys.stdin.buffer.read(MAX_REPORT)
    with open_driver(existing_address(address)) as driver:
        noted = note_bounce(Store(driver, tables=tables), report, utc_now())
    if noted is None:
        typer.echo("This is not a report about an e-mail from here that failed. Nothing changed.")
    else:
        text = f"About {noted.about}, to {noted.recipient}: {noted.problem}"
        typer.echo(error_text(Exception(text)))
