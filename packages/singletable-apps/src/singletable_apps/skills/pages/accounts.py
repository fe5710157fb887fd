"""The people of the directory, on pages of `shared`, and the settings of the directory."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Response
from pydantic import AfterValidator, BaseModel, Field

from singletable_apps.shared.accounts import Registration, Scope
from singletable_apps.shared.frame.people import (
    Column,
    MemberPage,
    PeopleSpec,
    RemovalText,
    RoleName,
)
from singletable_apps.shared.frame.people_pages import show_people
from singletable_apps.shared.pages import Form, ListQueryParameters, PostedForm
from singletable_apps.skills.pages.dependencies import AdminPage
from singletable_apps.skills.rules import ROLES

PEOPLE = PeopleSpec(
    roles=[RoleName(*words) for words in ROLES],
    removal=RemovalText((), ""),
    hints={
        "register": "Create an account to show what you know and to find others.",
        "register.name": "Everyone in the directory sees it.",
        "register.email": "Only you and your managers see it. It also resets your password.",
    },
    scopes={
        Scope.READ: "See whatever you may see.",
        Scope.MANAGE: "Change whatever you may change.",
    },
    columns=[Column("Department", lambda user: user.department)],
)

router = APIRouter(prefix="/admin/people")


# A text with a value in each line.
_Lines: TypeAlias = Annotated[
    list[str], AfterValidator(lambda texts: [line for text in texts for line in text.splitlines()])
]


class SettingsForm(BaseModel):
    """The settings of the directory."""

    name: str
    registration: Registration
    levels: _Lines = Field(default_factory=list)
    categories: _Lines = Field(default_factory=list)


@router.post("/settings")
def submit_settings(page: AdminPage, query: ListQueryParameters, form: PostedForm) -> Response:
    """Save the settings."""

    def act(values: SettingsForm) -> Response:
        page.service.people.edit_settings(
            page.user,
            values.name,
            values.registration,
            values.levels or None,
            values.categories or None,
            check=form.revision_check(),
        )
        return page.redirect(page.urls.page("admin", "people"), "Settings saved.")

    def show(form: Form, status: int) -> Response:
        accounts = MemberPage(page.request, page.user)
        return show_people(accounts, query, status=status, settings=form)

    return page.submit(form, SettingsForm, act, show)
