"""Keep people signed in with two cookies: an access token, and a refresh token that renews it.

A third cookie, which remains after signing out, identifies the device: see `DeviceTokens`.
"""

from __future__ import annotations

from typing import TypeVar

from fastapi import Request

from singletable_apps.shared.accounts import Auth, NotSignedIn, Session, SignedIn
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages.forms import Form
from singletable_apps.shared.web import LONGEST_AGE, Cookie

U = TypeVar("U")
# The name of the password field that `check_password` reads.
CURRENT_PASSWORD = "current_password"

# In this order: most browsers also claim to be the ones further down.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS = (
    ("iPhone", "an iPhone"),
    ("iPad", "an iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "a Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class SessionCookies:
    """The session cookies of one app. Their names start with `name`.

    `visitor` sets `request.state.user`, from which a page knows who is signed in.
    """

    def __init__(self, name: str) -> None:
        self._access = Cookie(f"{name}_access")
        self._refresh = Cookie(f"{name}_session")
        self._device = Cookie(f"{name}_device", max_age=LONGEST_AGE)

    def remember(self, request: Request, signed_in: SignedIn[U]) -> None:
        """Keep the session in the browser's cookies."""
        self._access.set(request, signed_in.access, max_age=signed_in.max_age)
        self._refresh.set(request, signed_in.refresh, max_age=signed_in.max_age)
        if signed_in.device:
            self._device.set(request, signed_in.device)
        request.state.access_token = signed_in.access
        request.state.refresh_token = signed_in.refresh
        request.state.user = signed_in.user

    def forget(self, request: Request) -> None:
        """Delete the cookies."""
        self._access.delete(request)
        self._refresh.delete(request)
        request.state.access_token = request.state.refresh_token = ""
        request.state.user = None

    def access_token(self, request: Request) -> str:
        """Return the access token, as the browser has it after this request, or ""."""
        renewed: str | None = getattr(request.state, "access_token", None)
        return self._access.read(request) if renewed is None else renewed

    def refresh_token(self, request: Request) -> str:
        """Return the refresh token, as the browser has it after this request, or ""."""
        renewed: str | None = getattr(request.state, "refresh_token", None)
        return self._refresh.read(request) if renewed is None else renewed

    def device(self, request: Request) -> str:
        """Return the token of this device, or "" before the first sign-in."""
        return self._device.read(request)

    def needs_password(self, request: Request, auth: Auth[U]) -> bool:
        """Return whether a sensitive action requires the password again."""
        return not auth.has_recent_password(self.access_token(request))

    def check_password(
        self, request: Request, auth: Auth[U], user: U, form: Form, field: str = CURRENT_PASSWORD
    ) -> None:
        """Raise unless the user entered the password recently or in a field of this form.

        Call it before a `SensitiveAction`. The template shows `accounts.current_password(form)` if
        `needs_password`.
        """
        if self.needs_password(request, auth):
            auth.check_own_password(user, form.value(field), field)

    def visitor(self, request: Request, auth: Auth[U]) -> U | None:
        """Return the signed-in user, or None. An expired access token is renewed."""
        request.state.user = None
        try:
            request.state.user = auth.authenticate(self._access.read(request))
        except NotSignedIn:
            if refresh := self._refresh.read(request):
                try:
                    self.remember(request, auth.renew(refresh))
                except NotSignedIn:
                    self.forget(request)
        user: U | None = request.state.user
        return user

    def sign_out(self, request: Request, auth: Auth[U]) -> None:
        """End the session and delete its cookies."""
        auth.sign_out(self.refresh_token(request))
        self.forget(request)

    def sessions(self, request: Request, auth: Auth[U], user: U) -> list[tuple[Session, str, bool]]:
        """Return the user's sessions, their browsers, and whether it is this one, which is first.

        The macro `sessions` in `macros/account.html` shows them.
        """
        current = auth.session_of(self.access_token(request))
        sessions = [
            (session, describe_browser(session.about), session.family == current)
            for session in auth.sessions(user)
        ]
        return sorted(sessions, key=lambda session: not session[2])


def describe_browser(user_agent: str) -> str:
    """Return something like `Firefox on Linux`; an unknown user agent is shown as sent."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), None)
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    if browser is None:
        return user_agent[:60].strip() or "A browser"
    if system is None:
        return browser
    return Phrase("%(browser)s on %(system)s", browser=browser, system=system)
