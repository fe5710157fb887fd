"""Accounts in the table of an app: passwords, roles, invitations, and the last administrator."""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar, cast

from singletable import (
    ConditionFailed,
    Page,
    Store,
    Transaction,
    WritePattern,
    key_of,
    retry_conflicts,
)
from singletable_apps.shared.accounts import notices
from singletable_apps.shared.accounts.auth import Auth
from singletable_apps.shared.accounts.entities import Registration, RegistrationSetting
from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.accounts.password_resets import PasswordResets
from singletable_apps.shared.accounts.passwords import Passwords, check_password_field
from singletable_apps.shared.accounts.people import ApprovalNotices, People
from singletable_apps.shared.accounts.registration import SetupCode
from singletable_apps.shared.accounts.users import Account
from singletable_apps.shared.errors import Busy, InvalidInput
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.outbox import SECURITY, Author, Outbox
from singletable_apps.shared.permissions import NotPermitted, is_permitted
from singletable_apps.shared.service import RevisionCheck, any_revision
from singletable_apps.shared.text import InputChecks
from singletable_apps.shared.urls import Urls

U = TypeVar("U")
MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class AccountsContext:
    """The context of services with accounts.

    With `confirm_addresses`, an e-mail address is saved when its owner opens the link sent to it.
    """

    store: Store
    secret: bytes = field(repr=False)
    mail: Outbox
    urls: Urls
    clock: Callable[[], datetime]
    confirm_addresses: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Invitation(Generic[U]):
    """A new account, and whether the e-mail with its link can be sent."""

    user: U
    is_sent: bool


def busy_account() -> Busy:
    """Return the error if others keep changing an account; nothing was changed."""
    return Busy("Someone else is changing this account right now. Try again.")


def new_user_id() -> int:
    """Return a number for a new account. It never comes back, so it is not counted up."""
    return 1 + secrets.randbelow(1 << 53)


