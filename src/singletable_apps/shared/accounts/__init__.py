"""Accounts: passwords, tokens, sessions, resets and guesses; whose they are, an app knows."""

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
from singletable_apps.shared.accounts.sessions import OpenSession, Renewed, Sessions
from singletable_apps.shared.accounts.throttle import Guessed, Throttle
from singletable_apps.shared.accounts.tokens import Access, AccessTokens

__all__ = [
    "Access",
    "AccessTokens",
    "AccountsError",
    "Attempts",
    "Guessed",
    "InvalidReset",
    "InvalidSession",
    "InvalidToken",
    "OpenSession",
    "PasswordRejected",
    "PasswordResets",
    "Passwords",
    "Renewed",
    "Reset",
    "ResetToken",
    "Session",
    "Sessions",
    "Throttle",
    "TooManyAttempts",
    "check_password",
    "expiring",
]
