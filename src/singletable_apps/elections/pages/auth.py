"""Register, and the pages to sign in and out and to reset a forgotten password."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Depends, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.api.dependencies import by_address
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import Rejected
from singletable_apps.elections.pages.account import show_account_page
from singletable_apps.elections.pages.dependencies import (
    COOKIES,
    PREFIX,
    PublicPage,
    VisitorPage,
    find_visitor,
    get_site,
    url,
)
from singletable_apps.elections.rules.names import clean_email, clean_user_name
from singletable_apps.elections.service.people import check_available, check_new_password
from singletable_apps.shared.pages import AuthPage, Form, PostedForm, auth_router, submit_form


def _auth_page(request: Request) -> AuthPage[User]:
    site = get_site(request)
    return AuthPage(
        request,
        site.pages,
        site.elections.auth,
        COOKIES,
        find_visitor(request, site),
        url,
        home=PREFIX,
        signed_out=PREFIX,
        frame="elections/frame.html",
        login="Name or e-mail address",
        links=[("New here?", "Register", url("register"))],
    )


router = auth_router(
    _auth_page,
    lambda request, form, status: show_account_page(request, status, password=form),
    rejects=(Rejected,),
    sign_in_limits=[Depends(by_address(lambda limits: limits.sign_in))],
    reset_limits=[Depends(by_address(lambda limits: limits.reset))],
)


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
        signed_in = page.elections.auth.start_session(
            user, page.request.headers.get("user-agent", "")
        )
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
