"""Accounts: register, invite people, and what signing in needs to know about a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from singletable import AlreadyExists as ItemExists
from singletable import retry_conflicts
from singletable_apps.shared.accounts import (
    NEEDS_SETUP_CODE,
    EmailChanges,
    Invitation,
    ManagedAccounts,
    Passwords,
    busy_account,
    check_password_field,
    new_user_id,
)
from singletable_apps.shared.accounts.usernames import TAKEN, check_username
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Directory, Role, User
from singletable_apps.skills.errors import AlreadyExists, InvalidInput, NotPermitted
from singletable_apps.skills.rules import PERMISSIONS, Permission, check_name
from singletable_apps.skills.service.context import Context


class Accounts(ManagedAccounts[User, str]):
    """The accounts of the directory, by username. The base handles sessions and roles."""

    issuer = "skills"
    wrong_login = "Invalid credentials"
    entity = User
    by_id = patterns.user_by_id
    about = ("username", "name")
    admin = Role.ADMIN
    last_admin = "The directory needs an administrator. Make someone else an administrator first."
    role_change = patterns.change_role

    def __init__(
        self,
        context: Context,
        passwords: Passwords,
        check_free: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(context, passwords)
        self._context = context
        self._check_free = check_free
        self.emails = EmailChanges(
            self,
            context.store,
            context.mailer,
            secret=context.secret,
            link=context.urls.link,
            clock=context.clock,
        )

    def check_manager(self, actor: User) -> None:
        """Raise NotPermitted unless someone may manage accounts."""
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)

    def get_user(self, who: str) -> User:
        """Return a person by username, or raise NotFound."""
        return self._context.get_user(who, consistent=True)

    def list_admins(self) -> Iterator[User | None]:
        """Return the administrators in the index as they are now."""
        is_admin = User.role == Role.ADMIN
        for (username,) in self._store.select(patterns.all_users(), User.username, where=is_admin):
            yield self._context.find_user(username, consistent=True)

    def find_by_login(self, login: str) -> User | None:
        """Find an account by its username, in any case."""
        return self._context.find_user(login, consistent=True)

    def is_taken(self, user: User, email: str) -> bool:
        """Return False: people sign in with usernames, and may share an address."""
        return False

    def set_email(self, user: User, email: str, by: str) -> User:
        """Store the confirmed address."""
        return self.update(user, User.email.set(email))

    def describe_invitation(self, actor: User, user: User) -> tuple[str, str]:
        """Return the subject of an invitation, and who invites to what."""
        directory = (self._store.run(patterns.directory) or Directory()).name
        text = f"{actor.name} invites you to {directory}, a directory of people and their skills."
        return f"Your account in {directory}", f"{text} Your username is {user.username}."

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
        checks.raise_errors()
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
            if self._context.find_user(username, consistent=True):
                raise AlreadyExists({"username": TAKEN}) from error
            # Someone was renamed or deleted. Once everything is moved, the username is free.
            self._check_free(username)
            return self.register(username, name, password, email, setup_code)
        user = self._context.get_user(username, consistent=True)
        if email and not is_confirmed:
            self.emails.request(user, email)
        return user

    @retry_conflicts(otherwise=busy_account)
    def invite(
        self, actor: User, username: str, name: str, email: str, role: Role = Role.USER
    ) -> Invitation[User]:
        """Create a person without a password, and e-mail a link to choose one."""
        self.check_manager(actor)
        checks = InputChecks()
        username, name = check_username(checks, username), check_name(checks, name)
        email = checks.email("email", email, required=True)
        checks.raise_errors()
        user = User(username=username, user_id=new_user_id(), name=name, email=email, role=role)
        try:
            return self._send_invitation(actor, self._store.create(user))
        except ItemExists:
            self._check_free(username)
            raise

    def setup_code(self) -> str | None:
        """Return the set-up code, or None if there is an account already."""
        is_first = self._is_new(self._store.run(patterns.directory))
        return self._setup_code.code() if is_first else None

    def _is_new(self, directory: Directory | None) -> bool:
        # After a migration there are people, but no settings.
        if directory is not None:
            return False
        return not self._store.page(User.by_name(), 1, fields=(User.username,)).items
