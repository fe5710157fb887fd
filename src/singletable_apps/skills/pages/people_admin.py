"""Accounts, for administrators: roles, invitations, and the settings of the directory."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.shared.pages import ConfirmForm, Flash, Form, ListQueryParameters, PostedForm
from singletable_apps.skills.entities import Directory, Role
from singletable_apps.skills.pages.dependencies import AdminPage, Segment, UserPageContext
from singletable_apps.skills.service.people import Invitation

router = APIRouter(prefix="/admin/people")
_PAGE = 50
ROLES = [
    (Role.USER, "User", "Edits the own profile and skills, and endorses others."),
    (Role.MANAGER, "Manager", "Also rates skills of others, and plans jobs and teams."),
    (Role.ADMIN, "Administrator", "Also manages accounts, the catalog and imports."),
]
_NAMES: dict[Role, str] = {role: name for role, name, _ in ROLES}


@router.get("")
def list_accounts(page: AdminPage, query: ListQueryParameters) -> Response:
    """List the accounts with their roles, and show the settings."""
    return _list_accounts(page, query)


class SettingsForm(BaseModel):
    """The settings of the directory."""

    name: str
    open_registration: bool = False


@router.post("/settings")
def submit_settings(page: AdminPage, query: ListQueryParameters, form: PostedForm) -> Response:
    """Save the settings."""

    def act(values: SettingsForm) -> Response:
        check, is_open = form.revision_check(), values.open_registration
        people = page.service.people
        people.edit_settings(page.user, values.name, open_registration=is_open, check=check)
        return page.redirect(page.urls.page("admin", "people"), "Settings saved.")

    def show(form: Form, status: int) -> Response:
        return _list_accounts(page, query, form, status)

    return page.submit(form, SettingsForm, act, show)


def _list_accounts(
    page: UserPageContext,
    query: ListQueryParameters,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    people = page.service.people
    found = people.list(query.search, limit=_PAGE, cursor=query.cursor)
    directory: Directory = people.settings()
    return page.render(
        "people_admin",
        status,
        people=query.page(found.items, found.cursor),
        roles=_NAMES,
        form=form or Form.of(SettingsForm, directory, revision=directory.revision),
    )


# ------------------------------------------------------------------------------ invitations


class InvitationForm(BaseModel):
    """Someone to invite, with a role."""

    username: str
    name: str
    email: str
    role: Role


@router.get("/invite")
def show_invitation(page: AdminPage) -> Response:
    """Show the form that invites someone."""
    return _show_invitation(page, Form({"role": Role.USER}))


@router.post("/invite")
def submit_invitation(page: AdminPage, form: PostedForm) -> Response:
    """Create the account, and send an e-mail to choose a password."""

    def act(values: InvitationForm) -> Response:
        return _redirect_invited(page, page.service.people.invite(page.user, **values.model_dump()))

    return page.submit(form, InvitationForm, act, partial(_show_invitation, page))


def _show_invitation(page: UserPageContext, form: Form, status: int = 200) -> Response:
    return page.render("invitation_form", status, form=form, roles=ROLES)


def _redirect_invited(page: UserPageContext, invitation: Invitation) -> Response:
    user = invitation.user
    flash = Flash(f"We’ve e-mailed {user.email} a link to choose a password. It works for a week.")
    if not invitation.is_sent:
        text = f"{user.name} has an account, but the e-mail could not be sent. Try again later."
        flash = Flash(text, "warning")
    return page.redirect(page.urls.page("admin", "people", user.username.casefold()), flash)


# ------------------------------------------------------------------------------ one account


class RoleForm(BaseModel):
    """A new role."""

    role: Role


@router.get("/{username}")
def show_account(page: AdminPage, username: Segment) -> Response:
    """Show an account."""
    return _show_account(page, username)


@router.post("/{username}/role")
def submit_role(page: AdminPage, username: Segment, form: PostedForm) -> Response:
    """Change a role."""

    def act(values: RoleForm) -> Response:
        changed = page.service.people.change_role(page.user, username, values.role)
        is_own = changed.user_id == page.user.user_id
        text = f"{changed.name} is {_NAMES[changed.role].lower()} now."
        # Someone who gives up the role does not see the pages of administrators any more.
        url = page.urls.page("people") if is_own else page.urls.page("admin", "people")
        return page.redirect(url, text)

    def show(form: Form, status: int) -> Response:
        return _show_account(page, username, form, status)

    return page.submit(form, RoleForm, act, show, field="role")


@router.post("/{username}/invite")
def invite_again(page: AdminPage, username: Segment, form: PostedForm) -> Response:
    """Send another link to someone who has not chosen a password yet."""

    def act(_: ConfirmForm) -> Response:
        return _redirect_invited(page, page.service.people.invite_again(page.user, username))

    def show(form: Form, status: int) -> Response:
        return _show_account(page, username, form, status)

    return page.submit(form, ConfirmForm, act, show)


def _show_account(
    page: UserPageContext, username: str, form: Form | None = None, status: int = 200
) -> Response:
    person = page.service.context.get_user(username, consistent=True)
    return page.render(
        "account_admin",
        status,
        person=person,
        form=form or Form.of(RoleForm, person),
        roles=ROLES,
        role_name=_NAMES[person.role],
        is_own=person.user_id == page.user.user_id,
    )
