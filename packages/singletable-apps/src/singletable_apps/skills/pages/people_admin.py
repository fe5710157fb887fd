"""Accounts, for administrators: roles, invitations, and the settings of the directory."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from singletable_apps.shared.accounts import Invitation
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmForm,
    Flash,
    Form,
    Link,
    ListQueryParameters,
    PostedForm,
)
from singletable_apps.skills.entities import Role, User
from singletable_apps.skills.pages.dependencies import AdminPage, Segment, UserPageContext

router = APIRouter(prefix="/admin/people")
_PAGE = 50
ROLES = [
    (Role.USER, "User", "Edits their own profile and skills, and endorses others."),
    (Role.MANAGER, "Manager", "Also rates skills of others, and plans jobs and teams."),
    (Role.ADMIN, "Administrator", "Also manages accounts, the catalog and imports."),
]
_NAMES: dict[Role, str] = {role: name for role, name, _ in ROLES}
RoleFilter = Annotated[Role | None, Query()]


@router.get("")
def list_accounts(page: AdminPage, query: ListQueryParameters, role: RoleFilter = None) -> Response:
    """List the accounts with their roles, and show the settings."""
    return _list_accounts(page, query, role)


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

    return page.submit(form, SettingsForm, act, partial(_list_accounts, page, query, None))


def _list_accounts(
    page: UserPageContext,
    query: ListQueryParameters,
    role: Role | None,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    people, urls = page.service.people, page.urls
    found = people.list(query.search, role=role, limit=_PAGE, cursor=query.cursor)
    shown = query.page(found.items, found.cursor)
    if role is not None:
        more = {"role": role.value, "cursor": found.cursor or ""}
        next_url = urls.page("admin", "people", **more) if found.cursor else ""
        first_url = urls.page("admin", "people", role=role.value) if query.cursor else ""
        shown = replace(shown, next_url=next_url, first_url=first_url)
    directory = people.settings()
    return page.render(
        "people_admin",
        status,
        people=shown,
        role=role,
        tabs=[
            Link("Everyone", urls.page("admin", "people"), role is None),
            *(
                Link(f"{name}s", urls.page("admin", "people", role=each.value), role is each)
                for each, name in _NAMES.items()
                if each is not Role.USER
            ),
        ],
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


@router.api_route("/invite", methods=FORM_METHODS)
def invite(page: AdminPage, form: PostedForm) -> Response:
    """Create the account, and send an e-mail to choose a password."""

    def act(values: InvitationForm) -> Response:
        if values.role is Role.ADMIN:
            page.check_password(form)
        invitation = page.service.accounts.invite(page.user, **values.model_dump())
        return _redirect_invited(page, invitation)

    def show(form: Form, status: int) -> Response:
        return page.render(
            "invitation_form",
            status,
            form=form,
            roles=ROLES,
            needs_password=page.needs_password,
        )

    return page.fill(form, Form({"role": Role.USER}), InvitationForm, act, show)


def _redirect_invited(page: UserPageContext, invitation: Invitation[User]) -> Response:
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
        if values.role is Role.ADMIN:
            page.check_password(form)
        changed = page.service.accounts.change_role(page.user, username, values.role)
        is_own = changed.user_id == page.user.user_id
        text = f"{changed.name} now has the role {_NAMES[changed.role].lower()}."
        # Someone who gives up the role does not see the pages of administrators any more.
        url = page.urls.page("people") if is_own else page.urls.page("admin", "people")
        return page.redirect(url, text)

    return page.submit(form, RoleForm, act, partial(_show_account, page, username))


@router.post("/{username}/invite")
def invite_again(page: AdminPage, username: Segment, form: PostedForm) -> Response:
    """Send another link to someone who has not chosen a password yet."""

    def act(_: ConfirmForm) -> Response:
        return _redirect_invited(page, page.service.accounts.invite_again(page.user, username))

    return page.submit(form, ConfirmForm, act, partial(_show_account, page, username))


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
        needs_password=page.needs_password,
    )
