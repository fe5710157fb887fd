"""Every refusal of the room of accounts.

AccountsError
├─ PasswordRefused      also a ValueError: too short, too long, or the first one that is guessed
├─ TokenRefused         an access token that is no good; `why` says in a word
├─ SessionRefused       a refresh token that is no good; `why` says in a word
├─ ResetRefused         a link to a new password that is no good; `why` says in a word
└─ TooManyAttempts      guessed too often; `retry_after` says how long to wait

What these say may be shown to whoever asked: nothing in it tells whether an account exists.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, TypeAlias

WhyToken: TypeAlias = Literal["malformed", "forged", "expired"]
WhySession: TypeAlias = Literal["malformed", "forged", "ended", "expired", "reused"]
WhyReset: TypeAlias = Literal["malformed", "used", "expired"]


class AccountsError(Exception):
    """The root: whatever this room refuses is one of these."""


class PasswordRejected(AccountsError, ValueError):
    """A password that nobody should have."""


class InvalidToken(AccountsError):
    """An access token that opens nothing."""

    def __init__(self, why: WhyToken, message: str) -> None:
        super().__init__(message)
        self.why: WhyToken = why


class InvalidSession(AccountsError):
    """A refresh token that renews nothing."""

    def __init__(self, why: WhySession, message: str) -> None:
        super().__init__(message)
        self.why: WhySession = why


class InvalidReset(AccountsError):
    """A link to a new password that leads nowhere."""

    def __init__(self, why: WhyReset, message: str) -> None:
        super().__init__(message)
        self.why: WhyReset = why


class TooManyAttempts(AccountsError):
    """Guessed too often; after `retry_after` one more is allowed."""

    def __init__(self, retry_after: timedelta) -> None:
        seconds = -(-retry_after // timedelta(seconds=1))
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(f"Too many attempts. Try again in {seconds:,} {unit}.")
        self.retry_after = retry_after
