"""People: the list, and one person's role, profile and removal. For administrators."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.elections.errors import NotPermitted
from singletable_apps.elections.pages.account import ProfileForm, profile_form
from singletable_apps.elections.pages.dependencies import ViewerPage
from singletable_apps.elections.roles import (
    ROLE_DESCRIPTIONS,
    ROLE_NAMES,
    Permission,
    Role,
    has_permission,
)
from singletable_apps.elections.rules.names import clean_email
from singletable_apps.elections.rules.users import (
    check_edit_user,
    check_remove_user,
    check_role_change,
)
from singletable_apps.elections.web import NameInPath
from singletable_apps.shared.pages import (
    ConfirmedAction,
    Form,
    ListQueryParameters,
    PostedForm,
    address_sent,
    confirm,
    local_url,
)
from singletable_apps.shared.permissions import is_permitted

router = APIRouter()
PAGE_SIZE = 30


@router.get("/people")
def list_people(page: ViewerPage, query: ListQueryParameters) -> Response:
    """List people by name. With a search text, list names that start with it."""
    queries = page.service.queries
    people, next_cursor = queries.users(page.user, PAGE_SIZE, query.cursor, prefix=query.search)
    return page.render(
        "people",
        user=page.user,
        people=query.page(people, next_cursor),
        role_names=ROLE_NAMES,
        total=queries.counts(page.user).user_count,
        url=page.urls.page,
        this_page=query.url(cursor=query.cursor or ""),
    )


@router.get("/people/{name}")
def show_person(page: ViewerPage, name: NameInPath) -> Response:
    """Show a person, with forms for the changes that the viewer may make."""
    return _show_person(page, name)


@router.post("/people/{name}")
def submit_person(page: ViewerPage, name: NameInPath, form: PostedForm) -> Response:
    """Save a person's name and e-mail address."""

    def act(values: ProfileForm) -> Response:
        before = page.service.queries.user(page.user, name).user
        changes_email = clean_email(values.email) != before.email
        if changes_email:
            page.check_password(form)
        edited = page.service.people.edit(
            page.user,
            name,
            name=values.name,
            email=values.email,
            check_revision=form.revision_check(),
        )
        flash = address_sent(values.email) if changes_email else f"{edited.name} saved."
        return page.redirect(page.urls.page("people", edited.name), flash)

    def show(form: Form, status: int) -> Response:
        return _show_person(page, name, status, profile=form)

    return page.submit(form, ProfileForm, act, show)


def _show_person(
    page: ViewerPage,
    name: str,
    status: int = 200,
    *,
    profile: Form | None = None,
    role: Form | None = None,
) -> Response:
    summary = page.service.queries.user(page.user, name)
    person = summary.user
    return page.render(
        "person",
        status,
        person=person,
        is_self=person.user_id == page.user.user_id,
        is_owner=person.role == Role.OWNER,
        can_edit=is_permitted(check_edit_user, page.user, person),
        roles=[(role, ROLE_NAMES[role], ROLE_DESCRIPTIONS[role]) for role in summary.allowed_roles],
        role_name=ROLE_NAMES[person.role],
        role_description=ROLE_DESCRIPTIONS[person.role],
        profile=profile or profile_form(person),
        role=role or Form({"role": person.role.value, "revision": person.revision}),
        person_url=page.urls.page("people", person.name),
        needs_password=page.needs_password,
    )


class RoleForm(BaseModel):
    """A new role, and the page to go back to."""

    role: Role
    back: str = ""


@router.post("/people/{name}/role")
def submit_role(page: ViewerPage, name: NameInPath, form: PostedForm) -> Response:
    """Change a role. Transferring the ownership asks for confirmation first."""

    def act(values: RoleForm) -> Response:
        if values.role is Role.OWNER:
            return page.redirect(page.urls.page("people", name, "owner"))
        if has_permission(values.role, Permission.MANAGE_USERS):
            page.check_password(form, "role_password")
        people, check_revision = page.service.people, form.revision_check()
        changed = people.change_role(page.user, name, values.role, check_revision)
        back = local_url(values.back, page.urls.page("people", changed.name))
        return page.redirect(back, f"{changed.name}'s role: {ROLE_NAMES[changed.role]}.")

    def show(form: Form, status: int) -> Response:
        return _show_person(page, name, status, role=form)

    try:
        return page.submit(form, RoleForm, act, show)
    except NotPermitted as error:
        return show(form.with_errors(role=str(error)), 422)


@confirm(router, "/people/{name}/owner")
def transfer_ownership(page: ViewerPage, name: NameInPath) -> ConfirmedAction:
    """Make someone else the owner; the previous owner becomes an auditor."""
    person = page.service.queries.user(page.user, name).user
    check_role_change(page.user, person, Role.OWNER)
    return ConfirmedAction(
        page,
        title=f"Make {person.name} the owner?",
        text="There is only one owner, and it won’t be you anymore.",
        facts=(
            (
                person.name,
                f"From {ROLE_NAMES[person.role].lower()} to owner: full control, including who "
                "is an auditor.",
            ),
            ("You", f"You become an auditor. Only {person.name} can make you the owner again."),
        ),
        button="Transfer ownership",
        needs_password=True,
        back=page.urls.page("people", person.name),
        revision=person.revision,
        do=lambda form: page.service.people.change_role(
            page.user, name, Role.OWNER, form.revision_check()
        ),
        done=f"{person.name} is now the owner. You’re an auditor.",
    )


@confirm(router, "/people/{name}/remove")
def remove_person(page: ViewerPage, name: NameInPath) -> ConfirmedAction | Response:
    """Remove a person."""
    person = page.service.queries.user(page.user, name).user
    if page.request.method == "POST" and person.user_id == page.user.user_id:
        return page.redirect(page.urls.page("account", "delete"))
    counts = page.service.queries.counts(page.user)
    check_remove_user(
        page.user, person, user_count=counts.user_count, election_count=counts.election_count
    )
    return ConfirmedAction(
        page,
        title=f"Remove {person.name}?",
        text="This can’t be undone.",
        facts=(
            ("Deleted", "The account, and its ballots in elections that are still open."),
            (
                "Kept",
                "Ballots in closed elections, under a number instead of the name: signed results "
                "don’t change. The audit log still shows the name to auditors.",
            ),
        ),
        button="Remove account",
        needs_password=True,
        back=page.urls.page("people", person.name),
        revision=person.revision,
        do=lambda form: page.service.people.remove(page.user, name, form.revision_check()),
        to=page.urls.page("people"),
        done=f"{person.name} was removed.",
    )
