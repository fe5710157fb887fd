"""Every refusal of the room of mail.

MailError
├─ LetterRefused        also a ValueError: an address, subject or text that makes no letter
└─ MailRefused          the letter was not taken; `passing` says whether it may be later
"""

from __future__ import annotations


class MailError(Exception):
    """The root: whatever this room refuses is one of these."""


class InvalidEmail(MailError, ValueError):
    """An address, subject or text that makes no letter; nothing was sent."""


class MailNotSent(MailError):
    """The letter was not taken. `passing` is whether the same may be taken when sent later."""

    def __init__(self, message: str, *, passing: bool) -> None:
        super().__init__(message)
        self.passing = passing
