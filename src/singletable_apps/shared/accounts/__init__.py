"""Accounts: passwords, tokens, sessions, resets and guesses; whose they are, an app knows."""

from __future__ import annotations

from singletable_apps.shared.accounts.check_password import check_password
from singletable_apps.shared.accounts.errors import (
    AccountsError,
    PasswordRefused,
    ResetRefused,
    SessionRefused,
    TokenRefused,
    TooManyAttempts,
)
from singletable_apps.shared.accounts.items import Attempts, ResetToken, Session
from singletable_apps.shared.accounts.passwords import Passwords
from singletable_apps.shared.accounts.resets import Reset, Resets
from singletable_apps.shared.accounts.sessions import OpenSession, Renewed, Sessions
from singletable_apps.shared.accounts.throttle import Guessed, Throttle
from singletable_apps.shared.accounts.tokens import Access, AccessTokens
from singletable_apps.shared.kept import kept

__all__ = [
    "Access",
    "AccessTokens",
    "AccountsError",
    "Attempts",
    "Guessed",
    "OpenSession",
    "PasswordRefused",
    "Passwords",
    "Renewed",
    "Reset",
    "ResetRefused",
    "ResetToken",
    "Resets",
    "Session",
    "SessionRefused",
    "Sessions",
    "Throttle",
    "TokenRefused",
    "TooManyAttempts",
    "check_password",
    "kept",
]
