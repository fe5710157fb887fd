"""Sign in, sign out, register, and reset a forgotten password."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Depends, Query, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.api.dependencies import by_address
from singletable_apps.elections.errors import NotSignedIn, Rejected
from singletable_apps.elections.pages.dependencies import (
    COOKIES,
    PREFIX,
    PublicPage,
    VisitorPage,
    url,
)
from singletable_apps.elections.rules.names import clean_email, clean_user_name
from singletable_apps.elections.service.people import check_available, check_new_password
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Form, PostedForm, local_url, submit_form
from singletable_apps.shared.web import client_address, set_header

router = APIRouter()
RESET_LIMIT = [Depends(by_address(lambda limits: limits.reset))]


def _user_agent(page: PublicPage) -> str:
    return page.request.headers.get("user-agent", "")[:200]


class SignInForm(BaseModel):
    """A name or an e-mail address, the password, and the page to go to."""

    who: Annotated[str, Field(min_length=1, max_length=400)]
    password: Annotated[str, Field(min_length=1, max_length=2000)]
    next: str = ""


@router.get("/sign-in")
def show_sign_in(page: VisitorPage, next_url: Annotated[str, Query(alias="next")] = "") -> Response:
    """Show the sign-in form."""
    if page.user is not None:
        return page.redirect(local_url(next_url, PREFIX))
    return page.render("sign_in", form=Form({"next": next_url}))


@router.post("/sign-in", dependencies=[Depends(by_address(lambda limits: limits.sign_in))])
def submit_sign_in(page: PublicPage, form: PostedForm) -> Response:
    """Sign in, and continue to the page that needed it."""
    page.elections.context.check_not_rebuilding()

    def show(form: Form, status: int) -> Response:
        return page.render("sign_in", status, form=form)

    def act(values: SignInForm) -> Response:
        try:
            signed_in = page.elections.auth.sign_in(
                values.who,
                values.password,
                address=client_address(page.request),
                about=_user_agent(page),
            )
        except TooManyAttempts as error:
            set_header(page.request, "Retry-After", str(error.seconds))
            return show(form.with_errors(str(error)), 429)
        COOKIES.remember(page.request, signed_in)
        return page.redirect(local_url(values.next, PREFIX))

    return submit_form(form, SignInForm, act, show, rejects=(NotSignedIn,))


@router.post("/sign-out")
def submit_sign_out(page: VisitorPage) -> Response:
    """End the session."""
    page.sign_out()
    return page.redirect(PREFIX, "You’re signed out.")


class RegistrationForm(BaseModel):
    """The profile of a new user."""

    name: str
    email: str
    password: str


@router.get("/register")
def show_registration(page: VisitorPage) -> Response:
    """Show the registration form."""
    return page.redirect(PREFIX) if page.user else page.render("register", form=Form())


@router.post("/register", dependencies=[Depends(by_address(lambda limits: limits.register))])
def submit_registration(page: PublicPage, form: PostedForm) -> Response:
    """Register and sign in."""

    def show(form: Form, status: int) -> Response:
        return page.render("register", status, form=form)

    def act(values: RegistrationForm) -> Response:
        if errors := _registration_errors(page, values):
            return show(form.with_errors(**errors), 422)
        user = page.elections.people.register(values.name, values.email, values.password)
        signed_in = page.elections.auth.start_session(user, _user_agent(page))
        COOKIES.remember(page.request, signed_in)
        return page.redirect(PREFIX, f"Welcome, {user.name}!")

    return submit_form(form, RegistrationForm, act, show, rejects=(Rejected,))


def _registration_errors(page: PublicPage, values: RegistrationForm) -> dict[str, str]:
    """Return every error of the form by field; the service would stop at the first."""
    read = page.elections.context.read
    checks: dict[str, Callable[[], None]] = {
        "name": lambda: check_available(read, name=clean_user_name(values.name)),
        "email": lambda: check_available(read, email=clean_email(values.email)),
        "password": lambda: check_new_password(values.password, about=(values.name, values.email)),
    }
    errors: dict[str, str] = {}
    for field, check in checks.items():
        try:
            check()
        except Rejected as error:
            errors[field] = str(error)
    return errors


class ForgotPasswordForm(BaseModel):
    """The name or e-mail address of an account."""

    who: Annotated[str, Field(min_length=1, max_length=400)]


@router.get("/forgot")
def show_forgot_password(page: PublicPage) -> Response:
    """Show the form that requests a password reset."""
    return page.render("forgot", form=Form())


@router.post("/forgot", dependencies=RESET_LIMIT)
def submit_forgot_password(page: PublicPage, form: PostedForm, tasks: BackgroundTasks) -> Response:
    """Send a reset link. The response is the same whether or not the account exists."""
    page.elections.context.check_not_rebuilding()

    def act(values: ForgotPasswordForm) -> Response:
        # Sent after the response: how long it takes would reveal whether the account exists.
        tasks.add_task(
            page.elections.auth.try_request_reset, values.who, address=client_address(page.request)
        )
        response = page.redirect(url("forgot", "sent"))
        response.background = tasks
        return response

    def show(form: Form, status: int) -> Response:
        return page.render("forgot", status, form=form)

    return submit_form(form, ForgotPasswordForm, act, show)


@router.get("/forgot/sent")
def show_reset_sent(page: PublicPage) -> Response:
    """Explain what happens next."""
    return page.render("forgot_sent")


class ResetPasswordForm(BaseModel):
    """A new password and the token from the e-mail."""

    token: str = ""
    password: str


@router.get("/reset")
def show_reset(page: PublicPage, token: Annotated[str, Query(max_length=400)] = "") -> Response:
    """Show the form for a new password, or that the link has expired."""
    page.elections.context.check_not_rebuilding()
    try:
        page.elections.auth.check_reset(token)
    except NotSignedIn as error:
        return _show_expired_link(page, error)
    return page.render("reset", form=Form({"token": token}))


@router.post("/reset", dependencies=RESET_LIMIT)
def submit_reset(page: PublicPage, form: PostedForm) -> Response:
    """Save the new password and sign in."""
    page.elections.context.check_not_rebuilding()

    def act(values: ResetPasswordForm) -> Response:
        try:
            signed_in = page.elections.auth.reset(
                values.token, values.password, about=_user_agent(page)
            )
        except NotSignedIn as error:
            return _show_expired_link(page, error)
        COOKIES.remember(page.request, signed_in)
        return page.redirect(PREFIX, "Password changed. You’re signed out everywhere else.")

    def show(form: Form, status: int) -> Response:
        return page.render("reset", status, form=form)

    return submit_form(form, ResetPasswordForm, act, show, rejects=(Rejected,))


def _show_expired_link(page: PublicPage, error: NotSignedIn) -> Response:
    return page.render("reset_expired", 422, reason=str(error))