class ManagedAccounts(Auth[U], People[U], Generic[U]):
    """Users in the table, with roles; those with the role `admin` manage accounts and may invite.

    `U` is an entity with the fields of `Account`, a `user_id`, which is the subject, and a
    `revision`. With approval, newcomers have the role `waiting`. An app declares the class
    variables.
    """

    entity: ClassVar[Any]
    # The fields that make a password easy to guess.
    about: ClassVar[tuple[str, ...]]
    # The pattern that reads a user by `user_id`, and the key that lists users if not `listed`.
    by_id: ClassVar[Any]
    listed: ClassVar[Any] = None
    admin: ClassVar[Any]
    # The names of roles in e-mails, if they are not their values.
    role_names: ClassVar[Mapping[Any, str]] = {}
    # What to tell the last administrator who would stop being one.
    last_admin: ClassVar[str]
    role_change: ClassVar[WritePattern | None] = None
    removal: ClassVar[WritePattern | None] = None
    default_registration: ClassVar[Registration] = Registration.OPEN

    def __init__(self, context: AccountsContext, passwords: Passwords | None = None) -> None:
        super().__init__(
            context.store,
            context.mail,
            secret=context.secret,
            link=context.urls.link,
            clock=context.clock,
            passwords=passwords,
        )
        self._urls = context.urls
        self._setup_code = SetupCode(context.secret)
        self._approvals = ApprovalNotices(context.store, context.mail, secret=context.secret)
        self._invitations = PasswordResets(
            context.store, secret=context.secret, lifetime=timedelta(days=7)
        )

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

    def claim(self, user: Any) -> U:
        """Change the credentials, unless the account was changed since it was read.

        Otherwise an administrator could change the address while its owner signs in.
        """
        unchanged = self.entity.revision == user.revision
        return self.update(user, self.entity.credentials.add(1), if_=unchanged)

    def rehash(self, user: U, password_hash: str) -> None:
        """Store the same password with the current parameters. Sessions stay valid."""
        with suppress(NotSignedIn):
            self.update(user, self.entity.password_hash.set(password_hash))

    def update(self, user: Any, *edits: Any, if_: Any = None) -> U:
        """Edit a user and return them as stored.

        Raise NotSignedIn if they were deleted or have another password since they were read, or the
        condition `if_` does not hold. The number is compared too: another user may have the name or
        address of a deleted one.
        """
        is_same = self.entity.user_id == user.user_id
        unchanged = is_same & (self.entity.credentials == user.credentials)
        condition = unchanged if if_ is None else unchanged & if_
        try:
            changed: U = self._store.update(key_of(user), *edits, if_=condition)
        except ConditionFailed:
            text = "Your account was changed or deleted a moment ago. Sign in again."
            raise NotSignedIn(text) from None
        return changed

    def manages_accounts(self, role: Any) -> bool:
        """Return whether people with this role manage accounts."""
        return role is self.admin

    def check_manager(self, actor: Any) -> None:
        """Raise NotPermitted unless someone may manage accounts."""
        if actor.role is not self.admin:
            raise NotPermitted("Only administrators can do this.")

    @abstractmethod
    def get_user(self, who: Any) -> U:
        """Return a user as stored, or raise NotFound."""

    @abstractmethod
    def describe_invitation(self, actor: U, user: U) -> tuple[str, str]:
        """Return the subject of an invitation, and its first sentences."""

    def list_admins(self) -> Iterable[U | None]:
        """Return the administrators; others may be among them."""
        admins: Iterable[U] = self._store.query(self._list_all())
        return admins

    def is_taken(self, user: U, email: str) -> bool:
        """Return False: people sign in with usernames, and may share an address."""
        return False

    def set_email(self, user: U, email: str, by: str) -> U:
        """Store the confirmed address."""
        return self.update(user, self.entity.email.set(email))

    def find_by_id(self, subject: int) -> U | None:
        """Return the user with this number, or None."""
        return cast("U | None", self._store.run(self.by_id, subject))

    # -------------------------------------------------------------------------- people

    def url_part(self, user: Any) -> str:
        """Return the number, which never changes."""
        return str(user.user_id)

    def get_person(self, actor: Any, who: Any) -> U:
        """Return an account: one's own, or as a manager any."""
        user: Any = self.get_user(who)
        if user.user_id != actor.user_id:
            self.check_manager(actor)
        return cast(U, user)

    def read_people(self, limit: int, cursor: str | None) -> Page[Any]:
        """Return some people, by name."""
        page: Page[Any] = self._store.page(self._list_all(), limit, cursor=cursor)
        return page

    def _list_all(self) -> Any:
        return (self.listed or self.entity.listed)()

    def may_edit(self, actor: Any, user: Any) -> bool:
        """Return whether it is the actor's own account, or the actor is a manager."""
        return bool(actor.user_id == user.user_id) or is_permitted(self.check_manager, actor)

    @retry_conflicts(otherwise=busy_account)
    def edit_person(
        self,
        actor: Any,
        who: Any,
        *,
        name: str | None = None,
        email: str | None = None,
        check: RevisionCheck = any_revision,
    ) -> U:
        """Change a name, and send a link to a new e-mail address."""
        user: Any = self.get_person(actor, who)
        check(user.revision)
        checks = InputChecks()
        if name is not None:
            name = checks.line("name", name, longest=MAX_NAME, required=True)
        if email is not None:
            email = checks.email("email", email, required=not self.has_usernames)
        checks.raise_errors()
        edited = user
        if name not in (None, user.name):
            unchanged = self.entity.revision == user.revision
            edited = self._store.update(key_of(user), self.entity.name.set(name), if_=unchanged)
        if email is not None:
            edited = self.change_email(actor, edited, email)
        return cast(U, edited)

    def change_email(self, actor: Any, user: Any, email: str) -> U:
        """Send a link to a new address, which changes when its owner opens the link.

        Before the account has an owner, there is nothing to protect, and the address changes at
        once. So it does if it becomes empty.
        """
        changed: U = user
        if email == user.email:
            return changed
        if email and self.has_owner(user):
            by = "" if actor.user_id == user.user_id else actor.name
            self.emails.request(changed, email, by=by)
            return changed
        changed = self.set_email(user, email, "")
        if user.email and not email:
            notice = notices.ADDRESS_CHANGED.to(user.email, user.name, new="not set")
            self._mail.send(notice, self._clock(), SECURITY)
        return changed

    def check_removable(self, actor: U, user: U) -> None:
        """Raise InvalidInput if there would be no administrator without this one."""
        if self.is_last_admin(actor, user):
            raise InvalidInput({"role": self.last_admin})

    @retry_conflicts(otherwise=busy_account)
    def remove(self, actor: U, who: Any, check: RevisionCheck = any_revision) -> U:
        """Remove an account and end its sessions."""
        user: Any = self.check_removal(actor, who)
        check(user.revision)
        with self.keep_admin(actor, user, self.removal) as transaction:
            transaction.delete(key_of(user), if_=self.entity.revision == user.revision)
        self._sessions.forget(user.user_id)
        self.delete_data(user)
        return cast(U, user)

    def delete_data(self, user: U) -> None:
        """Delete what belongs to a removed person; by default nothing does."""

    def check_removal(self, actor: U, who: Any) -> U:
        """Return the account to remove, or raise NotPermitted."""
        self.check_manager(actor)
        return self.get_user(who)

    # -------------------------------------------------------------------------- registration

    def registration(self) -> Registration:
        """Return the setting: registration is open, by approval or closed."""
        found = self._store.get(RegistrationSetting.key())
        return self.default_registration if found is None else found.registration

    def set_registration(self, actor: U, registration: Registration) -> object:
        """Change the registration setting."""
        self.check_manager(actor)
        return self._store.put(RegistrationSetting(registration=registration))

    def tell_waiting(self, user: Any) -> None:
        """Tell the administrators that someone waits for approval."""
        found: Iterable[Any] = self.list_admins()
        admins = (self.account_of(each) for each in found if each and each.role is self.admin)
        link = self._urls.absolute(self._urls.page(*self.people_path, role=self.waiting.value))
        self._approvals.send(user.name, admins, link, self._clock())

    # -------------------------------------------------------------------------- roles

    @retry_conflicts(otherwise=busy_account)
    def change_role(self, actor: U, who: Any, role: Any, check: RevisionCheck = any_revision) -> U:
        """Change what an account may do. The last administrator stays one."""
        self.check_manager(actor)
        user: Any = self.get_user(who)
        check(user.revision)
        if user.role is not role:
            with self.keep_admin(actor, user, self.role_change) as transaction:
                unchanged = self.entity.revision == user.revision
                transaction.update(key_of(user), self.entity.role.set(role), if_=unchanged)
            user = self.get_user(who)
            role, by = self.role_names.get(user.role, user.role), self.account_of(actor).name
            notice = notices.ROLE_CHANGED.to(user.email, user.name, role=Phrase(role), by=by)
            self._mail.send(notice, self._clock(), SECURITY)
        return cast(U, user)

    @contextmanager
    def keep_admin(
        self, actor: Any, user: Any, pattern: WritePattern | None
    ) -> Generator[Transaction]:
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

    def allowed_roles(self, actor: U, user: Any) -> Sequence[Any]:
        """Return all roles, or only the current one of the last administrator."""
        if not is_permitted(self.check_manager, actor) or self.is_last_admin(actor, user):
            return [user.role]
        return list(cast(Any, type(self.admin)))

    def is_last_admin(self, actor: U, user: Any) -> bool:
        """Return whether there would be no administrator without this one."""
        return user.role is self.admin and self._find_admin(actor, user) is None

    def _find_admin(self, actor: Any, without: Any) -> Any:
        """Return the actor if they are an administrator, or else another one; never `without`."""
        found: Iterable[Any] = [actor]
        if actor.user_id == without.user_id:
            # Someone who was invited may never sign in.
            found = (each for each in self.list_admins() if each and self.has_owner(each))
        admins = (user for user in found if user.role is self.admin)
        return next((user for user in admins if user.user_id != without.user_id), None)

    # -------------------------------------------------------------------------- invitations

    def invite_again(self, actor: U, who: Any) -> Invitation[U]:
        """E-mail another link to someone who has never signed in."""
        self.check_manager(actor)
        user = self.get_user(who)
        account = self.account_of(user)
        if self.has_owner(user):
            text = f"{account.name} has signed in before, and can reset the password by e-mail."
            raise InvalidInput({"email": text})
        if not account.email:
            text = f"{account.name} has no e-mail address. Add one first."
            raise InvalidInput({"email": text})
        return self._send_invitation(actor, user)

    def _send_invitation(self, actor: U, user: U) -> Invitation[U]:
        now, account = self._clock(), self.account_of(user)
        token = self._invitations.issue(account.subject, account.state, now)
        subject, text = self.describe_invitation(actor, user)
        notice = notices.INVITATION.to(
            account.email, account.name, subject=subject, text=text, link=self._link("reset", token)
        )
        author = Author(str(self.account_of(actor).subject), has_daily_limit=False)
        return Invitation(user, self._mail.send(notice, now, author))
