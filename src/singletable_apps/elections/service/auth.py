"""Signing in and out, passwords, and the way back for who has forgotten theirs."""

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
from singletable_apps.elections.service.context import Context, reload_actor
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

WRONG = "Wrong name or password."


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who has shown who they are: a short token to ask with, and a long one to renew."""

    user: User
    access: str
    refresh: str
    ends: datetime


class Auth:
    """Who asks, and how they show it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        secret = context.keys.secret
        self._tokens = AccessTokens(secret, issuer="elections")
        self._sessions = Sessions(context.store, secret=secret)
        self._resets = PasswordResets(context.store, secret=secret)
        self._guesses = Throttle(context.store, secret=secret)
        self._letters = Throttle(context.store, secret=secret, free=3)

    @property
    def lifetime(self) -> timedelta:
        """How long a short token is good for."""
        return self._tokens.lifetime

    def sign_in(
        self, name_or_email: str, password: str, *, address: str = "", about: str = ""
    ) -> SignedIn:
        """Somebody who knows a name, or an address, and its password."""
        user = self._named(name_or_email)
        guessed = ("account", f"user {user.user_id}" if user else fold_name(name_or_email))
        origin = [("address", address)] if address else []
        self._guesses.attempt([guessed, *origin], self._context.clock())
        # The password of somebody unknown is verified too, against nothing: it takes as long.
        if not self._context.passwords.matches(user.hash if user else None, password) or not user:
            raise NotSignedIn(WRONG)
        self._guesses.succeeded(guessed, others=origin)
        if self._context.passwords.needs_rehash(user.hash):
            self._renew_hash(user, password)
        return self._begin(user, about)

    def start_session(self, user: User, about: str = "") -> SignedIn:
        """Somebody who has just registered."""
        return self._begin(user, about)

    def renew(self, refresh: str) -> SignedIn:
        """A new pair of tokens for the long one, which has done its duty then."""
        now = self._context.clock()
        # A token that is turned in while its user cannot be found would be lost for nothing.
        self._context.check_whole()
        try:
            renewed = self._sessions.rotate(refresh, now)
        except InvalidSession as refusal:
            raise NotSignedIn(str(refusal)) from refusal
        user = self._numbered(renewed.subject)
        if user is None or user.credentials != renewed.credentials:
            self._sessions.end(renewed.token)
            raise NotSignedIn("The account is gone, or its password has changed. Sign in again.")
        access = self._tokens.issue(user.user_id, user.credentials, now)
        return SignedIn(user, access, renewed.token, renewed.ends)

    def sign_out(self, refresh: str) -> None:
        """End a session; a token that leads to none is no mistake."""
        try:
            self._sessions.end(refresh)
        except InvalidSession:
            return

    def sessions(self, user: User) -> list[SessionInfo]:
        """Where somebody is signed in, the session that was used last first."""
        return self._sessions.list(user.user_id)

    def end_session(self, user: User, session: str) -> None:
        """End one of somebody's sessions; one that is not there is no mistake."""
        self._sessions.end_one(user.user_id, session)

    def session_of(self, refresh: str) -> str | None:
        """Which of somebody's sessions a long token is of; None if it is none of ours."""
        return self._sessions.id_of(refresh)

    def authenticate(self, token: str) -> User:
        """Whose token this is."""
        try:
            access = self._tokens.read(token, self._context.clock())
        except InvalidToken as refusal:
            raise NotSignedIn(str(refusal)) from refusal
        user = self._numbered(access.subject)
        if user is None or user.credentials != access.credentials:
            raise NotSignedIn("The account is gone, or its password has changed. Sign in again.")
        return user

    def change_password(
        self, actor: User, target: str, current: str, new: str, *, about: str = ""
    ) -> SignedIn:
        """Another password; every session ends, and a new one begins."""
        user = self._context.read.get_user(target)
        check_password_change(actor, user)
        guessed = ("account", f"user {user.user_id}")
        self._guesses.attempt([guessed], self._context.clock())
        if not self._context.passwords.matches(user.hash, current):
            raise NotSignedIn("The current password is not this one.", field="current")
        self._guesses.succeeded(guessed)
        return self._begin(self._set_password(user, new, user.name, field="new"), about)

    def request_reset(self, name_or_email: str, *, address: str = "") -> None:
        """Send a letter to whoever it is; whether there is anybody is not told."""
        now = self._context.clock()
        user = self._named(name_or_email)
        asked = ("reset", f"user {user.user_id}" if user else fold_name(name_or_email))
        self._letters.attempt([asked, *([("reset from", address)] if address else [])], now)
        if user is None:
            return
        token = self._resets.issue(user.user_id, user.credentials, now)
        link = self._context.settings.reset_link.format(token=token)
        try:
            self._context.mailer.send(_letter(user, link), now)
        except MailError:
            # Who asks is told the same as ever; whoever operates this must know.
            logging.getLogger(__name__).exception("A letter could not be sent.")

    def check_reset(self, token: str) -> None:
        """Refuse a letter's token that works no more, before somebody thinks of a password."""
        try:
            self._resets.read(token, self._context.clock())
        except InvalidReset as refusal:
            raise NotSignedIn(str(refusal), field="token") from refusal

    def reset(self, token: str, new: str, *, about: str = "") -> SignedIn:
        """Another password for whoever got the letter; it works once."""
        now = self._context.clock()
        try:
            # A password that is refused must not cost the letter.
            expected = self._resets.read(token, now)
            user = self._context.read.find_user_by_id(expected.subject)
            if user is not None:
                check_new_password(new, about=(user.name, user.email))
            redeemed = self._resets.redeem(token, now)
        except InvalidReset as refusal:
            raise NotSignedIn(str(refusal), field="token") from refusal
        if user is None or user.credentials != redeemed.credentials:
            raise NotSignedIn(
                "The password has changed since the letter was sent. Ask for another letter.",
                field="token",
            )
        self._guesses.succeeded(("account", f"user {user.user_id}"))
        return self._begin(self._set_password(user, new, user.name), about)

    def _named(self, name_or_email: str) -> User | None:
        """The user of a name, or of an address: names have no `@`, and addresses have one."""
        if len(name_or_email) > LONGEST:
            return None
        text = " ".join(normalize("NFC", name_or_email).split())
        search = (
            self._context.read.find_user_by_email if "@" in text else self._context.read.find_user
        )
        return search(text)

    def _numbered(self, user_id: int) -> User | None:
        """The user with a number; nobody is missed while the table is built anew."""
        user = self._context.read.find_user_by_id(user_id)
        if user is None:
            self._context.check_whole()
        return user

    def _begin(self, user: User, about: str) -> SignedIn:
        now = self._context.clock()
        refresh = self._sessions.start(user.user_id, now, credentials=user.credentials, about=about)
        access = self._tokens.issue(user.user_id, user.credentials, now)
        return SignedIn(user, access, refresh, now + self._sessions.lifetime)

    def _set_password(self, user: User, new: str, actor: str, *, field: str = "password") -> User:
        check_new_password(new, about=(user.name, user.email), field=field)
        hashed = self._context.passwords.hash(new)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me = reload_actor(view, user)
            if me.credentials != user.credentials:
                raise NotSignedIn("The password was changed meanwhile. Sign in with the new one.")
            return [UserPasswordChanged(name=me.name, hash=hashed)]

        self._context.bus.execute(actor, decide)
        self._sessions.end_all(user.user_id)
        return reload_actor(self._context.read, user)

    def _renew_hash(self, user: User, password: str) -> None:
        """Keep the same password as it is kept now; whoever is signed in stays so."""
        hashed = self._context.passwords.hash(password)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me = reload_actor(view, user)
            if me.hash != user.hash:
                return []
            return [UserPasswordChanged(name=me.name, hash=hashed, renewed=True)]

        self._context.bus.execute(SYSTEM_ACTOR, decide)


LONGEST = 400


def _letter(user: User, link: str) -> Email:
    return Email(
        to=user.email,
        subject="Another password for your account",
        text=(
            f"Hello {user.name},\n\n"
            "somebody, probably you, asked for another password. Choose one here, within an "
            f"hour:\n\n{link}\n\n"
            "If it was not you, nothing needs to be done: the old password stays.\n"
        ),
    )
