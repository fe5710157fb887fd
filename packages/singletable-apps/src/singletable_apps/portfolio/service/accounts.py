"""Accounts: set up the site, sign in, invite authors, and change or remove accounts."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

from singletable import AlreadyExists as ItemExists
from singletable import ConditionFailed, Selection, evolve, key_of
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import (
    Blog,
    Listing,
    Media,
    Portfolio,
    Role,
    SiteSettings,
    Trashed,
    User,
)
from singletable_apps.portfolio.profile_rules import MAX_NAME
from singletable_apps.portfolio.rules import PERMISSIONS, Permission
from singletable_apps.shared import accounts
from singletable_apps.shared.errors import AlreadyExists
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks

_TAKEN = "There is already an account with this e-mail address."


class Accounts(accounts.ManagedAccounts[User]):
    """The accounts of the site, by number. The base handles sessions, passwords and roles."""

    issuer = "portfolio"
    wrong_login = "Wrong e-mail address or password."
    entity = User
    by_id = patterns.user_by_id
    about = ("name", "email")
    admin = Role.OWNER
    last_admin = "A site needs an owner. Make someone else an owner first."
    role_change = patterns.change_role
    removal = patterns.delete_user
    member = Role.AUTHOR
    people_path = ("admin", "people")
    listed = User.by_date

    def check_manager(self, actor: User) -> None:
        """Raise NotPermitted unless someone may manage accounts."""
        PERMISSIONS.check(actor.role, Permission.MANAGE_ACCOUNTS)

    def get_user(self, who: int | str) -> User:
        """Return an account by its number, or raise NotFound."""
        number = str(who)
        is_id = number.isascii() and number.isdecimal() and len(number) < 17
        user = self.find_by_id(int(number)) if is_id else None
        return check_found(user, "There is no such account. It may have been removed.")

    def find_by_login(self, login: str) -> User | None:
        """Find an account by its e-mail address, in any case."""
        checks = InputChecks()
        email = checks.email("email", login, required=True)
        key = None if checks.errors else patterns.user_by_email(email)
        return None if key is None else self._store.get(key, consistent=True)

    def is_taken(self, user: User, email: str) -> bool:
        """Return whether someone else signs in with the address."""
        found = self.find_by_login(email)
        return found is not None and found.user_id != user.user_id

    def change_email(self, actor: User, user: User, email: str) -> User:
        """Send a link to a new address; addresses are stored in lower case."""
        return super().change_email(actor, user, email.lower())

    def set_email(self, user: User, email: str, by: str) -> User:
        """Move the account to its new key, and hand over its posts, images and trash.

        If that is interrupted, owners can still edit what was not handed over.
        """
        moved = evolve(user, email=email)
        try:
            with self._store.transaction(pattern=patterns.move_user) as transaction:
                transaction.delete(key_of(user), if_=User.revision == user.revision)
                transaction.create(moved)
        except ItemExists as error:
            raise AlreadyExists({"email": _TAKEN}) from error
        except ConditionFailed:
            raise accounts.NotSignedIn(
                "Your account was changed a moment ago. Try again."
            ) from None
        owned: list[tuple[Selection[Any], Any]] = [
            *((patterns.posts_in_list(listing), Blog.author) for listing in Listing),
            (patterns.all_images(), Media.uploaded_by),
            (patterns.trash(), Trashed.author),
        ]
        for found, field in owned:
            for item in self._store.query(found, where=field == user.email):
                with suppress(ConditionFailed):
                    self._store.update(key_of(item), field.set(email), if_=field == user.email)
        return moved

    def describe_invitation(self, actor: User, user: User) -> tuple[str, str]:
        """Return the subject of an invitation, and its first sentences."""
        settings = self._store.run(patterns.settings, "default")
        site = settings.title if settings else self._urls.public
        text = Phrase("%(name)s invites you to write for %(site)s.", name=actor.name, site=site)
        return Phrase("Write for %(site)s", site=site), text

    def set_up(
        self, name: str, email: str, password: str, site_title: str, setup_code: str | None = None
    ) -> User:
        """Create the settings of the site and its owner with the set-up code. This works once.

        Commands pass None as the code, because their user is trusted.
        """
        if self._store.get(patterns.settings("default"), consistent=True) is not None:
            raise _already_set_up()
        checks = InputChecks()
        name = checks.line("name", name, longest=MAX_NAME, required=True)
        email = checks.email("email", email, required=True).lower()
        title = checks.line("site_title", site_title, longest=MAX_NAME, required=True)
        accounts.check_password_field(checks, password, about=(name, email))
        if setup_code is not None and not self._setup_code.matches(setup_code):
            checks.reject("setup_code", accounts.NEEDS_SETUP_CODE)
        checks.raise_errors()
        now = self._clock()
        owner = self._new_user(name, email, Role.OWNER, self._passwords.hash(password))
        # Imported data may contain a portfolio.
        has_portfolio = self._store.get(patterns.portfolio("default"), consistent=True) is not None
        try:
            with self._store.transaction(pattern=patterns.set_up) as transaction:
                transaction.create(SiteSettings(title=title, updated_at=now))
                transaction.create(owner)
                if not has_portfolio:
                    transaction.create(Portfolio(name=name, updated_at=now))
        except ItemExists as error:
            if isinstance(error.current, User):
                raise AlreadyExists({"email": _TAKEN}) from error
            raise _already_set_up() from error
        return owner

    def setup_code(self) -> str | None:
        """Return the set-up code, or None if the site is set up already."""
        settings = self._store.get(patterns.settings("default"), consistent=True)
        return self._setup_code.code() if settings is None else None

    def start_session(
        self, user: User, about: str = "", *, proved: datetime | None = None
    ) -> accounts.SignedIn[User]:
        """Start a session, and note when the user signed in."""
        login = User.last_login.set(self._clock())
        try:
            is_same = User.user_id == user.user_id
            user = self._store.update(User.key(user.email), login, if_=is_same)
        except ConditionFailed:
            raise accounts.NotSignedIn("This account no longer exists.") from None
        return super().start_session(user, about, proved=proved)

    def list_accounts(self, actor: User) -> list[User]:
        """Return all accounts, oldest first."""
        self.check_manager(actor)
        return list(self._store.run(patterns.all_users))

    def invite(
        self, actor: User, name: str, email: str, role: Role = Role.AUTHOR
    ) -> accounts.Invitation[User]:
        """Create an account without a password, and e-mail a link to choose one."""
        self.check_manager(actor)
        checks = InputChecks()
        name = checks.line("name", name, longest=MAX_NAME, required=True)
        email = checks.email("email", email, required=True).lower()
        checks.raise_errors()
        try:
            user = self._store.create(self._new_user(name, email, role))
        except ItemExists as error:
            raise AlreadyExists({"email": _TAKEN}) from error
        return self._send_invitation(actor, user)

    def _new_user(self, name: str, email: str, role: Role, password_hash: str = "") -> User:
        return User(
            email=email,
            user_id=accounts.new_user_id(),
            name=name,
            role=role,
            password_hash=password_hash,
            created_at=self._clock(),
        )


def _already_set_up() -> NotPermitted:
    return NotPermitted("This site has been set up. Sign in.")
