"""Accounts: sign in, sessions, passwords and password resets for the users of any app.

`Auth` does all of it. It is made of parts that know no users: for them a person is a number, the
`subject`, and `credentials` is a number that changes whenever the person's password does.
"""

from __future__ import annotations

from singletable_apps.shared.accounts.auth import Auth as Auth
from singletable_apps.shared.accounts.auth import SensitiveAction as SensitiveAction
from singletable_apps.shared.accounts.auth import SignedIn as SignedIn
from singletable_apps.shared.accounts.email_changes import EmailChanges as EmailChanges
from singletable_apps.shared.accounts.entities import Registration as Registration
from singletable_apps.shared.accounts.entities import Session as Session
from singletable_apps.shared.accounts.errors import NotSignedIn as NotSignedIn
from singletable_apps.shared.accounts.errors import PasswordRejected as PasswordRejected
from singletable_apps.shared.accounts.errors import TooManyAttempts as TooManyAttempts
from singletable_apps.shared.accounts.passwords import Passwords as Passwords
from singletable_apps.shared.accounts.passwords import check_password as check_password
from singletable_apps.shared.accounts.passwords import check_password_field as check_password_field
from singletable_apps.shared.accounts.people import ApprovalNotices as ApprovalNotices
from singletable_apps.shared.accounts.people import People as People
from singletable_apps.shared.accounts.people import search_people as search_people
from singletable_apps.shared.accounts.personal_tokens import Scope as Scope
from singletable_apps.shared.accounts.registration import NEEDS_SETUP_CODE as NEEDS_SETUP_CODE
from singletable_apps.shared.accounts.registration import NewAccount as NewAccount
from singletable_apps.shared.accounts.registration import Registrations as Registrations
from singletable_apps.shared.accounts.registration import SetupCode as SetupCode
from singletable_apps.shared.accounts.sessions import Sessions as Sessions
from singletable_apps.shared.accounts.stored_accounts import AccountsContext as AccountsContext
from singletable_apps.shared.accounts.stored_accounts import Invitation as Invitation
from singletable_apps.shared.accounts.stored_accounts import ManagedAccounts as ManagedAccounts
from singletable_apps.shared.accounts.stored_accounts import busy_account as busy_account
from singletable_apps.shared.accounts.stored_accounts import new_user_id as new_user_id
from singletable_apps.shared.accounts.throttle import Throttle as Throttle
from singletable_apps.shared.accounts.usernames import AccountRole as AccountRole
from singletable_apps.shared.accounts.usernames import UserFields as UserFields
from singletable_apps.shared.accounts.usernames import UsernameAccounts as UsernameAccounts
from singletable_apps.shared.accounts.usernames import people_index as people_index
from singletable_apps.shared.accounts.users import Account as Account
from singletable_apps.shared.expiry import expiring as expiring
