"""Accounts with a username: register, sign in, and an optional e-mail address for resets.

An app declares its users, which may have more fields, and opens the accounts:

    class User(UserFields, table=table):
        "A person with an account."

    accounts = UsernameAccounts(context, StoredUsernames(context.store, User), issuer="notes")
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime
from typing import Any, Generic, TypeVar

from singletable import AlreadyExists as ItemExists
from singletable import Attr, Entity, Key, Store, Unique, attr, casefold, created
from singletable_apps.shared.accounts.auth import Auth
from singletable_apps.shared.accounts.email_changes import EmailChanges
from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.accounts.passwords import Passwords, check_password_field
from singletable_apps.shared.accounts.stored_users import StoredUsers
from singletable_apps.shared.errors import AlreadyExists, InvalidInput
from singletable_apps.shared.service import Context
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


def new_user_id() -> int:
    """Return a number for a new account. It never comes back, so it is not counted up."""
    return 1 + secrets.randbelow(1 << 53)


class StoredUsernames(StoredUsers[U]):
    """Finds and changes the users; `entity` has the keys of UserFields."""

    def __init__(self, store: Store, entity: type[U]) -> None:
        super().__init__(store, entity, NotSignedIn)

    def create(self, **fields: object) -> U:
        """Create a user, or raise AlreadyExists."""
        try:
            user: U = self._store.create(self._entity(user_id=new_user_id(), **fields))
        except ItemExists:
            raise AlreadyExists({"username": TAKEN}) from None
        return user

    def find_by_login(self, login: str) -> U | None:
        """Find an account by its username, in any case."""
        if len(login) > MAX_USERNAME or not USERNAME.fullmatch(login):
            return None
        found: U | None = self._store.get(self._entity.key(login), consistent=True)
        return found

    def find_by_id(self, subject: int) -> U | None:
        """Find an account by its number."""
        found: U | None = self._store.find(self._entity.one_id(subject))
        return found

    def is_taken(self, user: U, email: str) -> bool:
        """Return False: people sign in with usernames, and may share an address."""
        return False

    def set_email(self, user: U, email: str, by: str) -> U:
        """Store the confirmed address."""
        return self.update(user, self._entity.email.set(email))

    def check_password(self, user: Any, password: str, field: str) -> None:
        """Raise InvalidInput if the new password is too easy to guess."""
        checks = InputChecks()
        check_password_field(checks, password, about=(user.username, user.name), field=field)
        checks.raise_errors(InvalidInput)


class UsernameAccounts(Auth[U], Generic[U]):
    """Accounts with a username; everyone can register. `emails` changes their addresses."""

    def __init__(
        self,
        context: Context,
        users: StoredUsernames[U],
        *,
        issuer: str,
        passwords: Passwords | None = None,
        wrong_login: str = "Wrong username or password.",
    ) -> None:
        super().__init__(
            users,
            context.store,
            context.mailer,
            secret=context.secret,
            issuer=issuer,
            reset_link=lambda token: context.link("reset", token),
            clock=context.clock,
            passwords=passwords,
            wrong_login=wrong_login,
        )
        self._context = context
        self._stored = users
        self.emails = EmailChanges(
            users,
            context.store,
            context.mailer,
            secret=context.secret,
            link=context.link,
            clock=context.clock,
        )

    def find(self, username: str) -> U | None:
        """Return the account with this username, in any case, or None."""
        return self._find(username)

    def register(self, username: str, name: str, password: str, email: str = "") -> U:
        """Create an account."""
        checks = InputChecks()
        username = check_username(checks, username)
        name = checks.line("name", name, longest=MAX_NAME, required=True)
        email = checks.email("email", email)
        check_password_field(checks, password, about=(username, name, email))
        checks.raise_errors(InvalidInput)
        unconfirmed = email if self._context.confirm_addresses else ""
        if unconfirmed:
            self.emails.check_request(unconfirmed)
        user = self._stored.create(
            username=username,
            name=name,
            email="" if unconfirmed else email,
            password_hash=self._passwords.hash(password),
        )
        if unconfirmed:
            self.emails.request(user, unconfirmed)
        return user
