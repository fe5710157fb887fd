"""Sign in, sign out, register, and reset a forgotten password."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.api.auth import send_reset_email
from singletable_apps.elections.api.dependencies import by_address
from singletable_apps.elections.errors import NotSignedIn, Rejected
from singletable_apps.elections.pages.dependencies import Visitor, sign_in, sign_out
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import PREFIX, url
from singletable_apps.elections.rules.names import clean_email, clean_user_name
from singletable_apps.elections.service.people import check_available, check_new_password
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Form, PostedForm, local_url, submit_form
from singletable_apps.shared.web import client_address, set_header

router = APIRouter()
RESET_LIMIT = [Depends(by_address(lambda limits: limits.reset))]


def _form_page(request: Request, site: Site, name: str) -> Callable[[Form, int], Response]:
    """Return a function that renders the form page of this name."""

    def show(form: Form, status: int = 200) -> Response:
        return site.pages.render(request, f"elections/{name}.html", status, form=form)

    return show


def _user_agent(request: Request) -> str:
    return request.headers.get("user-agent", "")[:200]


class SignInForm(BaseModel):
    """A name or an e-mail address, the password, and the page to go to."""

    who: Annotated[str, Field(min_length=1, max_length=400)]
    password: Annotated[str, Field(min_length=1, max_length=2000)]
    next: str = ""


@router.get("/sign-in")
def show_sign_in(
    request: Request,
    site: ThisSite,
    visitor: Visitor,
    next_url: Annotated[str, Query(alias="next")] = "",
) -> Response:
    """Show the sign-in form."""
    if visitor is not None:
        return site.pages.redirect(request, local_url(next_url, PREFIX))
    return _form_page(request, site, "sign_in")(Form({"next": next_url}), 200)


@router.post("/sign-in", dependencies=[Depends(by_address(lambda limits: limits.sign_in))])
def submit_sign_in(request: Request, site: ThisSite, form: PostedForm) -> Response:
    """Sign in and redirect to the page that was asked for."""
    site.elections.context.check_not_rebuilding()
    show = _form_page(request, site, "sign_in")

    def act(values: SignInForm) -> Response:
        try:
            signed_in = site.elections.auth.sign_in(
                values.who,
                values.password,
                address=client_address(request),
                about=_user_agent(request),
            )
        except TooManyAttempts as error:
            seconds = max(1, -(-error.retry_after.total_seconds() // 1))
            set_header(request, "Retry-After", f"{seconds:.0f}")
            return show(form.with_errors(str(error)), 429)
        sign_in(request, site, signed_in)
        return site.pages.redirect(request, local_url(values.next, PREFIX))

    return submit_form(form, SignInForm, act, show, rejects=(NotSignedIn,))


@router.post("/sign-out")
def submit_sign_out(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """End the session."""
    sign_out(request, site)
    return site.pages.redirect(request, PREFIX, "You’re signed out.")


class RegistrationForm(BaseModel):
    """The profile of a new user."""

    name: str
    email: str
    password: str


@router.get("/register")
def show_registration(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """Show the registration form."""
    if visitor is not None:
        return site.pages.redirect(request, PREFIX)
    return _form_page(request, site, "register")(Form(), 200)


@router.post("/register", dependencies=[Depends(by_address(lambda limits: limits.register))])
def submit_registration(request: Request, site: ThisSite, form: PostedForm) -> Response:
    """Register and sign in."""
    show = _form_page(request, site, "register")

    def act(values: RegistrationForm) -> Response:
        if errors := _registration_errors(site, values):
            return show(form.with_errors(**errors), 422)
        user = site.elections.people.register(values.name, values.email, values.password)
        sign_in(request, site, site.elections.auth.start_session(user, _user_agent(request)))
        return site.pages.redirect(request, PREFIX, f"Welcome, {user.name}!")

    return submit_form(form, RegistrationForm, act, show, rejects=(Rejected,))


def _registration_errors(site: Site, values: RegistrationForm) -> dict[str, str]:
    """Return every error of the form by field; the service would stop at the first."""
    read = site.elections.context.read
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
def show_forgot_password(request: Request, site: ThisSite) -> Response:
    """Show the form that requests a password reset."""
    return _form_page(request, site, "forgot")(Form(), 200)


@router.post("/forgot", dependencies=RESET_LIMIT)
def submit_forgot_password(
    request: Request, site: ThisSite, form: PostedForm, tasks: BackgroundTasks
) -> Response:
    """Send a reset link. The response is the same whether or not the account exists."""
    site.elections.context.check_not_rebuilding()

    def act(values: ForgotPasswordForm) -> Response:
        # Sent after the response: how long it takes would reveal whether the account exists.
        tasks.add_task(send_reset_email, site.elections, values.who, client_address(request))
        response = site.pages.redirect(request, url("forgot", "sent"))
        response.background = tasks
        return response

    return submit_form(form, ForgotPasswordForm, act, _form_page(request, site, "forgot"))


@router.get("/forgot/sent")
def show_reset_sent(request: Request, site: ThisSite) -> Response:
    """Explain what happens next."""
    return site.pages.render(request, "elections/forgot_sent.html")


class ResetPasswordForm(BaseModel):
    """A new password and the token from the e-mail."""

    token: str = ""
    password: str


@router.get("/reset")
def show_reset(
    request: Request, site: ThisSite, token: Annotated[str, Query(max_length=400)] = ""
) -> Response:
    """Show the form for a new password, or that the link has expired."""
    site.elections.context.check_not_rebuilding()
    try:
        site.elections.auth.check_reset(token)
    except NotSignedIn as error:
        return _show_expired_link(request, site, error)
    return _form_page(request, site, "reset")(Form({"token": token}), 200)


@router.post("/reset", dependencies=RESET_LIMIT)
def submit_reset(request: Request, site: ThisSite, form: PostedForm) -> Response:
    """Save the new password and sign in."""
    site.elections.context.check_not_rebuilding()

    def act(values: ResetPasswordForm) -> Response:
        try:
            signed_in = site.elections.auth.reset(
                values.token, values.password, about=_user_agent(request)
            )
        except NotSignedIn as error:
            return _show_expired_link(request, site, error)
        sign_in(request, site, signed_in)
        return site.pages.redirect(
            request, PREFIX, "Password changed. You’re signed out everywhere else."
        )

    show = _form_page(request, site, "reset")
    return submit_form(form, ResetPasswordForm, act, show, rejects=(Rejected,))


def _show_expired_link(request: Request, site: Site, error: NotSignedIn) -> Response:
    return site.pages.render(request, "elections/reset_expired.html", 422, reason=str(error))
