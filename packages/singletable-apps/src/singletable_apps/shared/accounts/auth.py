"""Sign in and out, change passwords, and reset forgotten ones, for the users of any app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import ClassVar, Generic, TypeVar

from singletable import Store
from singletable_apps.shared.accounts import notices
from singletable_apps.shared.accounts.email_changes import EmailChanges
from singletable_apps.shared.accounts.entities import RecoveryLock, Session
from singletable_apps.shared.accounts.errors import NotSignedIn, TooManyAttempts
from singletable_apps.shared.accounts.identities import Identities
from singletable_apps.shared.accounts.password_resets import PasswordResets
from singletable_apps.shared.accounts.passwords import Passwords
from singletable_apps.shared.accounts.personal_tokens import PREFIX, PersonalTokens, Scope
from singletable_apps.shared.accounts.sessions import Sessions
from singletable_apps.shared.accounts.throttle import AttemptKey, Throttle
from singletable_apps.shared.accounts.tokens import AccessTokens, DeviceTokens
from singletable_apps.shared.accounts.users import UNCLAIMED, Users
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.outbox import RESETS, SECURITY, Outbox
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.text import normalize_line
from singletable_apps.shared.web.clients import client_network
from singletable_apps.shared.web.oidc import Identity

MAX_LOGIN_LENGTH = 400
_SIGN_IN_AGAIN = "Your account was removed, or its password has changed. Sign in again."

# How many attempts of a client network are free, beside the few of each account.
ADDRESS_ATTEMPTS = 300
# A sensitive action does not require the password again this soon after it was entered.
RECENT = timedelta(minutes=5)

U = TypeVar("U")


class SensitiveAction(StrEnum):
    """An action that requires the password again unless it was entered a few minutes ago.

    Otherwise someone at an unattended browser could take over the account, give others control, or
    copy everything.
    """

    CHANGE_EMAIL = "change an e-mail address"
    DELETE_ACCOUNT = "delete an account"
    GIVE_CONTROL = "let someone manage accounts"
    EXPORT = "download everything"
    DELETE_BALLOTS = "delete ballots or a signed result"


@dataclass(frozen=True, slots=True)
class SignedIn(Generic[U]):
    """A signed-in user: a short-lived access token, and a refresh token to renew it."""

    user: U
    access: str
    refresh: str
    ends: datetime
    # How long the refresh token is valid, in seconds.
    max_age: int
    # For the next sign-in from this device; empty if the session was renewed.
    device: str = ""


class Auth(Users[U], Generic[U]):
    """Sessions, passwords and e-mail addresses of the users of an app.

    `issuer` names the app in access tokens, and `wrong_login` is the message if the name or the
    password is wrong. `link(page, token)` returns the URL of a page for e-mails.
    """

    issuer: ClassVar[str]
    wrong_login: ClassVar[str] = "Wrong name or password."

    def __init__(
        self,
        store: Store,
        mail: Outbox,
        *,
        secret: bytes,
        link: Callable[[str, str], str],
        clock: Callable[[], datetime],
        passwords: Passwords | None = None,
    ) -> None:
        self._store = store
        self._mail = mail
        self._link = link
        self._clock = clock
        self._passwords = passwords or Passwords()
        self._tokens = AccessTokens(secret, issuer=self.issuer)
        self._sessions = Sessions(store, secret=secret)
        self._resets = PasswordResets(store, secret=secret)
        self.emails = EmailChanges(self, store, mail, secret=secret, link=link, clock=clock)
        self.tokens = PersonalTokens(store, secret=secret, clock=clock)
        self.identities = Identities(store, secret=secret)
        self._devices = DeviceTokens(secret)
        self._throttle = Throttle(store, secret=secret)
        # Many people may share an address, such as on election day at a school, and mistype.
        self._address_throttle = Throttle(store, secret=secret, free=ADDRESS_ATTEMPTS)
        self._reset_throttle = Throttle(store, secret=secret, free=3)

    @property
    def lifetime(self) -> timedelta:
        """Return the lifetime of an access token."""
        return self._tokens.lifetime

    def sign_in(
        self, login: str, password: str, *, address: str = "", about: str = "", device: str = ""
    ) -> SignedIn[U]:
        """Sign in with a user name or e-mail address and the password.

        Attempts are throttled by account and by the client's `address`, but attempts from a device
        where the user has signed in before only by that device. `about` describes the session to
        its owner, such as the User-Agent.
        """
        user = self.find(login)
        key, origin = self._sign_in_keys(user, login, address, device)
        self._count_attempt(self._throttle, key, origin)
        stored = self.account_of(user).password_hash if user is not None else None
        # The password of an unknown user is verified too, so that it takes as long.
        if not self._passwords.matches(stored, password) or user is None or stored is None:
            raise NotSignedIn(self.wrong_login)
        self._throttle.succeeded(key, others=origin)
        if self._passwords.needs_rehash(stored):
            self.rehash(user, self._passwords.hash(password))
        return self.start_session(user, about)

    def start_session(
        self, user: U, about: str = "", *, proved: datetime | None = None
    ) -> SignedIn[U]:
        """Start a session of a user, authenticated just now or at `proved`."""
        user = self._claim(user)
        account, now = self.account_of(user), self._clock()
        # One that was not proved recently begins early enough to ask for the password.
        begun = now if proved is None else min(now, max(proved, now - 2 * RECENT))
        session, refresh = self._sessions.start(
            account.subject, now, credentials=account.credentials, about=about, begun=begun
        )
        started = self._signed_in(user, session, refresh, now)
        return replace(started, device=self._devices.issue(account.subject))

    def has_owner(self, user: U) -> bool:
        """Return whether someone has signed in to the account, in any way.

        Only the owner of such an account may get control of its password or e-mail address.
        """
        return (
            self._is_claimed(user)
            or self.identities.is_connected(self._subject(user))
            or bool(self.sessions(user))
        )

    def connect(self, user: U, identity: Identity) -> U:
        """Let an identity of the provider sign in to the account. Return the user as stored."""
        user = self._claim(user)
        self.identities.connect(self.account_of(user).subject, identity)
        return user

    def _claim(self, user: U) -> U:
        """Claim an account that is used for the first time, if nobody has chosen a password."""
        return user if self._is_claimed(user) else self.claim(user)

    def _is_claimed(self, user: U) -> bool:
        account = self.account_of(user)
        return bool(account.password_hash) or account.credentials != UNCLAIMED

    def renew(self, refresh: str) -> SignedIn[U]:
        """Exchange a refresh token, which works once, for new tokens."""
        now = self._clock()
        session, token = self._sessions.rotate(refresh, now)
        user = self._find_unchanged(session.subject, session.credentials)
        if user is None:
            self._sessions.end(token)
            raise NotSignedIn(_SIGN_IN_AGAIN)
        return self._signed_in(user, session, token, now)

    def sign_out(self, refresh: str) -> None:
        """End a session. An unknown token is ignored."""
        self._sessions.end(refresh)

    def sessions(self, user: U) -> list[Session]:
        """Return the user's sessions, the most recently used first."""
        return self._sessions.list(self._subject(user))

    def end_session(self, user: U, session: str) -> None:
        """End one of the user's sessions. An unknown one is ignored."""
        self._sessions.end_one(self._subject(user), session)

    def end_other_sessions(self, user: U, current: str | None) -> None:
        """End all sessions of the user but one."""
        for session in self.sessions(user):
            if session.family != current:
                self.end_session(user, session.family)

    def session_of(self, token: str) -> str | None:
        """Return the ID of the session of an access token, or None."""
        try:
            return self._tokens.read(token, self._clock()).session
        except NotSignedIn:
            return None

    def authenticate(self, token: str, scope: Scope | None = None) -> U:
        """Return the user of an access token, unless its session has ended since.

        A personal token is valid for requests with a scope, and only if it has that scope.
        """
        now = self._clock()
        if token.startswith(PREFIX):
            return self._authenticate_personal(token, scope)
        claims = self._tokens.read(token, now)
        # This costs a read per request; without it, a stolen token would outlive a sign-out.
        if not self._sessions.is_open(claims.subject, claims.session, now):
            raise NotSignedIn("Your session has ended. Sign in again.")
        user = self._find_unchanged(claims.subject, claims.credentials)
        if user is None:
            raise NotSignedIn(_SIGN_IN_AGAIN)
        return user

    def _authenticate_personal(self, text: str, scope: Scope | None) -> U:
        token = self.tokens.find(text)
        user = self._find_unchanged(token.subject, token.credentials) if token else None
        if token is None or user is None:
            raise NotSignedIn(
                "This access token has expired, was revoked, or is older than your password. Make "
                "a new one on the page of your account."
            )
        if scope is None:
            raise NotPermitted("Access tokens can’t do this. Sign in instead.")
        if scope not in token.scopes:
            raise NotPermitted(
                f"This request needs the scope “{scope}”. The token “{token.name}” has: "
                f"{', '.join(token.scopes)}."
            )
        return user

    def has_recent_password(self, token: str) -> bool:
        """Return whether the user of an access token entered the password a few minutes ago."""
        now = self._clock()
        try:
            return now - self._tokens.read(token, now).signed_in <= RECENT
        except NotSignedIn:
            return False

    def check_recent_password(self, token: str, action: SensitiveAction) -> None:
        """Raise unless the user of an access token entered the password a few minutes ago."""
        if not self.has_recent_password(token):
            raise NotSignedIn(
                f"Sign in again to {action}: this needs a sign-in within the last "
                f"{RECENT // timedelta(minutes=1)} minutes."
            )

    def check_own_password(self, user: U, password: str, field: str) -> None:
        """Raise the app's error for `field` unless it is the user's password."""
        # Count these apart from sign-ins: others' guesses must not lock out a signed-in user.
        key = self._attempt_key("own password", user)
        self._throttle.attempt([key], self._clock())
        if not self._passwords.matches(self.account_of(user).password_hash, password):
            raise NotSignedIn("That’s not your current password.", field=field)
        self._throttle.succeeded(key)

    def change_own_password(
        self, user: U, current: str, new: str, *, about: str = ""
    ) -> SignedIn[U]:
        """Change the user's password. All sessions end, and a new one starts."""
        self.check_own_password(user, current, "current")
        return self._set_password(user, new, "new", about)

    def request_reset(self, login: str, *, address: str = "") -> None:
        """Send a password reset e-mail. The caller does not learn whether there is an account.

        After someone else has changed the e-mail address, resets are off until the owner of the
        account accepts it: on the account page with the password, or from the old address.
        """
        now, user = self._clock(), self.find(login)
        key = self._attempt_key("reset", user, login)
        self._count_attempt(self._reset_throttle, key, _origin("reset from", address))
        if user is None:
            return
        account = self.account_of(user)
        lock = self._store.get(RecoveryLock.key(account.subject), consistent=True)
        if lock is None:
            token = self._resets.issue(account.subject, account.state, now)
            link = self._link("reset", token)
            notice = notices.RESET_LINK.to(account.email, account.name, link=link)
        else:
            notice = notices.RESETS_ARE_OFF.to(account.email, account.name, by=lock.by)
        self._mail.send(notice, now, RESETS)

    def try_request_reset(self, login: str, *, address: str = "") -> None:
        """Send a password reset e-mail unless there were too many, for a background task.

        Call it after the response: how long it takes would reveal whether the account exists.
        """
        try:
            self.request_reset(login, address=address)
        except TooManyAttempts:
            return

    def check_reset(self, token: str) -> None:
        """Raise unless the token of a reset e-mail still works."""
        self._resets.read(token, self._clock())

    def reset(self, token: str, new: str, *, about: str = "") -> SignedIn[U]:
        """Set a new password with the token of a reset e-mail, which works once."""
        now = self._clock()
        # A rejected password must not use up the token.
        user = self.find_by_id(self._resets.read(token, now).subject)
        if user is not None:
            self.check_password(user, new, "password")
        redeemed = self._resets.redeem(token, now)
        if user is None or self.account_of(user).state != redeemed.state:
            raise NotSignedIn(
                "Your account has changed since this e-mail was sent. Request a new one.",
                field="token",
            )
        return self._set_password(user, new, "password", about, is_reset=True)

    def find(self, login: str) -> U | None:
        """Return the user with this name or e-mail address, in any case, or None."""
        if len(login) > MAX_LOGIN_LENGTH:
            return None
        return self.find_by_login(normalize_line(login))

    def _find_unchanged(self, subject: int, credentials: int) -> U | None:
        """Return the user, or None if they were removed or have changed their password.

        A session of an account that was never claimed is from an earlier version. It has to start
        again, so that links that were sent before stop working.
        """
        user = self.find_by_id(subject)
        if user is None or self.account_of(user).credentials != credentials:
            return None
        return user if self._is_claimed(user) else None

    def _subject(self, user: U) -> int:
        return self.account_of(user).subject

    def _attempt_key(self, kind: str, user: U | None, login: str = "") -> AttemptKey:
        """Return the key by which attempts for one account are counted."""
        if user is not None:
            return (kind, f"user {self._subject(user)}")
        return (kind, normalize_line(login).casefold())

    def _sign_in_keys(
        self, user: U | None, login: str, address: str, device: str
    ) -> tuple[AttemptKey, list[AttemptKey]]:
        """Return the keys under which sign-in attempts are counted: the account and the address.

        The account is the login as typed, not the user: if a name and an e-mail address shared one
        count, attempts would reveal whether both belong to the same account.
        """
        if user is not None and (name := self._devices.read(device, self._subject(user))):
            return ("device", name), []
        return self._attempt_key("account", None, login), _origin("address", address)

    def _count_attempt(self, throttle: Throttle, key: AttemptKey, origin: list[AttemptKey]) -> None:
        """Count an attempt for the account and for the address, unless one of them must wait."""
        now = self._clock()
        throttle.check([key, *origin], now)
        self._address_throttle.attempt(origin, now)
        throttle.attempt([key], now)

    def _signed_in(self, user: U, session: Session, refresh: str, now: datetime) -> SignedIn[U]:
        account = self.account_of(user)
        access = self._tokens.issue(
            account.subject, session.family, account.credentials, now, session.begun
        )
        max_age = max(0, ceil((session.ends - now).total_seconds()))
        return SignedIn(user, access, refresh, session.ends, max_age)

    def _set_password(
        self, user: U, new: str, field: str, about: str, *, is_reset: bool = False
    ) -> SignedIn[U]:
        self.check_password(user, new, field)
        had_owner = self.has_owner(user)
        changed = self.set_password(user, self._passwords.hash(new))
        account = self.account_of(changed)
        self._sessions.end_all(account.subject)
        if had_owner:
            how = "with a link from an e-mail" if is_reset else "on the account page"
            notice = notices.PASSWORD_CHANGED.to(account.email, account.name, how=Phrase(how))
            self._mail.send(notice, self._clock(), SECURITY)
        return self.start_session(changed, about)


def _origin(kind: str, address: str) -> list[AttemptKey]:
    return [(kind, client_network(address))] if address else []
