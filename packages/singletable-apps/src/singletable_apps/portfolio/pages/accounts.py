"""Accounts: set up the site, sign in and out, one's own account, and people, for owners."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request, Response
from pydantic import BaseModel

from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.errors import InvalidInput, NotPermitted
from singletable_apps.portfolio.pages.dependencies import (
    AnyPage,
    AuthorPage,
    OwnerPage,
    PageContext,
    UserPageContext,
)
from singletable_apps.portfolio.rules import ROLES
from singletable_apps.shared.accounts import Invitation
from singletable_apps.shared.frame import limited
from singletable_apps.shared.pages import (
    FORM_METHODS,
    AuthPage,
    ConfirmedAction,
    Flash,
    Form,
    PostedForm,
    auth_router,
    confirm,
)

UserId = Annotated[int, Path(ge=1, le=1 << 53)]
_ROLE_CHOICES = [(role.value, *words) for role, words in ROLES.items()]


def _auth_page(request: Request) -> AuthPage[User]:
    PageContext(request).read_settings()
    page = PageContext.visited(request)
    admin = page.urls.admin
    return page.auth_page(admin, home=admin(), signed_out=admin("sign-in"))


def _show_rejected_password(request: Request, form: Form, status: int) -> Response:
    page = UserPageContext(request, request.state.user)
    return _show_account(page, status, password=form)


router = auth_router(
    _auth_page,
    _show_rejected_password,
    rejects=(InvalidInput,),
    prefix="/admin",
    sign_in_limits=limited("sign_in"),
    reset_limits=limited("sign_in"),
)


class SetUpForm(BaseModel):
    """The site and its first account. The service checks the values."""

    site_title: str
    name: str
    email: str
    password: str
    setup_code: str = ""


@router.api_route("/set-up", methods=FORM_METHODS)
def set_up(
    page: AnyPage, form: PostedForm, code: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """Create the site and its owner, who is signed in. This can be done once."""
    if page.request.method == "GET" and page.service.profile.is_set_up():
        return page.redirect(page.urls.admin("sign-in"))

    def act(values: SetUpForm) -> Response:
        try:
            owner = page.service.accounts.set_up(
                values.name, values.email, values.password, values.site_title, values.setup_code
            )
        except NotPermitted as error:
            return page.redirect(page.urls.admin("sign-in"), str(error))
        page.sign_in(owner)
        return page.redirect(page.urls.admin(), f"Welcome, {owner.name}! Your site is ready.")

    def show(form: Form, status: int) -> Response:
        return page.render("accounts/set_up", status, form=form)

    return page.fill(form, Form({"setup_code": code}), SetUpForm, act, show)


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

    return page.submit(form, NameForm, act, show)


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
        sessions=page.cookies.sessions(page.request, page.service.accounts, page.user),
    )


# ------------------------------------------------------------------------------ people


@router.get("/people")
def list_people(page: OwnerPage) -> Response:
    """List everyone who has an account."""
    people = page.service.accounts.list_accounts(page.user)
    return page.render("accounts/people", people=people, roles=ROLES)


class InvitationForm(BaseModel):
    """Who is invited, and what they may do."""

    name: str
    email: str
    role: Role


@router.api_route("/people/invite", methods=FORM_METHODS)
def invite(page: OwnerPage, form: PostedForm) -> Response:
    """Create an account, and send an e-mail to choose a password."""

    def act(values: InvitationForm) -> Response:
        if values.role is Role.OWNER:
            page.check_password(form)
        invitation = page.service.accounts.invite(page.user, values.name, values.email, values.role)
        return _redirect_invited(page, invitation)

    def show(form: Form, status: int) -> Response:
        needs_password = page.needs_password
        return page.render(
            "accounts/invite", status, form=form, roles=_ROLE_CHOICES, needs_password=needs_password
        )

    return page.fill(form, Form({"role": Role.AUTHOR}), InvitationForm, act, show)


@router.post("/people/{user_id}/invite")
def invite_again(page: OwnerPage, user_id: UserId) -> Response:
    """Send another invitation to someone who has not used theirs."""
    return _redirect_invited(page, page.service.accounts.invite_again(page.user, user_id))


def _redirect_invited(page: OwnerPage, invitation: Invitation[User]) -> Response:
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


@router.get("/people/{user_id}")
def show_person(page: OwnerPage, user_id: UserId) -> Response:
    """Show a person, with forms for the role and the name."""
    return _show_person(page, user_id)


class RoleForm(BaseModel):
    """A new role."""

    role: Role


@router.post("/people/{user_id}/role")
def submit_role(page: OwnerPage, user_id: UserId, form: PostedForm) -> Response:
    """Change a role. Owners who make themselves authors go to the dashboard."""

    def act(values: RoleForm) -> Response:
        if values.role is Role.OWNER:
            page.check_password(form)
        changed = page.service.accounts.change_role(page.user, user_id, values.role)
        is_self = user_id == page.user.user_id
        url = page.urls.admin() if is_self else _person_url(page, changed)
        who = "You’re" if is_self else f"{changed.name} is"
        return page.redirect(url, f"{who} now an {ROLES[changed.role][0].lower()}.")

    def show(form: Form, status: int) -> Response:
        return _show_person(page, user_id, status, role=form)

    return page.submit(form, RoleForm, act, show)


@router.post("/people/{user_id}/name")
def submit_person_name(page: OwnerPage, user_id: UserId, form: PostedForm) -> Response:
    """Save the name of a person."""

    def act(values: NameForm) -> Response:
        renamed = page.service.accounts.rename(page.user, user_id, values.name)
        return page.redirect(_person_url(page, renamed), f"{renamed.name} saved.")

    def show(form: Form, status: int) -> Response:
        return _show_person(page, user_id, status, name=form)

    return page.submit(form, NameForm, act, show)


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
        is_last_owner=page.service.accounts.is_last_admin(page.user, person),
        name=name or Form({"name": person.name}),
        role=role or Form({"role": person.role}),
        roles=_ROLE_CHOICES,
        role_name=ROLES[person.role][0],
        person_url=_person_url(page, person),
        needs_password=page.needs_password,
    )


@confirm(router, "/people/{user_id}/remove")
def remove_person(page: OwnerPage, user_id: UserId) -> ConfirmedAction:
    """Remove an account."""
    person = page.service.accounts.get(page.user, user_id)
    is_self = user_id == page.user.user_id

    def remove(_: Form) -> None:
        page.service.accounts.remove(page.user, user_id)
        if is_self:
            page.cookies.forget(page.request)

    return ConfirmedAction(
        page,
        title="Remove your account?" if is_self else f"Remove {person.name}?",
        text="This can’t be undone.",
        facts=(
            ("Removed", "The account. It is signed out everywhere."),
            ("Kept", "All posts, images and comments. Owners can edit them."),
        ),
        button="Remove account",
        back=_person_url(page, person),
        needs_password=True,
        do=remove,
        to=page.urls.admin("sign-in" if is_self else "people"),
        done="Your account is removed." if is_self else f"{person.name} was removed.",
    )


def _person_url(page: OwnerPage, person: User) -> str:
    return page.urls.admin("people", str(person.user_id))
