"""Errors of accounts. Their messages may be shown to anyone: none reveals that an account exists.

AccountsError
├─ NotSignedIn        wrong password, or a token or link that is not valid; `field` says which field
├─ PasswordRejected   also a ValueError: too short, too long or too easy to guess
└─ TooManyAttempts    wait for `retry_after` before the next attempt
"""

from __future__ import annotations

from datetime import timedelta

from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.languages import Phrase


class AccountsError(Exception):
    """Base class of all errors raised here."""


class NotSignedIn(AccountsError, RequestRejected):
    """Not signed in, or the wrong password."""


class PasswordRejected(AccountsError, ValueError):
    """The new password is not acceptable."""


class TooManyAttempts(AccountsError):
    """Too many attempts. The next one is allowed after `retry_after`."""

    def __init__(self, retry_after: timedelta) -> None:
        # Rounded up, for the header Retry-After.
        self.seconds = max(1, -(-retry_after // timedelta(seconds=1)))
        wait = Phrase("%(count)s second", "%(count)s seconds", count=self.seconds)
        super().__init__(Phrase("Too many attempts. Try again in %(wait)s.", wait=wait))
        self.retry_after = retry_after
