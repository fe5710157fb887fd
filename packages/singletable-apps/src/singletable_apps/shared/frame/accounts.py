"""The pages to register and of one's own account, and all pages about accounts together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.shared import pages
from singletable_apps.shared.accounts import AccountRole, People, Registration, Scope
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.shared.frame import account_pages, oidc_pages, people_pages
from singletable_apps.shared.frame.people import (
    MemberPage,
    PeopleSpec,
    RemovalText,
    RoleName,
    VisitorPage,
)
from singletable_apps.shared.frame.state import WAITING, count_request, state_of
from singletable_apps.shared.urls import Urls
from singletable_apps.shared.web import set_header

# Loose, because a whole hall may share an address. Attempts are also counted by account.
LIMITS = {"sign_in": (600, 60), "register": (1000, 3600), "signed_in": (1200, 60)}


def account_routers(people: People[Any], spec: PeopleSpec, urls: Urls) -> Iterator[APIRouter]:
    """Yield the routers of the pages about accounts and people."""
    account, others = APIRouter(), APIRouter()
    for router, is_wanted in (
        (account_pages.router, True),
        (account_pages.email_router, True),
        (oidc_pages.router, True),
        (own_account, True),
        (registration, people.waiting is not None),
        (profile, people.edits_profiles),
        (tokens, bool(spec.scopes)),
        (deletion, bool(spec.removal.own_facts)),
    ):
        if is_wanted:
            account.include_router(router, prefix=_path(urls.account_path))
    for router, is_wanted in (
        (people_pages.router, True),
        (people_pages.invitations, people.invites),
        (people_pages.person_router, True),
        (people_pages.profiles, people.edits_profiles),
        (people_pages.removal, bool(spec.removal.facts)),
    ):
        if is_wanted:
            others.include_router(router, prefix=_path(people.people_path))
    yield from (account, others)


def _path(parts: tuple[str, ...]) -> str:
    return "".join(f"/{part}" for part in parts)


def setup_url(people: People[Any], urls: Urls) -> str:
    """Return the link to create the first account, or an empty string if there is one."""
    code = people.setup_code()
    page = "set-up" if people.waiting is None else "register"
    return urls.absolute(urls.account(page, code=code)) if code else ""


def account_context(request: Request) -> Mapping[str, object]:
    """Return what the frame of pages shows of the account."""
    state, user = state_of(request), getattr(request.state, "user", None)
    urls: Urls = state.service.context.urls
    if user is not None:
        links = [pages.Link("Your account", urls.account("account"))]
        # Other apps link to the list from pages for administrators.
        if state.people.people_path == ("people",) and state.people.manages_accounts(user.role):
            links.append(pages.Link("People", urls.page("people")))
    else:
        links = [pages.Link("Sign in", urls.account("sign-in"))]
        if state.people.waiting is not None:
            links.append(pages.Link("Register", urls.account("register")))
    return {
        "user": user,
        "account": user and user.name,
        "account_links": links,
        "provider": oidc_pages.provider_link(request, urls.account("sign-in", "provider")),
    }


# The texts of an app of UsernameAccounts that needs no others.
USERNAMES = PeopleSpec(
    roles=(
        RoleName(AccountRole.WAITING, "Waiting", "Sees only their own account.", "Waiting"),
        RoleName(AccountRole.USER, "User", "Uses everything."),
        RoleName(AccountRole.ADMIN, "Administrator", "Also manages accounts.", "Administrators"),
    ),
    removal=RemovalText(
        (("Removed", "The account. It is signed out everywhere."),),
        "The account is signed out everywhere.",
        (("Removed", "Your account. You are signed out everywhere."),),
        "You are signed out everywhere. This can’t be undone.",
    ),
)


def sample_account(service: Any, username: str, password: str, about: str) -> SampleData | None:
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
    people = page.people
    if page.request.method == "POST":
        count_request(page.request, "register")
    elif page.visitor is not None:
        return page.redirect(page.urls.home)

    def act(values: RegistrationForm) -> Response:
        sent = values.model_dump(exclude=None if people.has_usernames else {"username"})
        user = people.register_visitor(**sent)
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
    text = f"Welcome, {user.name}!"
    page.sign_in(user)
    if page.state.is_waiting(user):
        return page.redirect(page.url("account"), f"{text} {WAITING}")
    if email and not user.email:
        text += f" We’ve e-mailed a link to {email}. Open it to save your address."
    return page.redirect(page.urls.home, text)


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
        can_edit=people.edits_profiles and people.may_edit(user, user),
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
        to=page.urls.signed_out,
        done="Your account is deleted.",
    )
