"""The pages and the API of accounts with usernames.

`with_accounts` adds them to an app whose service has `accounts`:

    APP = with_accounts(AppSpec[NotesService](…))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from singletable_apps.shared.accounts import SignedIn, UsernameAccounts
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame.page import PageContext, UserPageContext
from singletable_apps.shared.frame.spec import AppSpec
from singletable_apps.shared.frame.state import (
    AppService,
    count_request,
    current_service,
    limited,
    signed_in_user,
    state_of,
)
from singletable_apps.shared.pages import (
    FORM_METHODS,
    AuthPage,
    Form,
    Link,
    PostedForm,
    auth_router,
    email_router,
)
from singletable_apps.shared.urls import Urls
from singletable_apps.shared.web import (
    NOT_SIGNED_IN,
    PUBLIC,
    TOO_MANY_REQUESTS,
    Document,
    Model,
    api_router,
    client_address,
    responses,
)


class AccountsService(AppService, Protocol):
    """The service of an app with accounts."""

    @property
    def accounts(self) -> UsernameAccounts[Any]:
        """The accounts."""
        ...


S = TypeVar("S", bound=AccountsService)


def with_accounts(spec: AppSpec[S]) -> AppSpec[S]:
    """Return the app with pages to register and sign in, the account page, and the same as API."""

    def find_auth(service: S) -> UsernameAccounts[Any]:
        return service.accounts

    def find_context(request: Request, service: S) -> Mapping[str, object]:
        return {**_account_context(request, service), **spec.context(request, service)}

    return replace(
        spec,
        auth=find_auth,
        routers=(api, *spec.routers),
        pages=(*spec.pages, pages),
        context=find_context,
        limits={
            "sign_in": (30, 60),
            "register": (30, 3600),
            "signed_in": (1200, 60),
            **spec.limits,
        },
        uploads={spec.prefix: 1 << 18, **spec.uploads},
    )


def _account_context(request: Request, service: AccountsService) -> Mapping[str, object]:
    urls, user = service.context.urls, getattr(request.state, "user", None)
    if user is None:
        links = [Link("Sign in", urls.page("sign-in")), Link("Register", urls.page("register"))]
    else:
        links = [Link("Your account", urls.page("account"))]
    return {"user": user, "account": user and user.name, "account_links": links}


def sample_account(
    service: AccountsService, username: str, password: str, about: str
) -> SampleData | None:
    """Return a sample account, if it still has its first password, for `AppSpec.list_sample`."""
    user = service.accounts.find_by_login(username)
    if user is None or user.credentials != 1:
        return None
    form = {"who": username, "password": password}
    url = service.context.urls.page("sign-in")
    return SampleData((SampleEntry(user.name, about, url, form, "Sign in as"),), password)


# ------------------------------------------------------------------------------ pages


class _Page(PageContext[AccountsService, Urls]):
    folder = "auth"


class _UserPage(UserPageContext[AccountsService, Urls, Any]):
    folder = "auth"


def _auth_page(request: Request) -> AuthPage[Any]:
    page = _Page.visited(request)
    url = page.urls.page
    return page.auth_page(
        url,
        home=url(),
        signed_out=url("sign-in"),
        login="Username",
        links=(("New here?", "Register", url("register")),),
    )


def _show_account(page: _UserPage, status: int = 200, *, password: Form | None = None) -> Response:
    return page.render(
        "account",
        status,
        password=password or Form(),
        unaccepted=page.service.accounts.emails.find_unaccepted(page.user),
        sessions=page.cookies.sessions(page.request, page.auth, page.user),
    )


pages = auth_router(
    _auth_page,
    lambda request, form, status: _show_account(
        _UserPage(request, request.state.user), status, password=form
    ),
    rejects=(InvalidInput,),
    sign_in_limits=limited("sign_in"),
    reset_limits=limited("sign_in"),
)
pages.include_router(
    email_router(
        _auth_page,
        lambda request: state_of(request).service.accounts.emails,
        rejects=(InvalidInput,),
    )
)


class RegistrationForm(BaseModel):
    """A new account. The service checks the values."""

    username: str
    name: str
    email: str = ""
    password: str


@pages.api_route("/register", methods=FORM_METHODS)
def show_registration(page: Annotated[_Page, Depends(_Page.visited)], form: PostedForm) -> Response:
    """Create an account, and sign in."""
    accounts = page.service.accounts
    if page.request.method == "POST":
        count_request(page.request, "register")

    def act(values: RegistrationForm) -> Response:
        user = accounts.register(values.username, values.name, values.password, values.email)
        page.sign_in(user)
        text = f"Welcome, {user.name}!"
        if values.email and not user.email:
            text += f" We’ve e-mailed a link to {values.email}. Open it to save your address."
        return page.redirect(page.urls.page(), text)

    def show(form: Form, status: int) -> Response:
        return page.render("register", status, form=form)

    return page.fill(form, Form(), RegistrationForm, act, show)


@pages.get("/account")
def show_account(page: Annotated[_UserPage, Depends(_UserPage.signed_in)]) -> Response:
    """Show the account."""
    return _show_account(page)


# ------------------------------------------------------------------------------ API

api = api_router("accounts", TOO_MANY_REQUESTS)
Service: TypeAlias = Annotated[AccountsService, Depends(current_service)]
UserAgent: TypeAlias = Annotated[str, Header(include_in_schema=False)]


class NewUser(Model):
    """A new account."""

    username: str
    name: str
    password: str
    email: str = ""


class Credentials(Model):
    """A username and a password."""

    username: str
    password: str
    device_token: str = Field("", max_length=200, description="From an earlier sign-in.")


class RefreshToken(Model):
    """The token that renews a session."""

    refresh_token: str


class Tokens(Document):
    """An access token, and a token to renew it."""

    access_token: str
    token_type: str = "Bearer"
    refresh_token: str
    device_token: str | None = Field(
        description="For the next sign-in from this device. A renewed session has none."
    )


class Profile(Document):
    """An account."""

    model_config = ConfigDict(from_attributes=True)

    username: str
    name: str
    email: str


def _tokens(signed_in: SignedIn[Any]) -> Tokens:
    return Tokens(
        access_token=signed_in.access,
        refresh_token=signed_in.refresh,
        device_token=signed_in.device or None,
    )


@api.post("/register", status_code=201, dependencies=limited("register"), openapi_extra=PUBLIC)
def register(new: NewUser, service: Service, user_agent: UserAgent = "") -> Tokens:
    """Create an account and sign in."""
    accounts = service.accounts
    user = accounts.register(new.username, new.name, new.password, new.email)
    return _tokens(accounts.start_session(user, user_agent))


@api.post(
    "/sign-in",
    responses=responses(NOT_SIGNED_IN),
    dependencies=limited("sign_in"),
    openapi_extra=PUBLIC,
)
def sign_in(
    sent: Credentials, request: Request, service: Service, user_agent: UserAgent = ""
) -> Tokens:
    """Sign in with a username and a password.

    Send the `device_token` of an earlier response, so that others' guesses don't lock you out.
    """
    return _tokens(
        service.accounts.sign_in(
            sent.username,
            sent.password,
            address=client_address(request),
            about=user_agent,
            device=sent.device_token,
        )
    )


@api.post(
    "/refresh",
    responses=responses(NOT_SIGNED_IN),
    dependencies=limited("sign_in"),
    openapi_extra=PUBLIC,
)
def refresh(sent: RefreshToken, service: Service) -> Tokens:
    """Exchange a refresh token, which works once, for new tokens."""
    return _tokens(service.accounts.renew(sent.refresh_token))


@api.post("/sign-out", status_code=204, openapi_extra=PUBLIC)
def sign_out(sent: RefreshToken, service: Service) -> None:
    """End the session of a refresh token. An unknown token is ignored."""
    service.accounts.sign_out(sent.refresh_token)


@api.get("/me", responses=responses(NOT_SIGNED_IN))
def read_me(user: Annotated[Any, Depends(signed_in_user)]) -> Profile:
    """Return your account."""
    return Profile.model_validate(user)
