"""A mail server for tests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from singletable_apps.shared.mail import Email, MailError
from singletable_apps.shared.outbox import KeptEmail, newest_emails


def deliver(service: Any) -> None:
    """Send what is in the queue of a service, like its job."""
    context = service.context
    while context.mail.deliver(context.clock()):
        pass


def read_outbox(service: Any, limit: int = 50) -> list[KeptEmail]:
    """Send what is in the queue of a service, and return the outbox, newest first."""
    deliver(service)
    return newest_emails(service.context.store, limit)


class Mailbox:
    """A mail server that keeps what it sends, or fails with `error`."""

    def __init__(self) -> None:
        self.emails: list[Email] = []
        self.error: MailError | None = None

    def transmit(self, email: Email, now: datetime) -> None:
        if self.error is not None:
            raise self.error
        self.emails.append(email)
