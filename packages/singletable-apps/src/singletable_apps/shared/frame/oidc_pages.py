"""Pages to sign in with the identity provider of the site, and to connect an account with it.

    /sign-in/provider            sends the browser to the provider
    /sign-in/provider/back       receives it again
    /account/provider            connects the account of the person who is signed in
    /account/provider/disconnect

Someone whom the provider knows signs in to the connected account. Others get an invited account
with their address, or a new one as registration allows. An account that someone has used is
connected only by someone who is signed in to it: its address may never have been confirmed.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.accounts.usernames import suggest_username
from singletable_apps.shared.errors import AlreadyExists, NotFound, RequestRejected
from singletable_apps.shared.frame.account_pages import AnyPage, UserPage
from singletable_apps.shared.frame.people import MemberPage, VisitorPage
from singletable_apps.shared.frame.state import WAITING, limited
from singletable_apps.shared.pages import ConfirmedAction, Form, confirm, local_url, path_of
from singletable_apps.shared.sealed import InvalidSeal, Sealer
from singletable_apps.shared.web import Cookie
from singletable_apps.shared.web.oidc import Identity, Provider, ProviderFailed, Visit
from singletable_apps.shared.web.settings import site_of

router = APIRouter()
_VISIT = Cookie("oidc_visit", max_age=900)
_IDENTITY = Cookie("oidc_identity", max_age=900)
_MAX_AGE = timedelta(minutes=15)
_NAMES = 9


def find_provider(request: Request) -> Provider | None:
    """Return the identity provider of the site, or None."""
    return site_of(request.scope).settings.provider


def provider_link(request: Request, url: str) -> dict[str, str] | None:
    """Return the name of the provider, and where to sign in there and come back to this page."""
    provider = find_provider(request)
    if provider is None:
        return None
    return {"name": provider.name, "url": url, "back": path_of(request)}


def _provider(request: Request) -> Provider:
    provider = find_provider(request)
    if provider is None:
        raise NotFound("This site has no identity provider. Sign in with your password.")
    return provider


@router.get("/sign-in/provider", dependencies=limited("sign_in"))
def go_to_provider(
    page: AnyPage, next_url: Annotated[str, Query(alias="next")] = "", again: bool = False
) -> Response:
    """Send the browser to the identity provider."""
    visit = Visit.begin(local_url(next_url, ""), _subject_of(page))
    try:
        url = _provider(page.request).start(visit, _back_url(page), again=again)
    except ProviderFailed as error:
        return _show_sign_in(page, error)
    _VISIT.set(page.request, _visits(page).seal(visit))
    return page.redirect(url)


@router.get("/sign-in/provider/back", dependencies=limited("sign_in"))
def come_back(
    page: AnyPage,
    code: Annotated[str, Query(max_length=4000)] = "",
    state: Annotated[str, Query(max_length=400)] = "",
    error: Annotated[str, Query(max_length=400)] = "",
) -> Response:
    """Sign in after the provider's redirect."""
    provider = _provider(page.request)
    try:
        visit = _read_visit(page, state)
        if not code:
            reason = f" ({error})" if error else ""
            raise NotSignedIn(f"{provider.name} did not sign you in{reason}.")
        identity = provider.finish(visit, code, _back_url(page))
        return _sign_in(page, identity, visit.next)
    except RequestRejected as rejected:
        return _show_sign_in(page, rejected)
    finally:
        _VISIT.delete(page.request)


def _read_visit(page: VisitorPage, state: str) -> Visit:
    """Return the visit that this browser began, as the same person."""
    try:
        visit = _visits(page).open(_VISIT.read(page.request), max_age=_MAX_AGE)
    except InvalidSeal:
        raise _not_begun() from None
    is_same = secrets.compare_digest(visit.state.encode(), state.encode())
    if not is_same or visit.subject != _subject_of(page):
        raise _not_begun()
    return visit


def _not_begun() -> NotSignedIn:
    text = "You did not come from this site’s sign-in page a moment ago. Try again."
    return NotSignedIn(text)


def _sign_in(page: VisitorPage, identity: Identity, next_url: str) -> Response:
    """Start a session, or ask a signed-in user whether to connect the account."""
    auth = page.state.auth
    subject = auth.identities.find(identity)
    user = auth.find_by_id(subject) if subject is not None else None
    if user is None and page.visitor is not None:
        # Someone else may sign in before the answer: the identity is only for this account.
        sealed = _identities(page).seal(identity, context=str(_subject_of(page)))
        _IDENTITY.set(page.request, sealed)
        return page.redirect(page.url("account", "provider"))
    if user is None:
        user = auth.connect(_find_invited(page, identity) or _register(page, identity), identity)
    auth.sign_out(page.state.cookies.refresh_token(page.request))
    proved = identity.proved or datetime.min.replace(tzinfo=UTC)
    signed_in = auth.start_session(user, page.user_agent, proved=proved)
    page.state.cookies.remember(page.request, signed_in)
    if page.state.is_waiting(user):
        return page.redirect(page.url("account"), f"Welcome, {user.name}! {WAITING}")
    return page.redirect(local_url(next_url, page.urls.home))


