"""Errors of accounts. Their messages may be shown to anyone: none reveals that an account exists.

AccountsError
├─ NotSignedIn        wrong password, or a session or link that has ended; `field` says which field
├─ PasswordRejected   also a ValueError: too short, too long or too easy to guess
├─ InvalidToken       an access token is not valid; `reason` says why
├─ InvalidSession     a refresh token is not valid; `reason` says why
├─ InvalidReset       a password reset link is not valid; `reason` says why
└─ TooManyAttempts    wait for `retry_after` before the next attempt
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, TypeAlias

from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.languages import Phrase

TokenReason: TypeAlias = Literal["malformed", "forged", "expired"]
SessionReason: TypeAlias = Literal["malformed", "forged", "ended", "expired", "reused"]
ResetReason: TypeAlias = Literal["malformed", "used", "expired"]


class AccountsError(Exception):
    """Base class of all errors raised here."""


class NotSignedIn(AccountsError, RequestRejected):
    """Not signed in, or the wrong password."""


class PasswordRejected(AccountsError, ValueError):
    """The new password is not acceptable."""


class InvalidToken(AccountsError):
    """The access token is not valid."""

    def __init__(self, reason: TokenReason, message: str) -> None:
        super().__init__(message)
        self.reason: TokenReason = reason


class InvalidSession(AccountsError):
    """The refresh token is not valid."""

    def __init__(self, reason: SessionReason, message: str) -> None:
        super().__init__(message)
        self.reason: SessionReason = reason


class InvalidReset(AccountsError):
    """The password reset link is not valid."""

    def __init__(self, reason: ResetReason, message: str) -> None:
        super().__init__(message)
        self.reason: ResetReason = reason


class TooManyAttempts(AccountsError):
    """Too many attempts. The next one is allowed after `retry_after`."""

    def __init__(self, retry_after: timedelta) -> None:
        # Rounded up, for the header Retry-After.
        self.seconds = max(1, -(-retry_after // timedelta(seconds=1)))
        wait = Phrase("%(count)s second", "%(count)s seconds", count=self.seconds)
        super().__init__(Phrase("Too many attempts. Try again in %(wait)s.", wait=wait))
        self.retry_after = retry_after
