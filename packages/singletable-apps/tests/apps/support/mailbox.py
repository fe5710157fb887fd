"""A mailer for tests."""

from __future__ import annotations

from datetime import datetime

from singletable_apps.shared.mail import Email, MailError


class Mailbox:
    """A mailer that keeps what it sends, or fails with `error`."""

    def __init__(self) -> None:
        self.emails: list[Email] = []
        self.error: MailError | None = None

    def send(self, email: Email, now: datetime) -> None:
        if self.error is not None:
            raise self.error
        self.emails.append(email)
