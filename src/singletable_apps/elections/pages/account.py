"""One's own account: name, address, password."""

from __future__ import annotations

from fastapi import Request, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotPermitted, NotSignedIn, Refused, WrongState
from singletable_apps.elections.pages.addresses import address
from singletable_apps.elections.pages.basing import ChangedMeanwhile, based_on
from singletable_apps.elections.pages.browsers import browser_named
from singletable_apps.elections.pages.role_words import ROLE_NAMES, ROLE_WORDS
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import (
    Known,
    page_router,
    refresh_token,
    sign_in,
)
from singletable_apps.elections.roles import Permission, has
from singletable_apps.elections.rules import check_removal
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Form, Typed

router = page_router()


@router.get("/account")
def show_account(request: Request, site: ThisSite, user: Known) -> Response:
    """All that one can see and change of oneself."""
    return _page(request, site, user)


class Details(BaseModel):
    """A name and an address."""

    name: str
    email: str


@router.post("/account/details")
def change_details(request: Request, site: ThisSite, user: Known, form: Typed) -> Response:
    """Another name, another address, or both."""
    typed = form.read(Details)
    if isinstance(typed, Form):
        return _page(request, site, user, 422, details=typed)
    try:
        edited = site.elections.people.edit(
            user, user.name, name=typed.name, address=typed.email, basis=based_on(form)
        )
    except ChangedMeanwhile as refusal:
        user = site.elections.office.view.user(user.name)
        words = f"{refusal} It is now {user.name}, {user.email}. Save again to replace that."
        return _page(request, site, user, 412, details=form.refused(words))
    except NotPermitted:
        raise
    except Refused as refusal:
        fault = form.refused(**{refusal.field or "": str(refusal)})
        return _page(request, site, user, 422, details=fault)
    request.state.user = edited
    return site.pages.redirect(address("account"), "Your details are saved.")


class PasswordChange(BaseModel):
    """The password that was, and the one to be."""

    current: str
    new: str


@router.post("/account/password")
def change_password(request: Request, site: ThisSite, user: Known, form: Typed) -> Response:
    """Another password; other browsers are signed out."""
    typed = form.read(PasswordChange)
    if isinstance(typed, Form):
        return _page(request, site, user, 422, password=typed)
    try:
        entered = site.elections.access.change_password(
            user, user.name, typed.current, typed.new, about=request.headers.get("user-agent", "")
        )
    except Refused as refusal:
        if isinstance(refusal, NotSignedIn) and refusal.field is None:
            raise
        fault = form.refused(**{refusal.field or "": str(refusal)})
        return _page(request, site, user, 422, password=fault)
    except TooManyAttempts as refusal:
        return _page(request, site, user, 429, password=form.refused(str(refusal)))
    sign_in(request, entered)
    return site.pages.redirect(
        address("account"), "Your password is changed, and other browsers are signed out."
    )


def why_not_removed(site: Site, user: User) -> str:
    """What stands in the way of removing oneself; nothing if nothing does."""
    counts = site.elections.office.view.counts()
    try:
        check_removal(
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
    access = site.elections.access
    here = access.session_of(refresh_token(request, site))
    sessions = [(one, browser_named(one.about), one.id == here) for one in access.sessions(user)]
    return site.pages.page(
        request,
        "elections/account.html",
        status,
        user=user,
        role=ROLE_NAMES[user.role],
        role_words=ROLE_WORDS[user.role],
        may_edit=has(user.role, Permission.USE_APPLICATION),
        details=details or Form({"name": user.name, "email": user.email}),
        password=password or Form(),
        sessions=sorted(sessions, key=lambda session: not session[2]),
        why_not_removed=why_not_removed(site, user),
    )
