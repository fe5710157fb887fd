"""The home page, the directory, and the forms that change or delete a person."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, StringConstraints

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame.account_pages import address_sent
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    ConfirmField,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.permissions import is_permitted
from singletable_apps.skills.entities import Role, User
from singletable_apps.skills.pages.dependencies import AnyPage, Segment, UserPage, UserPageContext
from singletable_apps.skills.rules import PERMISSIONS, Permission, check_self, is_same_user
from singletable_apps.skills.service.people import PersonEdit

router = APIRouter()
_PAGE = 50
FilterText = Annotated[str, Query(max_length=200)]


@router.get("")
def show_home(page: AnyPage) -> Response:
    """Show what the directory is, or the start page of someone who is signed in."""
    if page.visitor is not None:
        return page.redirect(page.urls.page("start"))
    return page.render("home", is_first=page.service.accounts.setup_code() is not None)


@router.get("/")
def redirect_to_home(page: AnyPage) -> Response:
    """Redirect the address with a slash at its end, which people type."""
    return page.redirect(page.urls.page())


@router.get("/people")
def list_people(
    page: UserPage, query: ListQueryParameters, department: FilterText = "", job: FilterText = ""
) -> Response:
    """List the people by name."""
    filters = {
        name: text
        for name, text in (("q", query.search), ("department", department), ("job", job))
        if text
    }
    found = page.service.people.list(
        query.search, department=department, job_role=job, limit=_PAGE, cursor=query.cursor
    )
    url, jobs = page.urls.page, page.service.overview.job_names()
    departments = page.service.overview.departments()
    return page.render(
        "people",
        people=found.items,
        form=Form({"q": query.search, "department": department, "job": job}),
        jobs=jobs,
        choices={
            "departments": [("", "All departments"), *((each, each) for each in departments)],
            "jobs": [("", "All jobs"), *jobs.items()],
        },
        is_filtered=bool(filters),
        directory=page.service.people.settings(),
        next_url=url("people", **filters, cursor=found.cursor) if found.cursor else "",
        first_url=url("people", **filters) if query.cursor else "",
    )


# ------------------------------------------------------------------------------ profiles


class ProfileForm(BaseModel):
    """A profile. Fields that the reader may not change are not in the form."""

    name: str
    title: str = ""
    department: str = ""
    location: str = ""
    about: str = ""
    email: Annotated[str, StringConstraints(strip_whitespace=True)] = ""
    job_role: str = ""


@router.api_route("/people/{username}/edit", methods=FORM_METHODS)
def edit_profile(page: UserPage, username: Segment, form: PostedForm) -> Response:
    """Change a profile."""
    page.service.context.check_reach(page.user, username)
    person = page.service.context.get_user(username)

    def act(values: ProfileForm) -> Response:
        edit = PersonEdit(**values.model_dump(exclude_unset=True))
        if edit.email not in (None, person.email):
            page.check_password(form)
        saved = page.service.people.edit(page.user, username, edit, form.revision_check())
        is_saved = not edit.email or edit.email == saved.email
        text = "Profile saved." if is_saved else address_sent(values.email)
        return page.redirect(page.urls.person(saved.username), text)

    def show(form: Form, status: int) -> Response:
        return page.render(
            "profile_form",
            status,
            form=form,
            person=person,
            departments=page.service.overview.departments(),
            jobs=[("", "No job"), *page.service.overview.job_names().items()],
            can_edit_email=is_permitted(check_self, page.user, person.username),
            can_edit_job=PERMISSIONS.allows(page.user.role, Permission.PLAN),
            needs_password=page.needs_password,
        )

    initial = Form.of(ProfileForm, person, revision=person.revision)
    return page.fill(form, initial, ProfileForm, act, show)


# ------------------------------------------------------------------------------ usernames


class UsernameForm(BaseModel):
    """A new username."""

    username: str


@router.api_route("/people/{username}/username", methods=FORM_METHODS)
def rename_person(page: UserPage, username: Segment, form: PostedForm) -> Response:
    """Change a username."""
    check_self(page.user, username)
    person = page.service.context.get_user(username)

    def act(values: UsernameForm) -> Response:
        renamed = page.service.people.rename(page.user, username, values.username)
        text = f"The username of {renamed.name} is {renamed.username} now."
        if renamed.user_id == page.user.user_id:
            text = f"Your username is {renamed.username} now. Use it to sign in."
        return page.redirect(_back(page, renamed), text)

    def show(form: Form, status: int) -> Response:
        return page.render(
            "username_form", status, person=person, form=form, back=_back(page, person)
        )

    initial = Form.of(UsernameForm, person)
    return page.fill(form, initial, UsernameForm, act, show, field="username")


# ------------------------------------------------------------------------------ deletion


@confirm(router, "/people/{username}/delete")
def delete_person(page: UserPage, username: Segment) -> ConfirmedAction:
    """Delete a person. The username is entered again, so that nobody is deleted by a click."""
    check_self(page.user, username)
    person = page.service.context.get_user(username)
    is_own = person.user_id == page.user.user_id

    def delete(form: Form) -> None:
        if not is_same_user(form.value("username").strip(), person.username):
            raise InvalidInput({"username": f"Enter {person.username} to confirm."})
        try:
            page.service.accounts.remove(page.user, username)
        except InvalidInput as error:
            raise InvalidInput({"username": str(error)}) from error
        if is_own:
            page.cookies.forget(page.request)

    return ConfirmedAction(
        page,
        title="Delete your account?" if is_own else f"Delete {person.name}?",
        text="This can’t be undone.",
        consequences=(
            "The profile, all skills and all entries are deleted.",
            "Endorsements by and of this person are withdrawn, and teams lose a member.",
            "You are signed out everywhere." if is_own else "The person is signed out everywhere.",
        ),
        choice=ConfirmField(
            "username", "Username", "text", hint=f"Enter {person.username} to confirm."
        ),
        button="Delete account",
        back=_back(page, person),
        needs_password=True,
        model=UsernameForm,
        do=delete,
        to=page.urls.page("sign-in") if is_own else page.urls.page("admin", "people"),
        done="Your account is deleted." if is_own else f"{person.name} is deleted.",
    )


def _back(page: UserPageContext, person: User) -> str:
    """Return the URL of the account: one's own, or for administrators that of another."""
    if person.user_id == page.user.user_id or page.user.role is not Role.ADMIN:
        return page.urls.page("account")
    return page.urls.page("admin", "people", person.username.casefold())
