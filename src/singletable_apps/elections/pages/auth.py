"""Signing in and out, and joining."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.api.auth import send_reset_letter
from singletable_apps.elections.api.dependencies import by_address
from singletable_apps.elections.errors import NotSignedIn, Rejected
from singletable_apps.elections.pages.dependencies import Visitor, sign_in, sign_out
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import PREFIX, url
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Form, PostedForm, local_url
from singletable_apps.shared.web import client_address

router = APIRouter()


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
        return site.pages.redirect(request, local_url(going, PREFIX))
    return site.pages.render(request, "elections/sign_in.html", form=Form({"next": going}))


@router.post("/sign-in", dependencies=[Depends(by_address(lambda limits: limits.sign_in))])
def sign_somebody_in(request: Request, site: ThisSite, form: PostedForm) -> Response:
    """Sign in, and go where one was going."""
    typed = form.validate(SignIn)
    if isinstance(typed, Form):
        return site.pages.render(request, "elections/sign_in.html", 422, form=typed)
    site.elections.context.check_whole()
    try:
        entered = site.elections.auth.sign_in(
            typed.who, typed.password, address=client_address(request), about=_browser(request)
        )
    except NotSignedIn as refusal:
        form = form.with_errors(str(refusal))
        return site.pages.render(request, "elections/sign_in.html", 422, form=form)
    except TooManyAttempts as refusal:
        form = form.with_errors(str(refusal))
        page = site.pages.render(request, "elections/sign_in.html", 429, form=form)
        page.headers["Retry-After"] = f"{max(1, -(-refusal.retry_after.total_seconds() // 1)):.0f}"
        return page
    sign_in(request, site, entered)
    return site.pages.redirect(request, local_url(typed.next, PREFIX))


class Newcomer(BaseModel):
    """What somebody joins with."""

    name: str
    email: str
    password: str


@router.get("/register")
def ask_to_register(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """The form."""
    if visitor is not None:
        return site.pages.redirect(request, PREFIX)
    return site.pages.render(request, "elections/register.html", form=Form())


@router.post("/register", dependencies=[Depends(by_address(lambda limits: limits.register))])
def register_somebody(request: Request, site: ThisSite, form: PostedForm) -> Response:
    """Join, and be signed in at once."""
    typed = form.validate(Newcomer)
    if isinstance(typed, Form):
        return site.pages.render(request, "elections/register.html", 422, form=typed)
    try:
        user = site.elections.people.register(typed.name, typed.email, typed.password)
    except Rejected as refusal:
        form = form.with_errors(**{refusal.field or "": str(refusal)})
        return site.pages.render(request, "elections/register.html", 422, form=form)
    sign_in(request, site, site.elections.auth.start_session(user, _browser(request)))
    return site.pages.redirect(request, PREFIX, f"Welcome, {user.name}.")


@router.post("/sign-out")
def sign_somebody_out(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """Leave."""
    sign_out(request, site)
    return site.pages.redirect(request, PREFIX, "You are signed out.")


def _browser(request: Request) -> str:
    return request.headers.get("user-agent", "")[:200]


LIMITED = [Depends(by_address(lambda limits: limits.reset))]


class Forgetful(BaseModel):
    """Who has forgotten a password."""

    who: Annotated[str, Field(min_length=1, max_length=400)]


@router.get("/forgot")
def ask_who(request: Request, site: ThisSite) -> Response:
    """The form."""
    return site.pages.render(request, "elections/forgot.html", form=Form())


@router.post("/forgot", dependencies=LIMITED)
def send_letter(
    request: Request, site: ThisSite, form: PostedForm, tasks: BackgroundTasks
) -> Response:
    """Have a letter sent to whoever it is; the answer is the same if it is nobody."""
    typed = form.validate(Forgetful)
    if isinstance(typed, Form):
        return site.pages.render(request, "elections/forgot.html", 422, form=typed)
    site.elections.context.check_whole()
    # Sent after the answer, for how long it takes would tell whether there is anybody.
    tasks.add_task(send_reset_letter, site.elections, typed.who, client_address(request))
    response = site.pages.redirect(request, url("forgot", "sent"))
    response.background = tasks
    return response


@router.get("/forgot/sent")
def say_sent(request: Request, site: ThisSite) -> Response:
    """What happens next."""
    return site.pages.render(request, "elections/forgot_sent.html")


class NewPassword(BaseModel):
    """Another password, and the token of the letter."""

    token: str = ""
    password: str


@router.get("/reset")
def ask_for_password(
    request: Request, site: ThisSite, token: Annotated[str, Query(max_length=400)] = ""
) -> Response:
    """The form; who comes too late is told before they think of a password."""
    site.elections.context.check_whole()
    try:
        site.elections.auth.check_reset(token)
    except NotSignedIn as refusal:
        return _too_late(request, site, refusal)
    return site.pages.render(request, "elections/reset.html", form=Form({"token": token}))


@router.post("/reset", dependencies=LIMITED)
def set_password(request: Request, site: ThisSite, form: PostedForm) -> Response:
    """Another password, and be signed in with it."""
    typed = form.validate(NewPassword)
    if isinstance(typed, Form):
        return site.pages.render(request, "elections/reset.html", 422, form=typed)
    site.elections.context.check_whole()
    try:
        browser = request.headers.get("user-agent", "")
        entered = site.elections.auth.reset(typed.token, typed.password, about=browser)
    except NotSignedIn as refusal:
        return _too_late(request, site, refusal)
    except Rejected as refusal:
        form = form.with_errors(**{refusal.field or "": str(refusal)})
        return site.pages.render(request, "elections/reset.html", 422, form=form)
    sign_in(request, site, entered)
    return site.pages.redirect(
        request, PREFIX, "Your password is changed, and other browsers are signed out."
    )


def _too_late(request: Request, site: Site, refusal: NotSignedIn) -> Response:
    return site.pages.render(request, "elections/reset_refused.html", 422, why=str(refusal))
