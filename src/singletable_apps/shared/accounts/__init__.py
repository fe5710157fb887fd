"""Accounts: sign in, sessions, passwords and password resets for the users of any app.

`Auth` does all of it. It is made of parts that know no users: for them a person is a number, the
`subject`, and `credentials` is a number that changes whenever the person's password does.
"""

from __future__ import annotations

from singletable_apps.shared.accounts.auth import Account, Auth, SignedIn, Users
from singletable_apps.shared.accounts.entities import Attempts, ResetToken, Session
from singletable_apps.shared.accounts.errors import (
    AccountsError,
    InvalidReset,
    InvalidSession,
    InvalidToken,
    NotSignedIn,
    PasswordRejected,
    TooManyAttempts,
)
from singletable_apps.shared.accounts.password_resets import PasswordResets, Reset
from singletable_apps.shared.accounts.passwords import (
    Passwords,
    check_password,
    check_password_field,
)
from singletable_apps.shared.accounts.sessions import RenewedSession, SessionInfo, Sessions
from singletable_apps.shared.accounts.throttle import AttemptKey, Throttle
from singletable_apps.shared.accounts.tokens import AccessClaims, AccessTokens
from singletable_apps.shared.expiry import expiring

__all__ = [
    "AccessClaims",
    "AccessTokens",
    "Account",
    "AccountsError",
    "AttemptKey",
    "Attempts",
    "Auth",
    "InvalidReset",
    "InvalidSession",
    "InvalidToken",
    "NotSignedIn",
    "PasswordRejected",
    "PasswordResets",
    "Passwords",
    "RenewedSession",
    "Reset",
    "ResetToken",
    "Session",
    "SessionInfo",
    "Sessions",
    "SignedIn",
    "Throttle",
    "TooManyAttempts",
    "Users",
    "check_password",
    "check_password_field",
    "expiring",
]
