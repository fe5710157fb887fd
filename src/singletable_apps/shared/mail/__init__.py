"""Mail: a letter, and mailers that send it or keep it to be looked at."""

from __future__ import annotations

from singletable_apps.shared.kept import kept
from singletable_apps.shared.mail.errors import LetterRefused, MailError, MailRefused
from singletable_apps.shared.mail.letter import Letter, Mailer, check_address
from singletable_apps.shared.mail.outbox import KeptLetter, Outbox, SentLetter
from singletable_apps.shared.mail.smtp import Smtp

__all__ = [
    "KeptLetter",
    "Letter",
    "LetterRefused",
    "MailError",
    "MailRefused",
    "Mailer",
    "Outbox",
    "SentLetter",
    "Smtp",
    "check_address",
    "kept",
]
