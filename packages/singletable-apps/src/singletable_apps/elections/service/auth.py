"""Sign in, change and reset passwords: the shared `Auth` on users in the event log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from singletable_apps.elections.entities import User
from singletable_apps.elections.events import SYSTEM_ACTOR, EventData, UserPasswordChanged
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.rules.users import check_password_change
from singletable_apps.elections.service.context import Context, reload_user
from singletable_apps.elections.service.people import account_of, check_new_password, set_email
from singletable_apps.shared import accounts
from singletable_apps.shared.accounts import NotSignedIn, Scope

SignedIn: TypeAlias = accounts.SignedIn[User]


class Auth(accounts.Auth[User]):
    """Sessions and passwords. Passwords and addresses are changed by events."""

    issuer = "elections"

    def __init__(self, context: Context) -> None:
        super().__init__(
            context.store,
            context.mail,
            secret=context.keys.secret,
            link=context.urls.link,
            clock=context.clock,
            passwords=context.passwords,
        )
        self._context = context

    def authenticate(self, token: str, scope: Scope | None = None) -> User:
        """Return the user of an access token, unless its session has ended since."""
        self._context.check_not_rebuilding()
        return super().authenticate(token, scope)

    def renew(self, refresh: str) -> SignedIn:
        """Exchange a refresh token, which works once, for new tokens."""
        # During a rebuild the user may not be found, and the token would be lost.
        self._context.check_not_rebuilding()
        return super().renew(refresh)

    def change_password(
        self, actor: User, target: str, current: str, new: str, *, about: str = ""
    ) -> SignedIn:
        """Change a password. All sessions end, and a new one starts."""
        user = self._context.read.get_user(target)
        check_password_change(actor, user)
        return self.change_own_password(user, current, new, about=about)

    def find_by_login(self, login: str) -> User | None:
        """Find a user by name or e-mail address. Only addresses contain an @."""
        read = self._context.read
        return read.find_user_by_email(login) if "@" in login else read.find_user(login)

    def find_by_id(self, subject: int) -> User | None:
        """Find a user by ID."""
        return self._context.read.find_user_by_id(subject)

    def account_of(self, user: User) -> accounts.Account:
        """Return the account of a user."""
        return account_of(user)

    def is_taken(self, user: User, email: str) -> bool:
        """Return whether someone else has the address."""
        found = self._context.read.find_user_by_email(email)
        return found is not None and found.user_id != user.user_id

    def set_email(self, user: User, email: str, by: str) -> User:
        """Store the confirmed address."""
        return set_email(self._context, user, email, by)

    def check_password(self, user: User, password: str, field: str) -> None:
        """Raise InvalidInput if the new password is too easy to guess."""
        check_new_password(password, about=(user.name, user.email), field=field)

    def set_password(self, user: User, password_hash: str) -> User:
        """Change the password, unless it was changed since `user` was read."""

        def decide(read: PollBook) -> Sequence[EventData]:
            me = reload_user(read, user)
            if me.credentials != user.credentials:
                raise NotSignedIn("Your password was just changed. Sign in with the new one.")
            return [UserPasswordChanged(name=me.name, hash=password_hash)]

        self._context.execute(user, decide)
        return reload_user(self._context.read, user)

    def rehash(self, user: User, password_hash: str) -> None:
        """Store the same password with the current parameters. Sessions stay valid."""

        def decide(read: PollBook) -> Sequence[EventData]:
            me = reload_user(read, user)
            if me.hash != user.hash:
                return []
            return [UserPasswordChanged(name=me.name, hash=password_hash, renewed=True)]

        self._context.bus.execute(SYSTEM_ACTOR, decide)
