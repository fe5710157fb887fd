"""Sign in and out, change passwords, and reset forgotten ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from unicodedata import normalize

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotSignedIn
from singletable_apps.elections.events import SYSTEM_ACTOR, EventData, UserPasswordChanged
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.rules.names import fold_name
from singletable_apps.elections.rules.users import check_password_change
from singletable_apps.elections.service.context import Context, reload_user
from singletable_apps.elections.service.people import check_new_password
from singletable_apps.shared.accounts import (
    AccessTokens,
    InvalidReset,
    InvalidSession,
    InvalidToken,
    PasswordResets,
    SessionInfo,
    Sessions,
    Throttle,
)
from singletable_apps.shared.mail import Email, MailError

MAX_LOGIN_LENGTH = 400
_SIGN_IN_AGAIN = "Your account was removed, or its password has changed. Sign in again."


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in user: a short-lived access token, and a refresh token to renew it."""

    user: User
    access: str
    refresh: str
    ends: datetime


class Auth:
    """Sessions and passwords."""

    def __init__(self, context: Context) -> None:
        self._context = context
        secret = context.keys.secret
        self._tokens = AccessTokens(secret, issuer="elections")
        self._sessions = Sessions(context.store, secret=secret)
        self._resets = PasswordResets(context.store, secret=secret)
        self._throttle = Throttle(context.store, secret=secret)
        self._reset_throttle = Throttle(context.store, secret=secret, free=3)

    @property
    def lifetime(self) -> timedelta:
        """Return the lifetime of an access token."""
        return self._tokens.lifetime

    def sign_in(
        self, name_or_email: str, password: str, *, address: str = "", about: str = ""
    ) -> SignedIn:
        """Sign in with a user name or e-mail address and the password."""
        user = self._find_user(name_or_email)
        account = ("account", f"user {user.user_id}" if user else fold_name(name_or_email))
        origin = [("address", address)] if address else []
        self._throttle.attempt([account, *origin], self._context.clock())
        # The password of an unknown user is verified too, so that it takes as long.
        if not self._context.passwords.matches(user.hash if user else None, password) or not user:
            raise NotSignedIn("Wrong name or password.")
        self._throttle.succeeded(account, others=origin)
        if self._context.passwords.needs_rehash(user.hash):
            self._rehash(user, password)
        return self.start_session(user, about)

    def start_session(self, user: User, about: str = "") -> SignedIn:
        """Start a session of a user who has proved who they are, or has just registered."""
        now = self._context.clock()
        refresh = self._sessions.start(user.user_id, now, credentials=user.credentials, about=about)
        access = self._tokens.issue(user.user_id, user.credentials, now)
        return SignedIn(user, access, refresh, now + self._sessions.lifetime)

    def renew(self, refresh: str) -> SignedIn:
        """Exchange a refresh token, which works once, for new tokens."""
        now = self._context.clock()
        # During a rebuild the user may not be found, and the token would be lost.
        self._context.check_not_rebuilding()
        try:
            renewed = self._sessions.rotate(refresh, now)
        except InvalidSession as error:
            raise NotSignedIn(str(error)) from error
        user = self._find_user_by_id(renewed.subject)
        if user is None or user.credentials != renewed.credentials:
            self._sessions.end(renewed.token)
            raise NotSignedIn(_SIGN_IN_AGAIN)
        access = self._tokens.issue(user.user_id, user.credentials, now)
        return SignedIn(user, access, renewed.token, renewed.ends)

    def sign_out(self, refresh: str) -> None:
        """End a session. An unknown token is ignored."""
        try:
            self._sessions.end(refresh)
        except InvalidSession:
            return

    def sessions(self, user: User) -> list[SessionInfo]:
        """Return the user's sessions, the most recently used first."""
        return self._sessions.list(user.user_id)

    def end_session(self, user: User, session: str) -> None:
        """End one of the user's sessions. An unknown one is ignored."""
        self._sessions.end_one(user.user_id, session)

    def session_of(self, refresh: str) -> str | None:
        """Return the ID of the session of a refresh token, or None."""
        return self._sessions.id_of(refresh)

    def authenticate(self, token: str) -> User:
        """Return the user of an access token."""
        try:
            claims = self._tokens.read(token, self._context.clock())
        except InvalidToken as error:
            raise NotSignedIn(str(error)) from error
        user = self._find_user_by_id(claims.subject)
        if user is None or user.credentials != claims.credentials:
            raise NotSignedIn(_SIGN_IN_AGAIN)
        return user

    def change_password(
        self, actor: User, target: str, current: str, new: str, *, about: str = ""
    ) -> SignedIn:
        """Change a password. All sessions end, and a new one starts."""
        user = self._context.read.get_user(target)
        check_password_change(actor, user)
        account = ("account", f"user {user.user_id}")
        self._throttle.attempt([account], self._context.clock())
        if not self._context.passwords.matches(user.hash, current):
            raise NotSignedIn("That's not your current password.", field="current")
        self._throttle.succeeded(account)
        return self.start_session(self._set_password(user, new, field="new"), about)

    def request_reset(self, name_or_email: str, *, address: str = "") -> None:
        """Send a password reset e-mail. The caller does not learn whether there is an account."""
        now = self._context.clock()
        user = self._find_user(name_or_email)
        account = ("reset", f"user {user.user_id}" if user else fold_name(name_or_email))
        origin = [("reset from", address)] if address else []
        self._reset_throttle.attempt([account, *origin], now)
        if user is None:
            return
        token = self._resets.issue(user.user_id, user.credentials, now)
        link = self._context.settings.reset_link.format(token=token)
        try:
            self._context.mailer.send(_reset_email(user, link), now)
        except MailError:
            # An error response would reveal that there is an account.
            logging.getLogger(__name__).exception("The password reset e-mail was not sent.")

    def check_reset(self, token: str) -> None:
        """Raise NotSignedIn unless the token of a reset e-mail still works."""
        try:
            self._resets.read(token, self._context.clock())
        except InvalidReset as error:
            raise NotSignedIn(str(error), field="token") from error

    def reset(self, token: str, new: str, *, about: str = "") -> SignedIn:
        """Set a new password with the token of a reset e-mail, which works once."""
        now = self._context.clock()
        try:
            # A rejected password must not use up the token.
            expected = self._resets.read(token, now)
            user = self._context.read.find_user_by_id(expected.subject)
            if user is not None:
                check_new_password(new, about=(user.name, user.email))
            redeemed = self._resets.redeem(token, now)
        except InvalidReset as error:
            raise NotSignedIn(str(error), field="token") from error
        if user is None or user.credentials != redeemed.credentials:
            raise NotSignedIn(
                "Your password has changed since this e-mail was sent. Request a new one.",
                field="token",
            )
        self._throttle.succeeded(("account", f"user {user.user_id}"))
        return self.start_session(self._set_password(user, new), about)

    def _find_user(self, name_or_email: str) -> User | None:
        """Find a user by name or e-mail address. Only addresses contain an @."""
        if len(name_or_email) > MAX_LOGIN_LENGTH:
            return None
        text = " ".join(normalize("NFC", name_or_email).split())
        read = self._context.read
        return read.find_user_by_email(text) if "@" in text else read.find_user(text)

    def _find_user_by_id(self, user_id: int) -> User | None:
        """Find a user by ID. Raise RebuildInProgress if they may be missing just now."""
        user = self._context.read.find_user_by_id(user_id)
        if user is None:
            self._context.check_not_rebuilding()
        return user

    def _set_password(self, user: User, new: str, *, field: str = "password") -> User:
        check_new_password(new, about=(user.name, user.email), field=field)
        password_hash = self._context.passwords.hash(new)

        def decide(read: ReadModel) -> Sequence[EventData]:
            me = reload_user(read, user)
            if me.credentials != user.credentials:
                raise NotSignedIn("Your password was just changed. Sign in with the new one.")
            return [UserPasswordChanged(name=me.name, hash=password_hash)]

        self._context.execute(user, decide)
        self._sessions.end_all(user.user_id)
        return reload_user(self._context.read, user)

    def _rehash(self, user: User, password: str) -> None:
        """Store the same password with the current parameters. Sessions stay valid."""
        password_hash = self._context.passwords.hash(password)

        def decide(read: ReadModel) -> Sequence[EventData]:
            me = reload_user(read, user)
            if me.hash != user.hash:
                return []
            return [UserPasswordChanged(name=me.name, hash=password_hash, renewed=True)]

        self._context.bus.execute(SYSTEM_ACTOR, decide)


def _reset_email(user: User, link: str) -> Email:
    return Email(
        to=user.email,
        subject="Reset your password",
        text=(
            f"Hello {user.name},\n\n"
            "We received a request to reset your password. To choose a new one, open this link "
            f"within an hour:\n\n{link}\n\n"
            "If you didn’t ask for this, ignore this e-mail: your password stays the same.\n"
        ),
    )
