"""Set up the site, sign in and out, reset a forgotten password, and one's own account."""

from __future__ import annotations

from fastapi import Depends, Request, Response
from pydantic import BaseModel

from singletable_apps.portfolio.entities import User
from singletable_apps.portfolio.errors import InvalidInput, NotPermitted
from singletable_apps.portfolio.limits import hit_limit
from singletable_apps.portfolio.pages.dependencies import (
    COOKIES,
    AnyPage,
    AuthorPage,
    UserPageContext,
    find_visitor,
    get_site,
)
from singletable_apps.portfolio.rules import ROLES
from singletable_apps.shared.pages import AuthPage, Form, PostedForm, auth_router, submit_form


def _auth_page(request: Request) -> AuthPage[User]:
    site = get_site(request)
    return AuthPage(
        request,
        site.pages,
        site.service.accounts,
        COOKIES,
        find_visitor(request, site),
        site.urls.admin,
        home=site.urls.admin(),
        signed_out=site.urls.admin("sign-in"),
        frame="portfolio/admin.html",
    )


def _show_rejected_password(request: Request, form: Form, status: int) -> Response:
    page = UserPageContext(request, get_site(request), request.state.user)
    return _show_account(page, status, password=form)


def _limit_sign_in(request: Request) -> None:
    hit_limit(request, get_site(request).limits.sign_in)


router = auth_router(
    _auth_page,
    _show_rejected_password,
    rejects=(InvalidInput,),
    prefix="/admin",
    sign_in_limits=[Depends(_limit_sign_in)],
    reset_limits=[Depends(_limit_sign_in)],
)


class SetUpForm(BaseModel):
    """The site and its first account. The service checks the values."""

    site_title: str
    name: str
    email: str
    password: str


@router.get("/set-up")
def show_set_up(page: AnyPage) -> Response:
    """Show the first-run form, once."""
    if page.service.profile.is_set_up():
        return page.redirect(page.urls.admin("sign-in"))
    return page.render("accounts/set_up", form=Form())


@router.post("/set-up")
def submit_set_up(page: AnyPage, form: PostedForm) -> Response:
    """Create the site and its owner, who is signed in."""
    accounts = page.service.accounts

    def act(values: SetUpForm) -> Response:
        try:
            owner = accounts.set_up(values.name, values.email, values.password, values.site_title)
        except NotPermitted as error:
            return page.redirect(page.urls.admin("sign-in"), str(error))
        about = page.request.headers.get("user-agent", "")
        COOKIES.remember(page.request, accounts.start_session(owner, about))
        return page.redirect(page.urls.admin(), f"Welcome, {owner.name}! Your site is ready.")

    def show(form: Form, status: int) -> Response:
        return page.render("accounts/set_up", status, form=form)

    return submit_form(form, SetUpForm, act, show, rejects=(InvalidInput,))


@router.get("/account")
def show_account(page: AuthorPage) -> Response:
    """Show the account."""
    return _show_account(page)


class NameForm(BaseModel):
    """The name of a person."""

    name: str


@router.post("/account/name")
def submit_name(page: AuthorPage, form: PostedForm) -> Response:
    """Save the name."""

    def act(values: NameForm) -> Response:
        page.service.accounts.rename(page.user, page.user.user_id, values.name)
        return page.redirect(page.urls.admin("account"), "Name saved.")

    def show(form: Form, status: int) -> Response:
        return _show_account(page, status, name=form)

    return submit_form(form, NameForm, act, show, rejects=(InvalidInput,))


def _show_account(
    page: UserPageContext,
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
