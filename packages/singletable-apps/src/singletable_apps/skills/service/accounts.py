"""Accounts: register, sign in, and what signing in needs to know about a person."""

from __future__ import annotations

from collections.abc import Callable

from singletable import AlreadyExists as ItemExists
from singletable_apps.shared.accounts import (
    NEEDS_SETUP_CODE,
    Passwords,
    SetupCode,
    StoredUsernames,
    UsernameAccounts,
    check_password_field,
)
from singletable_apps.shared.accounts.usernames import TAKEN, check_username, new_user_id
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Directory, Role, User
from singletable_apps.skills.errors import AlreadyExists, InvalidInput, NotPermitted
from singletable_apps.skills.rules import check_name
from singletable_apps.skills.service.context import Context


class Accounts(UsernameAccounts[User]):
    """The accounts of the directory."""

    def __init__(
        self,
        context: Context,
        passwords: Passwords,
        check_free: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(
            context,
            _Users(context),
            issuer="skills",
            passwords=passwords,
            wrong_login="Invalid credentials",
        )
        self._directory = context
        self._check_free = check_free
        self._setup_code = SetupCode(context.secret)

    def register(
        self,
        username: str,
        name: str,
        password: str,
        email: str = "",
        setup_code: str | None = None,
    ) -> User:
        """Create an account. The first one belongs to the administrator and needs the set-up code.

        Commands pass None as the code, because their user is trusted. Others get an e-mail to
        confirm their address if the settings say so; everyone who is signed in sees addresses.
        """
        checks = InputChecks()
        username = check_username(checks, username)
        name = check_name(checks, name)
        email = checks.email("email", email)
        check_password_field(checks, password, about=(username, name, email))
        checks.raise_errors(InvalidInput)
        directory = self._store.run(patterns.directory)
        if directory is not None and not directory.open_registration:
            raise NotPermitted("Registration is closed. Ask an administrator for an account.")
        is_first = self._is_new(directory)
        if is_first and setup_code is not None and not self._setup_code.matches(setup_code):
            raise InvalidInput({"setup_code": NEEDS_SETUP_CODE})
        is_confirmed = is_first or setup_code is None or not self._context.confirm_addresses
        if email and not is_confirmed:
            self.emails.check_request(email)
        user = User(
            username=username,
            user_id=new_user_id(),
            name=name,
            email=email if is_confirmed else "",
            password_hash=self._passwords.hash(password),
            role=Role.ADMIN if is_first else Role.USER,
        )
        try:
            pattern = patterns.create_user if directory else patterns.create_directory
            with self._store.transaction(pattern=pattern) as transaction:
                transaction.create(user)
                if directory is None:
                    transaction.create(Directory())
        except ItemExists as error:
            if isinstance(error.current, Directory):
                # Someone else was first.
                return self.register(username, name, password, email, setup_code)
            if self._directory.find_user(username, consistent=True):
                raise AlreadyExists({"username": TAKEN}) from error
            # Someone was renamed or deleted. Once everything is moved, the username is free.
            self._check_free(username)
            return self.register(username, name, password, email, setup_code)
        user = self._directory.get_user(username, consistent=True)
        if email and not is_confirmed:
            self.emails.request(user, email)
        return user

    def setup_code(self) -> str | None:
        """Return the set-up code, or None if there is an account already."""
        is_first = self._is_new(self._store.run(patterns.directory))
        return self._setup_code.code() if is_first else None

    def _is_new(self, directory: Directory | None) -> bool:
        # After a migration there are people, but no settings.
        if directory is not None:
            return False
        return not self._store.page(User.by_name(), 1, fields=(User.username,)).items


class _Users(StoredUsernames[User]):
    """The accounts in the table; a user who was renamed or deleted has none."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.store, User)
        self._context = context

    def find_by_login(self, login: str) -> User | None:
        """Find an account by its username, in any case."""
        return self._context.find_user(login, consistent=True)

    def find_by_id(self, subject: int) -> User | None:
        """Find an account by its number."""
        return self._store.run(patterns.user_by_id, subject)
