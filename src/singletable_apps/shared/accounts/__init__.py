"""Accounts without users: passwords, access tokens, sessions, password resets and throttling.

An app keeps its own users. Here a person is a number, the `subject`, and `credentials` is a number
that changes whenever the person's password does.
"""

from __future__ import annotations

from singletable_apps.shared.accounts.entities import Attempts, ResetToken, Session, expiring
from singletable_apps.shared.accounts.errors import (
    AccountsError,
    InvalidReset,
    InvalidSession,
    InvalidToken,
    PasswordRejected,
    TooManyAttempts,
)
from singletable_apps.shared.accounts.password_resets import PasswordResets, Reset
from singletable_apps.shared.accounts.passwords import Passwords, check_password
from singletable_apps.shared.accounts.sessions import RenewedSession, SessionInfo, Sessions
from singletable_apps.shared.accounts.throttle import AttemptKey, Throttle
from singletable_apps.shared.accounts.tokens import AccessClaims, AccessTokens

__all__ = [
    "AccessClaims",
    "AccessTokens",
    "AccountsError",
    "AttemptKey",
    "Attempts",
    "InvalidReset",
    "InvalidSession",
    "InvalidToken",
    "PasswordRejected",
    "PasswordResets",
    "Passwords",
    "RenewedSession",
    "Reset",
    "ResetToken",
    "Session",
    "SessionInfo",
    "Sessions",
    "Throttle",
    "TooManyAttempts",
    "check_password",
    "expiring",
]
