"""Accounts: set up the site, sign in, invite authors, and change or remove accounts."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from singletable import AlreadyExists, ConditionFailed, Transaction, WritePattern, retry_conflicts
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Portfolio, Role, SiteSettings, User
from singletable_apps.portfolio.errors import (
    AlreadyTaken,
    Busy,
    InvalidInput,
    NotFound,
    NotPermitted,
    NotSignedIn,
)
from singletable_apps.portfolio.profile_rules import MAX_NAME
from singletable_apps.portfolio.rules import PERMISSIONS, Permission
from singletable_apps.portfolio.service.context import Context
from singletable_apps.shared.accounts import (
    NEEDS_SETUP_CODE,
    Auth,
    PasswordResets,
    Passwords,
    SetupCode,
    SignedIn,
    StoredUsers,
    check_password_field,
    notices,
    send_notice,
)
from singletable_apps.shared.mail import Email
from singletable_apps.shared.service import RevisionCheck, any_revision
from singletable_apps.shared.text import InputChecks

INVITATION_LIFETIME = timedelta(days=7)
_TAKEN = "There is already an account with this e-mail address."
_LAST_OWNER = "A site needs an owner. Make someone else an owner first."


def _busy() -> Busy:
    return Busy("Someone else is changing this account right now. Try again.")


@dataclass(frozen=True, slots=True)
class Invitation:
    """A new account, and whether the e-mail with its link was sent."""

    user: User
    is_sent: bool


class Accounts(Auth[User]):
    """The accounts of the site. `Auth` handles signing in, sessions and passwords."""

    def __init__(self, context: Context, passwords: Passwords) -> None:
        super().__init__(
            _Users(context),
            context.store,
            context.mailer,
            secret=context.secret,
            issuer="portfolio",
            reset_link=lambda token: context.urls.absolute(
                context.urls.admin("reset", token=token)
            ),
            clock=context.clock,
            passwords=passwords,
            error=NotSignedIn,
            wrong_login="Wrong e-mail address or password.",
        )
        self._context = context
        self._setup_code = SetupCode(context.secret)
        self._invitations = PasswordResets(
            context.store, secret=context.secret, lifetime=INVITATION_LIFETIME
        )

    def set_up(
        self, name: str, email: str, password: str, site_title: str, setup_code: str | None = None
    ) -> User:
        """Create the settings of the site and its owner with the set-up code. This works once.

        Commands pass None as the code, because their user is trusted.
        """
        if self._store.get(SiteSettings.key("default"), consistent=True) is not None:
            raise _already_set_up()
        checks = InputChecks()
        name = checks.line("name", name, longest=MAX_NAME, required=True)
        email = checks.email("email", email, required=True).lower()
        title = checks.line("site_title", site_title, longest=MAX_NAME, required=True)
        check_password_field(checks, password, about=(name, email))
        if setup_code is not None and not self._setup_code.matches(setup_code):
            checks.reject("setup_code", NEEDS_SETUP_CODE)
        checks.raise_errors(InvalidInput)
        now = self._context.clock()
        owner = self._new_user(name, email, Role.OWNER, self._passwords.hash(password))
        # Imported data may contain a portfolio.
        has_portfolio = self._store.get(Portfolio.key("default"), consistent=True) is not None
        try:
            with self._store.transaction(pattern=patterns.set_up) as transaction:
                transaction.create(SiteSettings(title=title, updated_at=now))
                transaction.create(owner)
                if not has_portfolio:
                    transaction.create(Portfolio(name=name, updated_at=now))
        except AlreadyExists as error:
            if isinstance(error.current, User):
                raise AlreadyTaken({"email": _TAKEN}) from error
            raise _already_set_up() from error
        return owner

    def setup_code(self) -> str | None:
        """Return the set-up code, or None if the site is set up already."""
        settings = self._store.get(SiteSettings.key("default"), consistent=True)
        return self._setup_code.code() if settings is None else None

    def start_session(self, user: User, about: str = "") -> SignedIn[User]:
        """Start a session, and note when the user signed in."""
        login = User.last_login.set(self._context.clock())
        try:
            is_same = User.user_id == user.user_id
            user = self._store.update(User.key(user.email), login, if_=is_same)
        except ConditionFailed:
            raise NotSignedIn("This account no longer exists.") from None
        return super().start_session(user, about)

    def list_accounts(self, actor: User) -> list[User]:
        """Return all accounts, oldest first."""
        PERMISSIONS.check(actor.role, Permission.MANAGE_ACCOUNTS)
        return list(self._store.query(User.by_date()))

    def get(self, actor: User, user_id: int) -> User:
        """Return an account: one's own, or any for an owner."""
        if actor.user_id != user_id:
            PERMISSIONS.check(actor.role, Permission.MANAGE_ACCOUNTS)
        user = self._store.run(patterns.user_by_id, user_id)
        if user is None:
            raise _not_found()
        return user

    def is_last_owner(self, actor: User, user: User) -> bool:
        """Return whether there would be no owner without this one."""
        return user.role is Role.OWNER and self._find_owner(actor, user) is None

    def invite(self, actor: User, name: str, email: str, role: Role = Role.AUTHOR) -> Invitation:
        """Create an account without a password, and e-mail a link to choose one."""
        PERMISSIONS.check(actor.role, Permission.MANAGE_ACCOUNTS)
        checks = InputChecks()
        name = checks.line("name", name, longest=MAX_NAME, required=True)
        email = checks.email("email", email, required=True).lower()
        checks.raise_errors(InvalidInput)
        try:
            user = self._store.create(self._new_user(name, email, role))
        except AlreadyExists as error:
            raise AlreadyTaken({"email": _TAKEN}) from error
        return self._send_invitation(actor, user)

    def invite_again(self, actor: User, user_id: int) -> Invitation:
        """Send a new link to someone who has not chosen a password yet."""
        PERMISSIONS.check(actor.role, Permission.MANAGE_ACCOUNTS)
        user = self.get(actor, user_id)
        if user.password_hash:
            raise InvalidInput(
                {"email": f"{user.name} has chosen a password and can sign in or reset it."}
            )
        return self._send_invitation(actor, user)

    @retry_conflicts(otherwise=_busy)
    def rename(
        self, actor: User, user_id: int, name: str, check: RevisionCheck = any_revision
    ) -> User:
        """Change the name of an account, one’s own or, for an owner, another."""
        checks = InputChecks()
        name = checks.line("name", name, longest=MAX_NAME, required=True)
        user = self.get(actor, user_id)
        check(user.revision)
        checks.raise_errors(InvalidInput)
        unchanged = User.revision == user.revision
        return self._store.update(User.key(user.email), User.name.set(name), if_=unchanged)

    def change_role(
        self, actor: User, user_id: int, role: Role, check: RevisionCheck = any_revision
    ) -> User:
        """Change the role of an account. The last owner stays an owner."""

        def write(transaction: Transaction, user: User) -> None:
            unchanged = User.revision == user.revision
            transaction.update(User.key(user.email), User.role.set(role), if_=unchanged)

        PERMISSIONS.check(actor.role, Permission.MANAGE_ACCOUNTS)
        if self.get(actor, user_id).role is not role:
            self._change(actor, user_id, check, patterns.change_role, write)
            account = self.account_of(self.get(actor, user_id))
            notice = notices.role_changed(account, account.role, actor.name)
            send_notice(self._context.mailer, notice, self._context.clock())
        return self.get(actor, user_id)

    def remove(self, actor: User, user_id: int, check: RevisionCheck = any_revision) -> User:
        """Remove an account and end its sessions. Its posts stay."""

        def write(transaction: Transaction, user: User) -> None:
            transaction.delete(User.key(user.email), if_=User.revision == user.revision)

        PERMISSIONS.check(actor.role, Permission.MANAGE_ACCOUNTS)
        user = self._change(actor, user_id, check, patterns.delete_user, write)
        self._sessions.forget(user.user_id)
        return user

    @retry_conflicts(otherwise=_busy)
    def _change(
        self,
        actor: User,
        user_id: int,
        check: RevisionCheck,
        pattern: WritePattern,
        write: Callable[[Transaction, User], None],
    ) -> User:
        """Write if someone else is an owner. Return the account as it was before.

        Two owners who demote each other at the same time could otherwise both succeed.
        """
        user = self.get(actor, user_id)
        check(user.revision)
        owner = self._find_owner(actor, user)
        if owner is None:
            raise InvalidInput({"role": _LAST_OWNER})
        try:
            with self._store.transaction(pattern=pattern) as transaction:
                write(transaction, user)
                transaction.check(User.key(owner.email), User.role == Role.OWNER)
        except ConditionFailed:
            current = self._store.get(User.key(owner.email), consistent=True)
            if current is None or current.role is not Role.OWNER:
                raise NotPermitted("Someone has just changed these accounts.") from None
            raise
        return user

    def _find_owner(self, actor: User, without: User) -> User | None:
        """Return the actor if they are an owner, or else another one; never `without`."""
        candidates = [actor] if actor.email != without.email else self.list_accounts(actor)
        # Someone who was invited may never sign in.
        owners = (user for user in candidates if user.role is Role.OWNER and user.password_hash)
        return next((user for user in owners if user.email != without.email), None)

    def _new_user(self, name: str, email: str, role: Role, password_hash: str = "") -> User:
        return User(
            email=email,
            # Not counted up: the number of a removed account must not come back.
            user_id=1 + secrets.randbelow(1 << 53),
            name=name,
            role=role,
            password_hash=password_hash,
            created_at=self._context.clock(),
        )

    def _send_invitation(self, actor: User, user: User) -> Invitation:
        now, urls = self._context.clock(), self._context.urls
        token = self._invitations.issue(user.user_id, self.account_of(user).state, now)
        settings = self._store.run(patterns.settings, "default")
        site = settings.title if settings else urls.public
        email = Email(
            to=user.email,
            subject=f"Write for {site}",
            text=(
                f"Hello {user.name},\n\n"
                f"{actor.name} invites you to write for {site}. To choose a password and sign in, "
                f"open this link within a week:\n\n"
                f"{urls.absolute(urls.admin('reset', token=token))}\n\n"
                "If you don’t know what this is about, ignore this e-mail.\n"
            ),
        )
        return Invitation(user, send_notice(self._context.mailer, email, now))


class _Users(StoredUsers[User]):
    """The accounts in the table, as `Auth` finds and changes them."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.store, User, NotSignedIn)

    def find_by_login(self, login: str) -> User | None:
        """Find an account by its e-mail address, in any case."""
        checks = InputChecks()
        email = checks.email("email", login, required=True)
        return None if checks.errors else self._store.get(User.key(email), consistent=True)

    def find_by_id(self, subject: int) -> User | None:
        """Find an account by its number."""
        return self._store.run(patterns.user_by_id, subject)

    def check_password(self, user: User, password: str, field: str) -> None:
        """Raise InvalidInput if the new password is too easy to guess."""
        checks = InputChecks()
        check_password_field(checks, password, about=(user.name, user.email), field=field)
        checks.raise_errors(InvalidInput)


def _already_set_up() -> NotPermitted:
    return NotPermitted("This site has been set up. Sign in.")


def _not_found() -> NotFound:
    return NotFound("There is no such account. It may have been removed.")
