"""Your account: the page, the profile, and deleting the account."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.dependencies import (
    UserPage,
    UserPageContext,
)
from singletable_apps.elections.roles import (
    ROLE_DESCRIPTIONS,
    ROLE_NAMES,
    Permission,
    has_permission,
)
from singletable_apps.elections.rules.names import clean_email
from singletable_apps.elections.rules.users import check_remove_user
from singletable_apps.shared.pages import (
    ConfirmedAction,
    Form,
    PostedForm,
    address_sent,
    confirm,
)

router = APIRouter()


@router.get("/account")
def show_account(page: UserPage) -> Response:
    """Show the account."""
    return _show_account(page)


class ProfileForm(BaseModel):
    """A name and an e-mail address."""

    name: str
    email: str


def profile_form(user: User) -> Form:
    """Return the form with a user's name and e-mail address."""
    return Form({"name": user.name, "email": user.email, "revision": user.revision})


@router.post("/account/details")
def submit_profile(page: UserPage, form: PostedForm) -> Response:
    """Save the name and the e-mail address."""

    def act(values: ProfileForm) -> Response:
        changes_email = clean_email(values.email) != page.user.email
        if changes_email:
            page.check_password(form)
        page.request.state.user = page.service.people.edit(
            page.user,
            page.user.name,
            name=values.name,
            email=values.email,
            check_revision=form.revision_check(),
        )
        flash = address_sent(values.email) if changes_email else "Profile saved."
        return page.redirect(page.urls.page("account"), flash)

    def show(form: Form, status: int) -> Response:
        return _show_account(page, status, profile=form)

    return page.submit(form, ProfileForm, act, show)


def show_account_page(request: Request, status: int, *, password: Form) -> Response:
    """Show the account with a password form that was rejected."""
    page = UserPageContext(request, request.state.user)
    return _show_account(page, status, password=password)


def _show_account(
    page: UserPageContext,
    status: int = 200,
    *,
    profile: Form | None = None,
    password: Form | None = None,
) -> Response:
    user = page.user
    return page.render(
        "account",
        status,
        user=user,
        role_name=ROLE_NAMES[user.role],
        role_description=ROLE_DESCRIPTIONS[user.role],
        can_edit=has_permission(user.role, Permission.USE_APPLICATION),
        profile=profile or profile_form(user),
        password=password or Form(),
        sessions=page.cookies.sessions(page.request, page.auth, user),
        cannot_delete=_why_not_delete(page),
        unaccepted=page.service.auth.emails.find_unaccepted(user),
        needs_password=page.needs_password,
    )


@confirm(router, "/account/delete")
def delete_account(page: UserPage) -> ConfirmedAction:
    """Delete the account."""
    if reason := _why_not_delete(page):
        raise WrongState(reason)

    def delete(form: Form) -> None:
        page.service.people.remove(page.user, page.user.name, form.revision_check())
        page.cookies.sign_out(page.request, page.auth)

    return ConfirmedAction(
        page,
        title="Delete your account?",
        text="This can’t be undone.",
        facts=(
            (
                "Deleted",
                "Your account, your sessions, and your ballots in elections that are still open.",
            ),
            (
                "Kept",
                "Your ballots in closed elections, under a number instead of your name: signed "
                "results don’t change, and your receipts still work. The audit log is never "
                "changed, so auditors can still read your name there.",
            ),
        ),
        button="Delete my account",
        back=page.urls.page("account"),
        needs_password=True,
        revision=page.user.revision,
        do=delete,
        to=page.urls.page(),
        done="Your account is deleted.",
    )


def _why_not_delete(page: UserPageContext) -> str:
    """Return why the account cannot be deleted now, or an empty string."""
    counts = page.service.context.read.get_counts()
    try:
        check_remove_user(
            page.user,
            page.user,
            user_count=counts.user_count,
            election_count=counts.election_count,
        )
    except WrongState as error:
        return str(error)
    return ""
