"""Accounts with a username: register, sign in, and an optional e-mail address for resets.

An app declares its users, which may have more fields, and opens the accounts:

    class User(UserFields, table=table):
        "A person with an account."

    class Accounts(UsernameAccounts[User]):
        issuer, entity = "notes", User
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Generic, TypeVar

from singletable import AlreadyExists as ItemExists
from singletable import Attr, Entity, Key, Unique, attr, casefold, created
from singletable_apps.shared.accounts.email_changes import EmailChanges
from singletable_apps.shared.accounts.passwords import Passwords, check_password_field
from singletable_apps.shared.accounts.stored_accounts import (
    AccountsContext,
    StoredAccounts,
    new_user_id,
)
from singletable_apps.shared.errors import AlreadyExists
from singletable_apps.shared.text import InputChecks

MIN_USERNAME, MAX_USERNAME = 3, 50
MAX_NAME = 100
TAKEN = "Someone has this username already. Choose another one."
USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

U = TypeVar("U")


class UserFields(Entity):
    """A person with an account. `credentials` changes with the password and ends all sessions."""

    username: Attr[str] = attr()
    user_id: Attr[int] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr(default="")
    password_hash: Attr[str] = attr(hidden=True)
    credentials: Attr[int] = attr(default=1)
    role: Attr[str] = attr(default="")
    created_at: Attr[datetime] = created()

    key = Key(pk=("USER", casefold(username)), sk="USER")
    one_id = Unique(user_id, pk=("USERID", user_id), sk="USER")


def check_username(checks: InputChecks, username: str, field: str = "username") -> str:
    """Check a new username: 3 to 50 letters, digits, dots, hyphens and underscores."""
    name = username.strip()
    if not MIN_USERNAME <= len(name) <= MAX_USERNAME:
        checks.reject(field, f"Use {MIN_USERNAME} to {MAX_USERNAME} characters.")
    elif not USERNAME.fullmatch(name):
        checks.reject(field, "Use only letters, digits, dots, hyphens and underscores.")
    return name


class UsernameAccounts(StoredAccounts[U], Generic[U]):
    """Accounts with a username; everyone can register. `emails` changes their addresses."""

    wrong_login = "Wrong username or password."
    about = ("username", "name")

    def __init__(self, context: AccountsContext, passwords: Passwords | None = None) -> None:
        super().__init__(context, passwords)
        self._context = context
        self.emails = EmailChanges(
            self,
            context.store,
            context.mailer,
            secret=context.secret,
            link=context.urls.link,
            clock=context.clock,
        )

    def find_by_login(self, login: str) -> U | None:
        """Find an account by its username, in any case."""
        if len(login) > MAX_USERNAME or not USERNAME.fullmatch(login):
            return None
        found: U | None = self._store.get(self.entity.key(login), consistent=True)
        return found

    def find_by_id(self, subject: int) -> U | None:
        """Find an account by its number."""
        found: U | None = self._store.find(self.entity.one_id(subject))
        return found

    def is_taken(self, user: U, email: str) -> bool:
        """Return False: people sign in with usernames, and may share an address."""
        return False

    def set_email(self, user: U, email: str, by: str) -> U:
        """Store the confirmed address."""
        return self.update(user, self.entity.email.set(email))

    def register(self, username: str, name: str, password: str, email: str = "") -> U:
        """Create an account."""
        checks = InputChecks()
        username = check_username(checks, username)
        name = checks.line("name", name, longest=MAX_NAME, required=True)
        email = checks.email("email", email)
        check_password_field(checks, password, about=(username, name, email))
        checks.raise_errors()
        unconfirmed = email if self._context.confirm_addresses else ""
        if unconfirmed:
            self.emails.check_request(unconfirmed)
        user = self._create(
            username=username,
            name=name,
            email="" if unconfirmed else email,
            password_hash=self._passwords.hash(password),
        )
        if unconfirmed:
            self.emails.request(user, unconfirmed)
        return user

    def _create(self, **fields: object) -> U:
        try:
            user: U = self._store.create(self.entity(user_id=new_user_id(), **fields))
        except ItemExists:
            raise AlreadyExists({"username": TAKEN}) from None
        return user
