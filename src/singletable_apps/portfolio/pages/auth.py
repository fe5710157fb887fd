"""Set up the site, sign in and out, reset a forgotten password, and one's own account."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Path, Query, Response
from pydantic import BaseModel, Field

from singletable_apps.portfolio.errors import InvalidInput, NotPermitted, NotSignedIn
from singletable_apps.portfolio.pages.dependencies import (
    COOKIES,
    AnyPage,
    AuthorPage,
    VisitorPage,
)
from singletable_apps.portfolio.rules import ROLES
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Form, PostedForm, local_url, submit_form
from singletable_apps.shared.web import client_address, set_header

router = APIRouter()
SessionId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$")]
SIGNED_OUT_ELSEWHERE = "Password changed. You’re signed out everywhere else."


class SetUpForm(BaseModel):
    """The site and its first account. The service checks the values."""

    site_title: str
    name: str
    email: str
    password: str


@router.get("/admin/set-up")
def show_set_up(page: AnyPage) -> Response:
    """Show the first-run form, once."""
    if page.service.profile.is_set_up():
        return page.redirect(page.urls.admin("sign-in"))
    return page.render("accounts/set_up", form=Form())


@router.post("/admin/set-up")
def submit_set_up(page: AnyPage, form: PostedForm) -> Response:
    """Create the site and its owner, who is signed in."""
    accounts = page.service.accounts

    def act(values: SetUpForm) -> Response:
        try:
            owner = accounts.set_up(values.name, values.email, values.password, values.site_title)
        except NotPermitted as error:
            return page.redirect(page.urls.admin("sign-in"), str(error))
        COOKIES.remember(page.request, accounts.start_session(owner, page.user_agent))
        return page.redirect(page.urls.admin(), f"Welcome, {owner.name}! Your site is ready.")

    def show(form: Form, status: int) -> Response:
        return page.render("accounts/set_up", status, form=form)

    return submit_form(form, SetUpForm, act, show, rejects=(InvalidInput,))


class SignInForm(BaseModel):
    """An e-mail address, the password, and the page to go to."""

    email: Annotated[str, Field(min_length=1, max_length=400)]
    password: Annotated[str, Field(min_length=1, max_length=2000)]
    next: str = ""


@router.get("/admin/sign-in")
def show_sign_in(page: VisitorPage, next_url: Annotated[str, Query(alias="next")] = "") -> Response:
    """Show the sign-in form."""
    if page.user is not None:
        return page.redirect(local_url(next_url, page.urls.admin()))
    return page.render("accounts/sign_in", form=Form({"next": next_url}))


@router.post("/admin/sign-in")
def submit_sign_in(page: VisitorPage, form: PostedForm) -> Response:
    """Sign in, and continue to the page that needed it."""

    def show(form: Form, status: int) -> Response:
        return page.render("accounts/sign_in", status, form=form)

    def act(values: SignInForm) -> Response:
        try:
            signed_in = page.service.accounts.sign_in(
                values.email,
                values.password,
                address=client_address(page.request),
                about=page.user_agent,
            )
        except TooManyAttempts as error:
            set_header(page.request, "Retry-After", str(error.seconds))
            return show(form.with_errors(str(error)), 429)
        COOKIES.remember(page.request, signed_in)
        return page.redirect(local_url(values.next, page.urls.admin()))

    return submit_form(form, SignInForm, act, show, rejects=(NotSignedIn,))


@router.post("/admin/sign-out")
def submit_sign_out(page: VisitorPage) -> Response:
    """End the session."""
    COOKIES.sign_out(page.request, page.service.accounts)
    return page.redirect(page.urls.admin("sign-in"), "You’re signed out.")


class ForgotPasswordForm(BaseModel):
    """The e-mail address of an account."""

    email: Annotated[str, Field(min_length=1, max_length=400)]


@router.get("/admin/forgot")
def show_forgot_password(page: VisitorPage) -> Response:
    """Show the form that requests a password reset."""
    return page.render("accounts/forgot", form=Form())


@router.post("/admin/forgot")
def submit_forgot_password(page: VisitorPage, form: PostedForm) -> Response:
    """Send a reset link. The response is the same whether or not the account exists."""

    def act(values: ForgotPasswordForm) -> Response:
        tasks = BackgroundTasks()
        # Sent after the response: how long it takes would reveal whether the account exists.
        tasks.add_task(
            page.service.accounts.try_request_reset,
            values.email,
            address=client_address(page.request),
        )
        response = page.redirect(page.urls.admin("forgot", "sent"))
        response.background = tasks
        return response

    def show(form: Form, status: int) -> Response:
        return page.render("accounts/forgot", status, form=form)

    return submit_form(form, ForgotPasswordForm, act, show)


@router.get("/admin/forgot/sent")
def show_reset_sent(page: VisitorPage) -> Response:
    """Explain what happens next."""
    return page.render("accounts/forgot_sent")


class ResetPasswordForm(BaseModel):
    """A new password and the token from the e-mail."""

    token: str = ""
    password: str


@router.get("/admin/reset")
def show_reset(page: VisitorPage, token: Annotated[str, Query(max_length=400)] = "") -> Response:
    """Show the form for a new password, or that the link has expired."""
    try:
        page.service.accounts.check_reset(token)
    except NotSignedIn as error:
        return page.render("accounts/reset_expired", 422, reason=str(error))
    return page.render("accounts/reset", form=Form({"token": token}))


@router.post("/admin/reset")
def submit_reset(page: VisitorPage, form: PostedForm) -> Response:
    """Save the password, which is the first one of someone who was invited, and sign in."""

    def act(values: ResetPasswordForm) -> Response:
        try:
            signed_in = page.service.accounts.reset(
                values.token, values.password, about=page.user_agent
            )
        except NotSignedIn as error:
            return page.render("accounts/reset_expired", 422, reason=str(error))
        COOKIES.remember(page.request, signed_in)
        return page.redirect(page.urls.admin(), "Password saved. You’re signed in.")

    def show(form: Form, status: int) -> Response:
        return page.render("accounts/reset", status, form=form)

    return submit_form(form, ResetPasswordForm, act, show, rejects=(InvalidInput,))


def _show_account(
    page: AuthorPage,
    status: int = 200,
    *,
    name: Form | None = None,
    password: Form | None = None,
) -> Response:
    role_name, role_description = ROLES[page.user.role]
    return page.render(
        "accounts/account",
        status,
        name=name or Form({"name": page.user.name}),
        password=password or Form(),
        role=f"{role_name} – {role_description}",
        sessions=COOKIES.sessions(page.request, page.service.accounts, page.user),
    )


@router.get("/admin/account")
def show_account(page: AuthorPage) -> Response:
    """Show the account."""
    return _show_account(page)


class NameForm(BaseModel):
    """The name of a person."""

    name: str


@router.post("/admin/account/name")
def submit_name(page: AuthorPage, form: PostedForm) -> Response:
    """Save the name."""

    def act(values: NameForm) -> Response:
        page.service.accounts.rename(page.user, page.user.user_id, values.name)
        return page.redirect(page.urls.admin("account"), "Name saved.")

    def show(form: Form, status: int) -> Response:
        return _show_account(page, status, name=form)

    return submit_form(form, NameForm, act, show, rejects=(InvalidInput,))


class PasswordForm(BaseModel):
    """The current password and a new one."""

    current: str
    new: str


@router.post("/admin/account/password")
def submit_password(page: AuthorPage, form: PostedForm) -> Response:
    """Change the password and end all other sessions."""

    def show(form: Form, status: int) -> Response:
        return _show_account(page, status, password=form)

    def act(values: PasswordForm) -> Response:
        try:
            signed_in = page.service.accounts.change_own_password(
                page.user, values.current, values.new, about=page.user_agent
            )
        except TooManyAttempts as error:
            set_header(page.request, "Retry-After", str(error.seconds))
            return show(form.with_errors(str(error)), 429)
        COOKIES.remember(page.request, signed_in)
        return page.redirect(page.urls.admin("account"), SIGNED_OUT_ELSEWHERE)

    return submit_form(form, PasswordForm, act, show, rejects=(InvalidInput, NotSignedIn))


@router.post("/admin/account/sessions/others/end")
def end_other_sessions(page: AuthorPage) -> Response:
    """Sign out everywhere else."""
    accounts = page.service.accounts
    accounts.end_other_sessions(page.user, accounts.session_of(COOKIES.refresh_token(page.request)))
    return page.redirect(page.urls.admin("account"), "You’re signed out everywhere else.")


@router.post("/admin/account/sessions/{session}/end")
def end_session(page: AuthorPage, session: SessionId) -> Response:
    """Sign out in one browser, which may be this one."""
    accounts = page.service.accounts
    if session == accounts.session_of(COOKIES.refresh_token(page.request)):
        COOKIES.sign_out(page.request, accounts)
        return page.redirect(page.urls.admin("sign-in"), "You’re signed out.")
    accounts.end_session(page.user, session)
    return page.redirect(
        page.urls.admin("account"), "That browser will be signed out within 15 minutes."
    )
