"""Accounts for any app: the pages to register and sign in, and one's own account.

`with_accounts` adds them to an app, with the pages and the API about people:

    APP = with_accounts(AppSpec[NotesService](…), PeopleSpec(…))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Protocol, TypeVar, cast

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.shared import pages
from singletable_apps.shared.accounts import (
    AccountRole,
    Auth,
    Registration,
    Scope,
    UsernameAccounts,
)
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.shared.frame import account_pages, oidc_pages, people_pages
from singletable_apps.shared.frame.jobs import EMAILS
from singletable_apps.shared.frame.people import (
    MemberPage,
    PeopleSpec,
    RemovalText,
    RoleName,
    VisitorPage,
    people_spec,
)
from singletable_apps.shared.frame.people_api import username_routers
from singletable_apps.shared.frame.spec import AppSpec
from singletable_apps.shared.frame.state import WAITING, AppService, count_request
from singletable_apps.shared.web import set_header

# Loose, because a whole hall may share an address. Attempts are also counted by account.
LIMITS = {"sign_in": (600, 60), "register": (1000, 3600), "signed_in": (1200, 60)}


class AccountsService(AppService, Protocol):
    """The service of an app with usernames."""

    @property
    def accounts(self) -> UsernameAccounts[Any]:
        """The accounts."""
        ...


S = TypeVar("S", bound=AppService)


def with_accounts(spec: AppSpec[S], people: PeopleSpec[Any] | None = None) -> AppSpec[S]:
    """Return the app with the pages of accounts and people, by default of UsernameAccounts."""
    people = people or USERNAMES

    def find_auth(service: S) -> Auth[Any]:
        return cast(Auth[Any], people.find(service))

    def find_context(request: Request, service: S) -> Mapping[str, object]:
        return {**_account_context(request, service), **spec.context(request, service)}

    def find_setup_url(service: S) -> str:
        code, urls = people.find(service).setup_code(), service.context.urls
        url = urls.page(*people.prefix, people.setup_page, code=code or "")
        return urls.absolute(url) if code else ""

    account, others = APIRouter(), APIRouter()
    for router, is_wanted in (
        (account_pages.router, True),
        (account_pages.email_router, True),
        (oidc_pages.router, True),
        (own_account, True),
        (registration, people.registers),
        (profile, people.edits_profile),
        (tokens, bool(people.scopes)),
        (deletion, bool(people.removal.own_facts)),
    ):
        if is_wanted:
            account.include_router(router, prefix=_path(people.prefix))
    for router, is_wanted in (
        (people_pages.router, True),
        (people_pages.invitations, people.invites),
        (people_pages.person_router, True),
        (people_pages.profiles, people.edits_profile),
        (people_pages.removal, bool(people.removal.facts)),
    ):
        if is_wanted:
            others.include_router(router, prefix=_path(people.people_path))
    return replace(
        spec,
        auth=spec.auth or find_auth,
        people=people,
        setup_url=find_setup_url,
        routers=(*(username_routers() if people.default_api else ()), *spec.routers),
        pages=(*spec.pages, account, others),
        context=find_context,
        limits={**LIMITS, **spec.limits},
        jobs=(EMAILS, *spec.jobs),
    )


def _path(parts: tuple[str, ...]) -> str:
    return "".join(f"/{part}" for part in parts)


def _account_context(request: Request, service: AppService) -> Mapping[str, object]:
    spec, urls = people_spec(request), service.context.urls
    user = getattr(request.state, "user", None)
    if user is not None:
        links = [pages.Link("Your account", urls.page(*spec.prefix, "account"))]
        if user.role in spec.admins and not spec.crumbs:
            links.append(pages.Link(spec.title, urls.page(*spec.people_path)))
    else:
        links = [pages.Link("Sign in", urls.page(*spec.prefix, "sign-in"))]
        if spec.registers:
            links.append(pages.Link("Register", urls.page(*spec.prefix, "register")))
    provider = oidc_pages.provider_link(request, urls.page(*spec.prefix, "sign-in", "provider"))
    return {
        "user": user,
        "account": user and user.name,
        "account_links": links,
        "provider": provider,
    }


USERNAMES = PeopleSpec[Any](
    roles=(
        RoleName(AccountRole.WAITING, "Waiting", "Sees only their own account.", "Waiting"),
        RoleName(AccountRole.USER, "User", "Uses everything."),
        RoleName(AccountRole.ADMIN, "Administrator", "Also manages accounts.", "Administrators"),
    ),
    admins=frozenset({AccountRole.ADMIN}),
    member=AccountRole.USER,
    waiting=AccountRole.WAITING,
    removal=RemovalText(
        (("Removed", "The account. It is signed out everywhere."),),
        "The account is signed out everywhere.",
        (("Removed", "Your account. You are signed out everywhere."),),
        "You are signed out everywhere. This can’t be undone.",
    ),
    signed_out=("sign-in",),
    default_api=True,
)


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


# ------------------------------------------------------------------------------ register

registration = APIRouter()


class RegistrationForm(BaseModel):
    """A new account, the first one with the set-up code. The service checks the values."""

    username: str = ""
    name: str
    email: str = ""
    password: str
    setup_code: str = ""


@registration.api_route("/register", methods=pages.FORM_METHODS)
def register(
    page: account_pages.AnyPage,
    form: pages.PostedForm,
    code: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """Create an account and sign in, or send a link to confirm the e-mail address."""
    spec, people = page.spec, page.people
    if page.request.method == "POST":
        count_request(page.request, "register")
    elif page.visitor is not None:
        return page.redirect(page.urls.page(*spec.home))

    def act(values: RegistrationForm) -> Response:
        sent = values.model_dump(exclude=None if spec.usernames else {"username"})
        user = spec.register(page.service, sent)
        if user is None:
            return page.redirect(page.url("register", "sent"))
        return welcome(page, user, values.email)

    def show(form: pages.Form, status: int) -> Response:
        is_first = people.setup_code() is not None
        rule = Registration.OPEN if is_first else people.registration()
        return page.render("register", status, form=form, is_first=is_first, rule=rule.value)

    if page.request.method != "POST":
        return show(pages.Form({"setup_code": code}), 200)
    return account_pages.submit_throttled(page, form, RegistrationForm, act, show)


def welcome(page: VisitorPage, user: Any, email: str) -> Response:
    """Sign in a new user."""
    spec, text = page.spec, f"Welcome, {user.name}!"
    page.sign_in(user)
    if user.role == spec.waiting and not spec.admits_waiting:
        return page.redirect(page.url("account"), f"{text} {WAITING}")
    url, more = spec.welcome(page, user)
    if email and not user.email:
        more = f"We’ve e-mailed a link to {email}. Open it to save your address."
    return page.redirect(url, f"{text} {more}".strip())


# ------------------------------------------------------------------------------ one's own account


own_account = APIRouter()


@own_account.get("/account")
def show_account(page: account_pages.UserPage) -> Response:
    """Show the account."""
    return _show_account(page)


@own_account.post("/account/password")
def submit_password(page: account_pages.UserPage, form: pages.PostedForm) -> Response:
    """Change the password."""

    def act(values: account_pages.PasswordForm) -> Response:
        signed_in = page.auth.change_own_password(
            page.user, values.current, values.new, about=page.user_agent
        )
        page.cookies.remember(page.request, signed_in)
        flash = "Password changed. You’re signed out everywhere else."
        return page.redirect(page.url("account"), flash)

    def show(form: pages.Form, status: int) -> Response:
        return _show_account(page, status, password=form)

    return account_pages.submit_throttled(page, form, account_pages.PasswordForm, act, show)


def _show_account(
    page: MemberPage,
    status: int = 200,
    *,
    profile: pages.Form | None = None,
    password: pages.Form | None = None,
) -> Response:
    people, user = page.people, page.user
    return page.render(
        "account",
        status,
        profile=profile or people_pages.profile_form(page, user),
        password=password or pages.Form(),
        can_edit=page.spec.edits_profile and people.may_edit(user, user),
        why_kept=people.why_kept(user, user),
        unaccepted=people.emails.find_unaccepted(user),
        sessions=page.cookies.sessions(page.request, page.auth, user),
        tokens=page.auth.tokens.list(page.auth.account_of(user)),
        needs_password=page.needs_password,
        is_connected=bool(oidc_pages.find_provider(page.request))
        and page.auth.identities.is_connected(user.user_id),
    )


profile = APIRouter()


@profile.post("/account/details")
def submit_profile(page: account_pages.UserPage, form: pages.PostedForm) -> Response:
    """Save the name and the e-mail address."""

    def act(values: people_pages.ProfileForm) -> Response:
        edited, text = people_pages.save_profile(page, page.user, values, form)
        page.request.state.user = edited
        return page.redirect(page.url("account"), text or "Profile saved.")

    def show(form: pages.Form, status: int) -> Response:
        return _show_account(page, status, profile=form)

    return page.submit(form, people_pages.ProfileForm, act, show)


tokens = APIRouter()


class TokenForm(BaseModel):
    """A new personal access token."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    scopes: Annotated[list[Scope], Field(min_length=1)]
    days: Literal["7", "30", "90", "365"]


