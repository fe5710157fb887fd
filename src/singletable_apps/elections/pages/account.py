"""One's own account: name, address, password."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotPermitted, NotSignedIn, Rejected, WrongState
from singletable_apps.elections.pages.dependencies import (
    Known,
    refresh_token,
    sign_in,
    sign_out,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import PREFIX, url
from singletable_apps.elections.roles import (
    ROLE_DESCRIPTIONS,
    ROLE_NAMES,
    Permission,
    has_permission,
)
from singletable_apps.elections.rules.users import check_remove_user
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Form, PostedForm, RevisionConflict

# In this order, for most of them claim to be those that come later, too.
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
_SHOWN = 60


def browser_named(about: str) -> str:
    """As `Firefox on Linux`; what nobody knows is shown as it is, if it says anything."""
    browser = next((name for mark, name in _BROWSERS if mark in about), None)
    system = next((name for mark, name in _SYSTEMS if mark in about), None)
    match browser, system:
        case None, _:
            return about[:_SHOWN].strip() or "A browser"
        case str(), None:
            return browser
        case _:
            return f"{browser} on {system}"


router = APIRouter()


@router.get("/account")
def show_account(request: Request, site: ThisSite, user: Known) -> Response:
    """All that one can see and change of oneself."""
    return _page(request, site, user)


class Details(BaseModel):
    """A name and an address."""

    name: str
    email: str


@router.post("/account/details")
def change_details(request: Request, site: ThisSite, user: Known, form: PostedForm) -> Response:
    """Another name, another address, or both."""
    typed = form.validate(Details)
    if isinstance(typed, Form):
        return _page(request, site, user, 422, details=typed)
    try:
        edited = site.elections.people.edit(
            user, user.name, name=typed.name, address=typed.email, basis=form.revision_check()
        )
    except RevisionConflict as refusal:
        user = site.elections.context.read.get_user(user.name)
        words = f"{refusal} It is now {user.name}, {user.email}. Save again to replace that."
        return _page(request, site, user, 412, details=form.with_errors(words))
    except NotPermitted:
        raise
    except Rejected as refusal:
        fault = form.with_errors(**{refusal.field or "": str(refusal)})
        return _page(request, site, user, 422, details=fault)
    request.state.user = edited
    return site.pages.redirect(request, url("account"), "Your details are saved.")


class PasswordChange(BaseModel):
    """The password that was, and the one to be."""

    current: str
    new: str


@router.post("/account/password")
def change_password(request: Request, site: ThisSite, user: Known, form: PostedForm) -> Response:
    """Another password; other browsers are signed out."""
    typed = form.validate(PasswordChange)
    if isinstance(typed, Form):
        return _page(request, site, user, 422, password=typed)
    try:
        entered = site.elections.auth.change_password(
            user, user.name, typed.current, typed.new, about=request.headers.get("user-agent", "")
        )
    except Rejected as refusal:
        if isinstance(refusal, NotSignedIn) and refusal.field is None:
            raise
        fault = form.with_errors(**{refusal.field or "": str(refusal)})
        return _page(request, site, user, 422, password=fault)
    except TooManyAttempts as refusal:
        return _page(request, site, user, 429, password=form.with_errors(str(refusal)))
    sign_in(request, site, entered)
    return site.pages.redirect(
        request, url("account"), "Your password is changed, and other browsers are signed out."
    )


def why_not_removed(site: Site, user: User) -> str:
    """What stands in the way of removing oneself; nothing if nothing does."""
    counts = site.elections.context.read.get_counts()
    try:
        check_remove_user(
            user, user, user_count=counts.user_count, election_count=counts.election_count
        )
    except WrongState as refusal:
        return str(refusal)
    return ""


def _page(
    request: Request,
    site: Site,
    user: User,
    status: int = 200,
    *,
    details: Form | None = None,
    password: Form | None = None,
) -> Response:
    access = site.elections.auth
    here = access.session_of(refresh_token(request))
    sessions = [(one, browser_named(one.about), one.id == here) for one in access.sessions(user)]
    return site.pages.render(
        request,
        "elections/account.html",
        status,
        user=user,
        role=ROLE_NAMES[user.role],
        role_words=ROLE_DESCRIPTIONS[user.role],
        may_edit=has_permission(user.role, Permission.USE_APPLICATION),
        details=details or Form({"name": user.name, "email": user.email}),
        password=password or Form(),
        sessions=sorted(sessions, key=lambda session: not session[2]),
        why_not_removed=why_not_removed(site, user),
    )


SessionId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$")]


@router.post("/account/sessions/others/end")
def end_others(request: Request, site: ThisSite, user: Known) -> Response:
    """Sign out everywhere but here."""
    access = site.elections.auth
    here = access.session_of(refresh_token(request))
    for session in access.sessions(user):
        if session.id != here:
            access.end_session(user, session.id)
    return site.pages.redirect(request, url("account"), "All other browsers are signed out.")


@router.post("/account/sessions/{session}/end")
def end_session(request: Request, site: ThisSite, user: Known, session: SessionId) -> Response:
    """Sign out in one browser, this one included."""
    access = site.elections.auth
    if session == access.session_of(refresh_token(request)):
        sign_out(request, site)
        return site.pages.redirect(request, PREFIX, "You are signed out.")
    access.end_session(user, session)
    return site.pages.redirect(
        request, url("account"), "That browser is signed out within minutes."
    )


@router.get("/account/delete")
def ask_to_delete(request: Request, site: ThisSite, user: Known) -> Response:
    """What will be lost, and what stays."""
    return site.pages.render(
        request,
        "elections/account_delete.html",
        user=user,
        why_not=why_not_removed(site, user),
        changed="",
    )


@router.post("/account/delete")
def delete_account(request: Request, site: ThisSite, user: Known, form: PostedForm) -> Response:
    """Remove oneself, for good."""
    try:
        site.elections.people.remove(user, user.name, form.revision_check())
    except RevisionConflict as refusal:
        user = site.elections.context.read.get_user(user.name)
        return site.pages.render(
            request,
            "elections/account_delete.html",
            412,
            user=user,
            why_not=why_not_removed(site, user),
            changed=str(refusal),
        )
    sign_out(request, site)
    return site.pages.redirect(request, PREFIX, "Your account is deleted.")
