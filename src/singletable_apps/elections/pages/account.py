"""Your account: profile, password, sessions, and deleting it."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import AlreadyTaken, InvalidInput, NotSignedIn, WrongState
from singletable_apps.elections.pages.dependencies import COOKIES, PREFIX, AccountPage, url
from singletable_apps.elections.roles import (
    ROLE_DESCRIPTIONS,
    ROLE_NAMES,
    Permission,
    has_permission,
)
from singletable_apps.elections.rules.users import check_remove_user
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Confirmation, ConfirmForm, Form, PostedForm, submit_form

router = APIRouter()
SessionId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$")]


@router.get("/account")
def show_account(page: AccountPage) -> Response:
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
def submit_profile(page: AccountPage, form: PostedForm) -> Response:
    """Save the name and the e-mail address."""

    def act(values: ProfileForm) -> Response:
        page.request.state.user = page.elections.people.edit(
            page.user,
            page.user.name,
            name=values.name,
            email=values.email,
            check_revision=form.revision_check(),
        )
        return page.redirect(url("account"), "Profile saved.")

    def show(form: Form, status: int) -> Response:
        return _show_account(page, status, profile=form)

    return submit_form(form, ProfileForm, act, show, rejects=(InvalidInput, AlreadyTaken))


class PasswordForm(BaseModel):
    """The current password and a new one."""

    current: str
    new: str


@router.post("/account/password")
def submit_password(page: AccountPage, form: PostedForm) -> Response:
    """Change the password and end all other sessions."""

    def show(form: Form, status: int) -> Response:
        return _show_account(page, status, password=form)

    def act(values: PasswordForm) -> Response:
        user_agent = page.request.headers.get("user-agent", "")
        try:
            signed_in = page.elections.auth.change_password(
                page.user, page.user.name, values.current, values.new, about=user_agent
            )
        except TooManyAttempts as error:
            return show(form.with_errors(str(error)), 429)
        except NotSignedIn as error:
            if error.field is None:
                raise
            return show(form.with_errors(**{error.field: str(error)}), 422)
        COOKIES.remember(page.request, signed_in)
        return page.redirect(url("account"), "Password changed. You’re signed out everywhere else.")

    return submit_form(form, PasswordForm, act, show, rejects=(InvalidInput,))


def _show_account(
    page: AccountPage,
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
        sessions=COOKIES.sessions(page.request, page.elections.auth, user),
        cannot_delete=_why_not_delete(page),
    )


@router.post("/account/sessions/others/end")
def end_other_sessions(page: AccountPage) -> Response:
    """Sign out everywhere else."""
    auth = page.elections.auth
    auth.end_other_sessions(page.user, auth.session_of(COOKIES.refresh_token(page.request)))
    return page.redirect(url("account"), "You’re signed out everywhere else.")


@router.post("/account/sessions/{session}/end")
def end_session(page: AccountPage, session: SessionId) -> Response:
    """Sign out in one browser, which may be this one."""
    auth = page.elections.auth
    if session == auth.session_of(COOKIES.refresh_token(page.request)):
        page.sign_out()
        return page.redirect(PREFIX, "You’re signed out.")
    auth.end_session(page.user, session)
    return page.redirect(url("account"), "That browser will be signed out within a few minutes.")


@router.get("/account/delete")
def confirm_delete_account(page: AccountPage) -> Response:
    """Ask before deleting the account."""
    return _confirm_delete(page, Form({"revision": page.user.revision}))


@router.post("/account/delete")
def delete_account(page: AccountPage, form: PostedForm) -> Response:
    """Delete the account."""

    def act(_: ConfirmForm) -> Response:
        page.elections.people.remove(page.user, page.user.name, form.revision_check())
        page.sign_out()
        return page.redirect(PREFIX, "Your account is deleted.")

    return submit_form(form, ConfirmForm, act, partial(_confirm_delete, page))


def _confirm_delete(page: AccountPage, form: Form, status: int = 200) -> Response:
    if reason := _why_not_delete(page):
        raise WrongState(reason)
    confirmation = Confirmation(
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
        url=url("account", "delete"),
        back=url("account"),
    )
    return page.render("confirm", status, confirmation=confirmation, form=form)


def _why_not_delete(page: AccountPage) -> str:
    """Return why the account cannot be deleted now, or an empty string."""
    counts = page.elections.context.read.get_counts()
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