def _find_invited(page: VisitorPage, identity: Identity) -> Any:
    """Return the account of this person that nobody has used yet, or None."""
    auth = page.state.auth
    for login in filter(None, (identity.email, identity.username)):
        user = auth.find(login)
        account = auth.account_of(user) if user is not None else None
        if account is None or not identity.email:
            continue
        if account.email.casefold() != identity.email.casefold():
            continue
        if auth.has_owner(user):
            raise NotSignedIn(
                f"There is an account with the address {identity.email} already. Sign in with its "
                "password, and connect it on the page “Your account”. If you don’t know the "
                "password, choose one with the link “Forgot your password?”."
            )
        return user
    return None


def _register(page: VisitorPage, identity: Identity) -> Any:
    """Create an account with a password that nobody knows; a link by e-mail can change it."""
    people = page.people
    if people.waiting is None:
        raise NotSignedIn("You have no account here. Ask for an invitation.")
    for number in range(1, _NAMES + 1):
        suffix = "" if number == 1 else f" {number}"
        values = {
            "name": f"{identity.name.replace('@', ' ')}{'' if people.has_usernames else suffix}",
            "email": identity.email,
            "password": secrets.token_urlsafe(32),
            "setup_code": "",
        }
        if people.has_usernames:
            values["username"] = suggest_username(identity.username) + suffix.strip()
        try:
            return people.register_visitor(**values, is_confirmed=True)
        except AlreadyExists as error:
            if error.field == "email":
                raise
    raise NotSignedIn(f"Too many people are called {identity.name}. Register with another name.")


@confirm(router, "/account/provider")
def connect_account(page: UserPage) -> ConfirmedAction:
    """Connect the account with the identity that the browser came back with."""
    provider = _provider(page.request)
    try:
        sealed, whose = _IDENTITY.read(page.request), str(_subject_of(page))
        identity = _identities(page).open(sealed, context=whose, max_age=_MAX_AGE)
    except InvalidSeal:
        raise NotSignedIn(f"Go to {provider.name} again from the page “Your account”.") from None

    def connect(_: Form) -> None:
        page.auth.connect(page.user, identity)
        _IDENTITY.delete(page.request)

    return ConfirmedAction(
        page,
        title=f"Connect your account with {provider.name}?",
        text=f"Anyone who signs in there as {identity.email or identity.name} can then sign in "
        f"here as {page.auth.account_of(page.user).name}, without the password of this site.",
        button="Connect",
        back=page.url("account"),
        needs_password=True,
        do=connect,
        done=f"Connected. You can sign in with {provider.name} from now on.",
    )


@confirm(router, "/account/provider/disconnect")
def disconnect_account(page: UserPage) -> ConfirmedAction:
    """Disconnect the account from the provider."""
    provider = _provider(page.request)
    account = page.auth.account_of(page.user)
    return ConfirmedAction(
        page,
        title=f"Disconnect your account from {provider.name}?",
        text="You then sign in with your password. If you don’t know it, choose one first with the "
        "link “Forgot your password?” on the sign-in page.",
        button="Disconnect",
        back=page.url("account"),
        needs_password=True,
        do=lambda _: page.auth.identities.disconnect(account.subject),
        done=f"Disconnected from {provider.name}.",
    )


def _subject_of(page: VisitorPage | MemberPage) -> int | None:
    """Return the number of the account of the person who is signed in, or None."""
    user = page.visitor if isinstance(page, VisitorPage) else page.user
    return None if user is None else page.state.auth.account_of(user).subject


def _visits(page: VisitorPage) -> Sealer[Visit]:
    return page.pages.sealer(Visit, "visit of the identity provider")


def _identities(page: VisitorPage | MemberPage) -> Sealer[Identity]:
    return page.pages.sealer(Identity, "identity to connect")


def _back_url(page: VisitorPage) -> str:
    return page.urls.absolute(page.url("sign-in", "provider", "back"))


def _show_sign_in(page: VisitorPage, error: RequestRejected) -> Response:
    status = 503 if isinstance(error, ProviderFailed) else 422
    return page.render("sign_in", status, form=Form().with_errors(str(error)))
