"""Register, and the pages to sign in and out and to reset a forgotten password."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotSignedIn, RequestRejected
from singletable_apps.elections.pages.account import show_account_page
from singletable_apps.elections.pages.dependencies import AnyPage, PageContext
from singletable_apps.elections.rules.names import clean_email, clean_user_name
from singletable_apps.elections.service.people import check_available, check_new_password
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.frame import limited, state_of
from singletable_apps.shared.pages import (
    AuthPage,
    Form,
    PostedForm,
    auth_router,
    email_router,
    submit_form,
)


def _auth_page(request: Request) -> AuthPage[User]:
    page = PageContext.visited(request)
    return page.auth_page(
        page.urls.page,
        home=page.urls.page(),
        signed_out=page.urls.page(),
        login="Name or e-mail address",
        links=[("New here?", "Register", page.urls.page("register"))],
    )


router = auth_router(
    _auth_page,
    lambda request, form, status: show_account_page(request, status, password=form),
    rejects=(RequestRejected,),
    sign_in_limits=limited("sign_in"),
    reset_limits=limited("reset"),
)


router.include_router(
    email_router(
        _auth_page,
        lambda request: state_of(request).service.auth.emails,
        rejects=(RequestRejected,),
    )
)


class RegistrationForm(BaseModel):
    """The profile of a new user. The first one also needs the set-up code."""

    name: str
    email: str
    password: str
    setup_code: str = ""


@router.get("/register")
def show_registration(page: AnyPage, code: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Show the registration form."""
    if page.visitor:
        return page.redirect(page.urls.page())
    return _show_registration(page, Form({"setup_code": code}), 200)


def _show_registration(page: PageContext, form: Form, status: int) -> Response:
    is_first = page.service.people.setup_code() is not None
    return page.render("register", status, form=form, is_first=is_first)


@router.post("/register", dependencies=limited("register"))
def submit_registration(page: AnyPage, form: PostedForm) -> Response:
    """Register and sign in, or send a link to confirm the e-mail address."""

    def show(form: Form, status: int) -> Response:
        return _show_registration(page, form, status)

    def act(values: RegistrationForm) -> Response:
        if errors := _registration_errors(page, values):
            return show(form.with_errors(**errors), 422)
        user = page.service.people.register_visitor(
            values.name, values.email, values.password, values.setup_code
        )
        if user is None:
            return page.redirect(page.urls.page("register", "sent"))
        return _welcome(page, user)

    rejects = (RequestRejected, TooManyAttempts)
    return submit_form(form, RegistrationForm, act, show, rejects=rejects)


def _welcome(page: PageContext, user: User) -> Response:
    """Sign in a new user."""
    page.sign_in(user)
    return page.redirect(page.urls.page(), f"Welcome, {user.name}!")


@router.get("/register/sent")
def show_registration_sent(page: AnyPage) -> Response:
    """Show that a link was sent, whether or not the address has an account."""
    return page.render("register_sent")


class ConfirmRegistrationForm(BaseModel):
    """The token from the link in the e-mail, and the password of the registration."""

    token: str = ""
    password: str = ""


@router.get("/register/confirm")
def show_confirm_registration(
    request: Request, token: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Ask before creating the account, because e-mail scanners open links too."""
    return _show_confirmation(request, Form({"token": token}))


def _show_confirmation(request: Request, form: Form, status: int = 200) -> Response:
    page = _auth_page(request)
    try:
        new = state_of(request).service.people.read_registration(form.value("token"))
    except NotSignedIn as error:
        return page.render("link_expired", 422, reason=str(error))
    return page.pages.render(request, "elections/register_confirm.html", status, form=form, new=new)


@router.post("/register/confirm")
def submit_confirm_registration(page: AnyPage, form: PostedForm) -> Response:
    """Create the account, and sign in."""

    def act(values: ConfirmRegistrationForm) -> Response:
        user = page.service.people.confirm_registration(values.token, values.password)
        return _welcome(page, user)

    def show(form: Form, status: int) -> Response:
        return _show_confirmation(page.request, form, status)

    rejects = (RequestRejected, TooManyAttempts)
    return submit_form(form, ConfirmRegistrationForm, act, show, rejects=rejects)


def _check_email(page: AnyPage, email: str) -> None:
    address = clean_email(email)
    # With confirmation links, the page must not reveal whether the address has an account.
    if not page.service.context.confirm_registrations:
        check_available(page.service.context.read, email=address)


def _registration_errors(page: AnyPage, values: RegistrationForm) -> dict[str, str]:
    """Return every error of the form by field; the service would stop at the first."""
    read = page.service.context.read
    checks: dict[str, Callable[[], None]] = {
        "name": lambda: check_available(read, name=clean_user_name(values.name)),
        "email": lambda: _check_email(page, values.email),
        "password": lambda: check_new_password(values.password, about=(values.name, values.email)),
    }
    errors: dict[str, str] = {}
    for field, check in checks.items():
        try:
            check()
        except RequestRejected as error:
            errors[field] = str(error)
    return errors
