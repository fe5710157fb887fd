"""Accounts: sign in, sessions, passwords and password resets for the users of any app.

`Auth` does all of it. It is made of parts that know no users: for them a person is a number, the
`subject`, and `credentials` is a number that changes whenever the person's password does.
"""

from __future__ import annotations

from singletable_apps.shared.accounts.auth import Auth, SensitiveAction, SignedIn
from singletable_apps.shared.accounts.email_changes import EmailChanges
from singletable_apps.shared.accounts.entities import Registration, Session
from singletable_apps.shared.accounts.errors import (
    AccountsError,
    NotSignedIn,
    PasswordRejected,
    TooManyAttempts,
)
from singletable_apps.shared.accounts.notices import send_notice
from singletable_apps.shared.accounts.passwords import (
    Passwords,
    check_password,
    check_password_field,
)
from singletable_apps.shared.accounts.people import ApprovalNotices, People, search_people
from singletable_apps.shared.accounts.personal_tokens import Scope
from singletable_apps.shared.accounts.registration import (
    NEEDS_SETUP_CODE,
    NewAccount,
    Registrations,
    SetupCode,
)
from singletable_apps.shared.accounts.sessions import Sessions
from singletable_apps.shared.accounts.stored_accounts import (
    AccountsContext,
    Invitation,
    ManagedAccounts,
    busy_account,
    new_user_id,
)
from singletable_apps.shared.accounts.throttle import Throttle
from singletable_apps.shared.accounts.usernames import (
    AccountRole,
    UserFields,
    UsernameAccounts,
    people_index,
)
from singletable_apps.shared.accounts.users import Account
from singletable_apps.shared.expiry import expiring

__all__ = [
    "NEEDS_SETUP_CODE",
    "Account",
    "AccountRole",
    "AccountsContext",
    "AccountsError",
    "ApprovalNotices",
    "Auth",
    "EmailChanges",
    "Invitation",
    "ManagedAccounts",
    "NewAccount",
    "NotSignedIn",
    "PasswordRejected",
    "Passwords",
    "People",
    "Registration",
    "Registrations",
    "Scope",
    "SensitiveAction",
    "Session",
    "Sessions",
    "SetupCode",
    "SignedIn",
    "Throttle",
    "TooManyAttempts",
    "UserFields",
    "UsernameAccounts",
    "busy_account",
    "check_password",
    "check_password_field",
    "expiring",
    "new_user_id",
    "people_index",
    "search_people",
    "send_notice",
]
