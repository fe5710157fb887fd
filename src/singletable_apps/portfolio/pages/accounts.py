"""People with an account: the list, invitations, roles, names and removal. For owners."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.errors import InvalidInput
from singletable_apps.portfolio.pages.auth import NameForm
from singletable_apps.portfolio.pages.dependencies import COOKIES, OwnerPage
from singletable_apps.portfolio.rules import ROLES
from singletable_apps.portfolio.service.accounts import Invitation
from singletable_apps.shared.pages import (
    Confirmation,
    Flash,
    Form,
    PostedForm,
    submit_form,
)

router = APIRouter()
UserId = Annotated[int, Path(ge=1, le=1 << 53)]
_ROLE_CHOICES = [(role.value, *words) for role, words in ROLES.items()]


@router.get("/admin/people")
def list_people(page: OwnerPage) -> Response:
    """List everyone who has an account."""
    people = page.service.accounts.list_accounts(page.user)
    return page.render("accounts/people", people=people, roles=ROLES)


class InvitationForm(BaseModel):
    """Who is invited, and what they may do."""

    name: str
    email: str
    role: Role


@router.get("/admin/people/invite")
def show_invitation(page: OwnerPage) -> Response:
    """Show the form that invites someone."""
    return page.render("accounts/invite", form=Form({"role": Role.AUTHOR}), roles=_ROLE_CHOICES)


@router.post("/admin/people/invite")
def submit_invitation(page: OwnerPage, form: PostedForm) -> Response:
    """Create the account, and send an e-mail to choose a password."""

    def act(values: InvitationForm) -> Response:
        invitation = page.service.accounts.invite(page.user, values.name, values.email, values.role)
        return _redirect_invited(page, invitation)

    def show(form: Form, status: int) -> Response:
        return page.render("accounts/invite", status, form=form, roles=_ROLE_CHOICES)

    return submit_form(form, InvitationForm, act, show, rejects=(InvalidInput,))


@router.post("/admin/people/{user_id}/invite")
def invite_again(page: OwnerPage, user_id: UserId) -> Response:
    """Send another invitation to someone who has not used theirs."""
    return _redirect_invited(page, page.service.accounts.invite_again(page.user, user_id))


def _redirect_invited(page: OwnerPage, invitation: Invitation) -> Response:
    user = invitation.user
    flash = (
        Flash(f"We’ve e-mailed {user.email} a link to choose a password. It works for a week.")
        if invitation.is_sent
        else Flash(
            f"{user.name} has an account, but the e-mail to {user.email} could not be sent. Try "
            "“Send another link” later.",
            "warning",
        )
    )
    return page.redirect(_person_url(page, user), flash)


@router.get("/admin/people/{user_id}")
def show_person(page: OwnerPage, user_id: UserId) -> Response:
    """Show a person, with forms for the role and the name."""
    return _show_person(page, user_id)


class RoleForm(BaseModel):
    """A new role."""

    role: Role


@router.post("/admin/people/{user_id}/role")
def submit_role(page: OwnerPage, user_id: UserId, form: PostedForm) -> Response:
    """Change a role. Owners who make themselves authors go to the dashboard."""

    def act(values: RoleForm) -> Response:
        changed = page.service.accounts.change_role(page.user, user_id, values.role)
        is_self = user_id == page.user.user_id
        url = page.urls.admin() if is_self else _person_url(page, changed)
        who = "You’re" if is_self else f"{changed.name} is"
        return page.redirect(url, f"{who} now an {ROLES[changed.role][0].lower()}.")

    def show(form: Form, status: int) -> Response:
        return _show_person(page, user_id, status, role=form)

    return submit_form(form, RoleForm, act, show, rejects=(InvalidInput,))


@router.post("/admin/people/{user_id}/name")
def submit_person_name(page: OwnerPage, user_id: UserId, form: PostedForm) -> Response:
    """Save the name of a person."""

    def act(values: NameForm) -> Response:
        renamed = page.service.accounts.rename(page.user, user_id, values.name)
        return page.redirect(_person_url(page, renamed), f"{renamed.name} saved.")

    def show(form: Form, status: int) -> Response:
        return _show_person(page, user_id, status, name=form)

    return submit_form(form, NameForm, act, show, rejects=(InvalidInput,))


def _show_person(
    page: OwnerPage,
    user_id: int,
    status: int = 200,
    *,
    name: Form | None = None,
    role: Form | None = None,
) -> Response:
    person = page.service.accounts.get(page.user, user_id)
    return page.render(
        "accounts/person",
        status,
        person=person,
        is_self=person.user_id == page.user.user_id,
        is_last_owner=page.service.accounts.is_last_owner(page.user, person),
        name=name or Form({"name": person.name}),
        role=role or Form({"role": person.role}),
        roles=_ROLE_CHOICES,
        role_name=ROLES[person.role][0],
        person_url=_person_url(page, person),
    )


@router.get("/admin/people/{user_id}/remove")
def confirm_remove(page: OwnerPage, user_id: UserId) -> Response:
    """Ask before removing an account."""
    person = page.service.accounts.get(page.user, user_id)
    is_self = user_id == page.user.user_id
    confirmation = Confirmation(
        title="Remove your account?" if is_self else f"Remove {person.name}?",
        text="This can’t be undone.",
        facts=(
            ("Removed", "The account. It is signed out everywhere."),
            ("Kept", "All posts, images and comments. Owners can edit them."),
        ),
        button="Remove account",
        url=f"{_person_url(page, person)}/remove",
        back=_person_url(page, person),
    )
    return page.render("confirm", confirmation=confirmation, form=Form())


@router.post("/admin/people/{user_id}/remove")
def submit_remove(page: OwnerPage, user_id: UserId) -> Response:
    """Remove an account."""
    removed = page.service.accounts.remove(page.user, user_id)
    if removed.user_id == page.user.user_id:
        COOKIES.forget(page.request)
        return page.redirect(page.urls.admin("sign-in"), "Your account is removed.")
    return page.redirect(page.urls.admin("people"), f"{removed.name} was removed.")


def _person_url(page: OwnerPage, person: User) -> str:
    return page.urls.admin("people", str(person.user_id))
