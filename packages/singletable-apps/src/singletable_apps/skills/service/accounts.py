"""Accounts: register, invite people, and what signing in needs to know about a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from singletable import AlreadyExists as ItemExists
from singletable import Page, retry_conflicts
from singletable_apps.shared.accounts import (
    Passwords,
    Registration,
    UsernameAccounts,
    busy_account,
    new_user_id,
)
from singletable_apps.shared.accounts.usernames import TAKEN, check_username
from singletable_apps.shared.errors import AlreadyExists, Busy
from singletable_apps.shared.service import RevisionCheck, any_revision
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Directory, Role, User
from singletable_apps.skills.rules import (
    PERMISSIONS,
    ROLES,
    Permission,
    check_name,
    check_self,
    registration_of,
)
from singletable_apps.skills.service.cascades import Cascades
from singletable_apps.skills.service.context import Context


class Accounts(UsernameAccounts[User]):
    """The accounts of the directory, by username. The base handles sessions and roles."""

    issuer = "skills"
    wrong_login = "Invalid credentials"
    entity = User
    by_id = patterns.user_by_id
    listed = User.by_name
    admin, member, waiting = Role.ADMIN, Role.USER, Role.WAITING
    role_names: ClassVar[Mapping[Role, str]] = {role: name for role, name, *_ in ROLES}
    last_admin = "The directory needs an administrator. Make someone else an administrator first."
    role_change = patterns.change_role
    people_path = ("admin", "people")

    def __init__(self, context: Context, passwords: Passwords, cascades: Cascades) -> None:
        super().__init__(context, passwords)
        self._context = context
        self._cascades = cascades

    def check_manager(self, actor: User) -> None:
        """Raise NotPermitted unless someone may manage accounts."""
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)

    def get_user(self, who: str) -> User:
        """Return a person by username, or raise NotFound."""
        return self._context.get_user(who, consistent=True)

    def find_by_id(self, subject: int) -> User | None:
        """Find an account by its number."""
        return self._store.run(patterns.user_by_id, subject)

    def find_by_login(self, login: str) -> User | None:
        """Find an account by its username, in any case."""
        return self._context.find_user(login, consistent=True)

    def list_admins(self) -> Iterator[User | None]:
        """Return the administrators in the index as they are now."""
        is_admin = User.role == Role.ADMIN
        for (username,) in self._store.select(patterns.all_users(), User.username, where=is_admin):
            yield self._context.find_user(username, consistent=True)

    def read_people(self, limit: int, cursor: str | None) -> Page[User]:
        """Return some people, by name."""
        return self._store.page(patterns.all_accounts(), limit, cursor=cursor, hydrate=True)

    @retry_conflicts(otherwise=busy_account)
    def remove(self, actor: User, who: str, check: RevisionCheck = any_revision) -> User:
        """Delete a person with everything that refers to them. Return the person as they were."""
        check_self(actor, who)
        user = self.get_user(who)
        check(user.revision)
        self._cascades.check_not_moving(user)
        transaction = self.keep_admin(actor, user, patterns.start_cascade)
        self._cascades.start(user, transaction=transaction)
        return user

    def describe_invitation(self, actor: User, user: User) -> tuple[str, str]:
        """Return the subject of an invitation, and who invites to what."""
        directory = (self._store.run(patterns.directory) or Directory()).name
        text = f"{actor.name} invites you to {directory}, a directory of people and their skills."
        return f"Your account in {directory}", f"{text} Your username is {user.username}."

    def registration(self) -> Registration:
        """Return the setting: registration is open, by approval or closed."""
        return registration_of(self._store.run(patterns.directory) or Directory())

    def set_registration(self, actor: User, registration: Registration) -> object:
        """Change who may register."""
        self.check_manager(actor)
        return self._store.update(Directory.key(), Directory.registration.set(registration))

    def is_new(self) -> bool:
        """Return whether there is no account yet. After a migration there are no settings."""
        if self._store.run(patterns.directory) is not None:
            return False
        return not self._store.page(User.by_name(), 1, fields=(User.username,)).items

    def _check_names(self, checks: InputChecks, username: str, name: str) -> tuple[str, str]:
        return check_username(checks, username), check_name(checks, name)

    def _create(self, **fields: Any) -> User:
        """Create a person, and with the first one the settings of the directory."""
        user, directory = User(user_id=new_user_id(), **fields), self._store.run(patterns.directory)
        try:
            pattern = patterns.create_user if directory else patterns.create_directory
            with self._store.transaction(pattern=pattern) as transaction:
                transaction.create(user)
                if directory is None:
                    transaction.create(Directory())
        except ItemExists as error:
            if isinstance(error.current, Directory):
                # Someone else was first, and is the administrator.
                raise Busy("Someone else has just registered. Try again.") from error
            if self._context.find_user(user.username, consistent=True):
                raise AlreadyExists({"username": TAKEN}) from error
            # Someone was renamed or deleted. Once everything is moved, the username is free.
            self._cascades.check_free(user.username)
            return self._create(**fields)
        return self._context.get_user(user.username, consistent=True)