@tokens.api_route("/account/tokens/new", methods=pages.FORM_METHODS)
def create_token(page: account_pages.UserPage, form: pages.PostedForm) -> Response:
    """Create a personal access token, and show it once."""

    def act(values: TokenForm) -> Response:
        page.check_password(form)
        scopes = [scope for scope in values.scopes if scope in page.spec.scopes]
        owner = page.auth.account_of(page.user)
        text = page.auth.tokens.create(owner, values.name, scopes, int(values.days))
        set_header(page.request, "Cache-Control", "no-store")
        return page.render("token", token=text, name=values.name, form=pages.Form())

    show = page.shows("token", token="", needs_password=page.needs_password)
    return page.fill(form, pages.Form({"scopes": ["read"], "days": "30"}), TokenForm, act, show)


@tokens.post("/account/tokens/{digest}/revoke")
def revoke_token(
    page: account_pages.UserPage, digest: Annotated[str, Path(max_length=43)]
) -> Response:
    """Revoke a personal access token."""
    page.auth.tokens.revoke(page.auth.account_of(page.user), digest)
    return page.redirect(f"{page.url('account')}#tokens", "The token no longer works.")


deletion = APIRouter()


@pages.confirm(deletion, "/account/delete")
def delete_account(page: account_pages.UserPage) -> pages.ConfirmedAction:
    """Delete the account."""
    people, user = page.people, page.user
    people.check_removable(user, user)

    def delete(form: pages.Form) -> None:
        people.remove(user, people.url_part(user), form.revision_check())
        page.cookies.sign_out(page.request, page.auth)

    return pages.ConfirmedAction(
        page,
        title="Delete your account?",
        text="This can’t be undone.",
        facts=page.spec.removal.own_facts,
        button="Delete my account",
        back=page.url("account"),
        needs_password=True,
        revision=user.revision,
        do=delete,
        to=page.urls.page(*page.spec.signed_out),
        done="Your account is deleted.",
    )
