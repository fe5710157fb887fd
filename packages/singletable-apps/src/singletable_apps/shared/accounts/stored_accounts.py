"""Accounts in the table of an app: passwords, roles, invitations, and the last administrator."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar

from singletable import ConditionFailed, Store, Transaction, WritePattern, key_of, retry_conflicts
from singletable_apps.shared.accounts import notices
from singletable_apps.shared.accounts.auth import Auth
from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.accounts.notices import Account, send_notice
from singletable_apps.shared.accounts.password_resets import PasswordResets
from singletable_apps.shared.accounts.passwords import Passwords, check_password_field
from singletable_apps.shared.accounts.registration import SetupCode
from singletable_apps.shared.errors import Busy, InvalidInput
from singletable_apps.shared.mail import Mailer
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import RevisionCheck, any_revision
from singletable_apps.shared.text import InputChecks
from singletable_apps.shared.urls import Urls

U = TypeVar("U")
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class AccountsContext:
    """The context of services with accounts.

    With `confirm_addresses`, an e-mail address is saved when its owner opens the link sent to it.
    """

    store: Store
    secret: bytes = field(repr=False)
    mailer: Mailer
    urls: Urls
    clock: Callable[[], datetime]
    confirm_addresses: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Invitation(Generic[U]):
    """A new account, and whether the e-mail with its link was sent."""

    user: U
    is_sent: bool


def busy_account() -> Busy:
    """Return the error if others keep changing an account; nothing was changed."""
    return Busy("Someone else is changing this account right now. Try again.")


def new_user_id() -> int:
    """Return a number for a new account. It never comes back, so it is not counted up."""
    return 1 + secrets.randbelow(1 << 53)


class StoredAccounts(Auth[U], ABC, Generic[U]):
    """`Auth` for users in the table.

    `U` is an entity with the fields of `Account` and a `user_id`, which is the subject. An app
    declares the class variables.
    """

    issuer: ClassVar[str]
    wrong_login: ClassVar[str]
    entity: ClassVar[Any]
    # The fields that make a password easy to guess.
    about: ClassVar[tuple[str, ...]]

    def __init__(self, context: AccountsContext, passwords: Passwords | None = None) -> None:
        super().__init__(
            self,
            context.store,
            context.mailer,
            secret=context.secret,
            issuer=self.issuer,
            reset_link=lambda token: context.urls.link("reset", token),
            clock=context.clock,
            passwords=passwords,
            wrong_login=self.wrong_login,
        )

    @abstractmethod
    def find_by_login(self, login: str) -> U | None:
        """Return the user with this name or e-mail address, in any case, or None."""

    @abstractmethod
    def find_by_id(self, subject: int) -> U | None:
        """Return the user with this number, or None."""

    def account_of(self, user: Any) -> Account:
        """Return the account of a user."""
        return Account(
            user.user_id, user.credentials, user.password_hash, user.name, user.email, user.role
        )

    def check_password(self, user: U, password: str, field: str) -> None:
        """Raise InvalidInput if the new password is too easy to guess."""
        checks = InputChecks()
        about = [getattr(user, name) for name in self.about]
        check_password_field(checks, password, about=about, field=field)
        checks.raise_errors()

    def set_password(self, user: U, password_hash: str) -> U:
        """Change the password, unless it was changed since `user` was read."""
        edit = self.entity.password_hash.set(password_hash)
        return self.update(user, edit, self.entity.credentials.add(1))

    def rehash(self, user: U, password_hash: str) -> None:
        """Store the same password with the current parameters. Sessions stay valid."""
        with suppress(NotSignedIn):
            self.update(user, self.entity.password_hash.set(password_hash))

    def update(self, user: Any, *edits: Any) -> U:
        """Edit a user and return them as stored.

        Raise NotSignedIn if they were deleted or have another password since they were read. The
        number is compared too: another user may have the name or address of a deleted one.
        """
        is_same = self.entity.user_id == user.user_id
        unchanged = is_same & (self.entity.credentials == user.credentials)
        try:
            changed: U = self._store.update(key_of(user), *edits, if_=unchanged)
        except ConditionFailed:
            text = "Your account was changed or deleted a moment ago. Sign in again."
            raise NotSignedIn(text) from None
        return changed


class ManagedAccounts(StoredAccounts[U], Generic[U, K]):
    """Accounts with roles; those with the role `admin` manage accounts, which they invite.

    `U` has a `revision`. Managers name a user by a `K`.
    """

    # The pattern that reads a user by `user_id`.
    by_id: ClassVar[Any]
    admin: ClassVar[Any]
    # What to tell the last administrator who would stop being one.
    last_admin: ClassVar[str]
    role_change: ClassVar[WritePattern]

    def __init__(self, context: AccountsContext, passwords: Passwords) -> None:
        super().__init__(context, passwords)
        self._urls = context.urls
        self._setup_code = SetupCode(context.secret)
        self._invitations = PasswordResets(
            context.store, secret=context.secret, lifetime=timedelta(days=7)
        )

    @abstractmethod
    def check_manager(self, actor: U) -> None:
        """Raise NotPermitted unless someone may manage accounts."""

    @abstractmethod
    def get_user(self, who: K) -> U:
        """Return a user as stored, or raise NotFound."""

    @abstractmethod
    def list_admins(self) -> Iterable[U | None]:
        """Return the administrators; others may be among them."""

    @abstractmethod
    def describe_invitation(self, actor: U, user: U) -> tuple[str, str]:
        """Return the subject of an invitation, and who invites to what."""

    def find_by_id(self, subject: int) -> U | None:
        """Return the user with this number, or None."""
        found: U | None = self._store.run(self.by_id, subject)
        return found

    # -------------------------------------------------------------------------- roles

    @retry_conflicts(otherwise=busy_account)
    def change_role(self, actor: U, who: K, role: Any, check: RevisionCheck = any_revision) -> U:
        """Change what an account may do. The last administrator stays one."""
        self.check_manager(actor)
        user: Any = self.get_user(who)
        check(user.revision)
        if user.role is not role:
            with self.keep_admin(actor, user, self.role_change) as transaction:
                unchanged = self.entity.revision == user.revision
                transaction.update(key_of(user), self.entity.role.set(role), if_=unchanged)
            user = self.get_user(who)
            by = self.account_of(actor).name
            notice = notices.role_changed(self.account_of(user), user.role, by)
            send_notice(self._mailer, notice, self._clock())
        changed: U = user
        return changed

    @contextmanager
    def keep_admin(self, actor: Any, user: Any, pattern: WritePattern) -> Generator[Transaction]:
        """Return a transaction that changes `user` only while someone else is an administrator.

        Two administrators who remove each other at the same time must not both succeed.
        """
        other = self._find_admin(actor, user)
        if other is None and user.role is self.admin:
            raise InvalidInput({"role": self.last_admin})
        try:
            with self._store.transaction(pattern=pattern) as transaction:
                yield transaction
                if other is not None:
                    transaction.check(key_of(other), self.entity.role == self.admin)
        except ConditionFailed:
            now: Any = self._store.get(key_of(actor), consistent=True)
            if actor.role is self.admin and (now is None or now.role is not self.admin):
                raise NotPermitted("Someone has just changed your account.") from None
            raise

    def is_last_admin(self, actor: U, user: Any) -> bool:
        """Return whether there would be no administrator without this one."""
        return user.role is self.admin and self._find_admin(actor, user) is None

    def _find_admin(self, actor: Any, without: Any) -> Any:
        """Return the actor if they are an administrator, or else another one; never `without`."""
        found: Iterable[Any] = [actor]
        if actor.user_id == without.user_id:
            # Someone who was invited may never sign in.
            found = filter(_has_password, self.list_admins())
        admins = (user for user in found if user.role is self.admin)
        return next((user for user in admins if user.user_id != without.user_id), None)

    # -------------------------------------------------------------------------- invitations

    def invite_again(self, actor: U, who: K) -> Invitation[U]:
        """E-mail another link to someone who has not chosen a password yet."""
        self.check_manager(actor)
        user = self.get_user(who)
        account = self.account_of(user)
        if account.password_hash:
            raise InvalidInput({"email": f"{account.name} has a password, and can reset it."})
        if not account.email:
            text = f"{account.name} has no e-mail address. Add one first."
            raise InvalidInput({"email": text})
        return self._send_invitation(actor, user)

    def _send_invitation(self, actor: U, user: U) -> Invitation[U]:
        now, account = self._clock(), self.account_of(user)
        link = self._reset_link(self._invitations.issue(account.subject, account.state, now))
        notice = notices.invitation(account, *self.describe_invitation(actor, user), link)
        return Invitation(user, send_notice(self._mailer, notice, now))


def _has_password(user: Any) -> bool:
    return user is not None and bool(user.password_hash)
