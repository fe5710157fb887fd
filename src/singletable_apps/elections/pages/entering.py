"""Signing in and out, and joining."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.api.asking import by_address
from singletable_apps.elections.errors import NotSignedIn, Refused
from singletable_apps.elections.pages.addresses import PREFIX
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.visiting import Visitor, page_router, sign_in, sign_out
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Form, Typed, local_address
from singletable_apps.shared.web import client_address

router = page_router()


class SignIn(BaseModel):
    """What somebody signs in with."""

    who: Annotated[str, Field(min_length=1, max_length=400)]
    password: Annotated[str, Field(min_length=1, max_length=2000)]
    next: str = ""


@router.get("/sign-in")
def ask_to_sign_in(
    request: Request,
    site: ThisSite,
    visitor: Visitor,
    going: Annotated[str, Query(alias="next")] = "",
) -> Response:
    """The form."""
    if visitor is not None:
        return site.pages.redirect(local_address(going, PREFIX))
    return site.pages.page(request, "elections/sign_in.html", form=Form({"next": going}))


@router.post("/sign-in", dependencies=[Depends(by_address(lambda limits: limits.sign_in))])
def sign_somebody_in(request: Request, site: ThisSite, form: Typed) -> Response:
    """Sign in, and go where one was going."""
    typed = form.read(SignIn)
    if isinstance(typed, Form):
        return site.pages.page(request, "elections/sign_in.html", 422, form=typed)
    site.elections.office.check_whole()
    try:
        entered = site.elections.access.sign_in(
            typed.who, typed.password, address=client_address(request), about=_browser(request)
        )
    except NotSignedIn as refusal:
        form = form.refused(str(refusal))
        return site.pages.page(request, "elections/sign_in.html", 422, form=form)
    except TooManyAttempts as refusal:
        form = form.refused(str(refusal))
        page = site.pages.page(request, "elections/sign_in.html", 429, form=form)
        page.headers["Retry-After"] = f"{max(1, -(-refusal.retry_after.total_seconds() // 1)):.0f}"
        return page
    sign_in(request, entered)
    return site.pages.redirect(local_address(typed.next, PREFIX))


class Newcomer(BaseModel):
    """What somebody joins with."""

    name: str
    email: str
    password: str


@router.get("/register")
def ask_to_register(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """The form."""
    if visitor is not None:
        return site.pages.redirect(PREFIX)
    return site.pages.page(request, "elections/register.html", form=Form())


@router.post("/register", dependencies=[Depends(by_address(lambda limits: limits.register))])
def register_somebody(request: Request, site: ThisSite, form: Typed) -> Response:
    """Join, and be signed in at once."""
    typed = form.read(Newcomer)
    if isinstance(typed, Form):
        return site.pages.page(request, "elections/register.html", 422, form=typed)
    try:
        user = site.elections.people.register(typed.name, typed.email, typed.password)
    except Refused as refusal:
        form = form.refused(**{refusal.field or "": str(refusal)})
        return site.pages.page(request, "elections/register.html", 422, form=form)
    sign_in(request, site.elections.access.welcome(user, _browser(request)))
    return site.pages.redirect(PREFIX, f"Welcome, {user.name}.")


@router.post("/sign-out")
def sign_somebody_out(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """Leave."""
    sign_out(request, site)
    return site.pages.redirect(PREFIX, "You are signed out.")


def _browser(request: Request) -> str:
    return request.headers.get("user-agent", "")[:200]
