"""Accounts: register, sign in and out, and one's own account."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import BaseModel

from singletable_apps.shared.frame import count_request, limited, state_of
from singletable_apps.shared.pages import (
    FORM_METHODS,
    AuthPage,
    Form,
    PostedForm,
    auth_router,
    email_router,
)
from singletable_apps.skills.entities import Role, User
from singletable_apps.skills.errors import InvalidInput
from singletable_apps.skills.pages.dependencies import (
    AnyPage,
    PageContext,
    UserPage,
    UserPageContext,
)


def _auth_page(request: Request) -> AuthPage[User]:
    page = PageContext.visited(request)
    urls = page.urls
    return page.auth_page(
        urls.page,
        home=urls.page("people"),
        signed_out=urls.page(),
        login="Username",
        links=(("New here?", "Register", urls.page("register")),),
    )


def _show_rejected_password(request: Request, form: Form, status: int) -> Response:
    page = UserPageContext(request, request.state.user)
    return _show_account(page, status, password=form)


router = auth_router(
    _auth_page,
    _show_rejected_password,
    rejects=(InvalidInput,),
    sign_in_limits=limited("sign_in"),
    reset_limits=limited("sign_in"),
)


router.include_router(
    email_router(
        _auth_page,
        lambda request: state_of(request).service.accounts.emails,
        rejects=(InvalidInput,),
    )
)


class RegistrationForm(BaseModel):
    """A new account, the first one with the set-up code. The service checks the values."""

    username: str
    name: str
    email: str = ""
    password: str
    setup_code: str = ""


@router.api_route("/register", methods=FORM_METHODS)
def register(
    page: AnyPage, form: PostedForm, code: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """Create an account, and sign in."""
    if page.request.method == "POST":
        count_request(page.request, "register")

    def act(values: RegistrationForm) -> Response:
        user = page.service.accounts.register(
            values.username, values.name, values.password, values.email, values.setup_code
        )
        page.sign_in(user)
        if user.role is Role.ADMIN:
            text = f"Welcome, {user.name}! You are the administrator: add skills, then people."
            return page.redirect(page.urls.page("admin"), text)
        text = f"Welcome, {user.name}!"
        if values.email and not user.email:
            text += f" We’ve e-mailed a link to {values.email}. Open it to save your address."
        return page.redirect(page.urls.person(user.username), text)

    def show(form: Form, status: int) -> Response:
        is_open = page.service.people.settings().open_registration
        is_first = page.service.accounts.setup_code() is not None
        return page.render("register", status, form=form, is_open=is_open, is_first=is_first)

    return page.fill(form, Form({"setup_code": code}), RegistrationForm, act, show)


@router.get("/account")
def show_account(page: UserPage) -> Response:
    """Show the account."""
    return _show_account(page)


def _show_account(
    page: UserPageContext, status: int = 200, *, password: Form | None = None
) -> Response:
    return page.render(
        "account",
        status,
        password=password or Form(),
        unaccepted=page.service.accounts.emails.find_unaccepted(page.user),
        sessions=page.state.cookies.sessions(page.request, page.service.accounts, page.user),
    )
