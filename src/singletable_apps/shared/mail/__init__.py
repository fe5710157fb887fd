"""Mail: a letter, and mailers that send it or keep it to be looked at."""

from __future__ import annotations

from singletable_apps.shared.accounts.entities import expiring
from singletable_apps.shared.mail.email import Email, Mailer, check_address
from singletable_apps.shared.mail.errors import InvalidEmail, MailError, MailNotSent
from singletable_apps.shared.mail.outbox import Outbox, OutboxEmail, StoredEmail
from singletable_apps.shared.mail.smtp import Smtp

__all__ = [
    "Email",
    "InvalidEmail",
    "MailError",
    "MailNotSent",
    "Mailer",
    "Outbox",
    "OutboxEmail",
    "Smtp",
    "StoredEmail",
    "check_address",
    "expiring",
]
