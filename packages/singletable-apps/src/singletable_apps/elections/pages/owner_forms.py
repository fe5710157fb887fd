"""Small forms of owners and managers: copy an election, another question, managers, notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.pages.dependencies import ElectionPage, ElectionPageContext
from singletable_apps.elections.roles import (
    ROLE_DESCRIPTIONS,
    ROLE_NAMES,
    ROLES,
    Permission,
    has_permission,
)
from singletable_apps.elections.rules.elections import (
    check_edit_settings,
    check_manager,
    check_owner,
)
from singletable_apps.elections.service.lifecycle import ElectionEdit
from singletable_apps.shared.pages import FORM_METHODS, Form, PostedForm

router = APIRouter()
M = TypeVar("M", bound=BaseModel)


def _fill(
    page: ElectionPageContext,
    form: Form,
    part: str,
    model: type[M],
    act: Callable[[M], Response],
    **values: str,
) -> Response:
    """Show or submit a form. Its texts are in the template, by the last part of its path."""

    def show(form: Form, status: int) -> Response:
        return page.render_tab(
            "small_form",
            "settings",
            status,
            form=form,
            part=part,
            first=page.first_question,
            roles=[(ROLE_NAMES[role], ROLE_DESCRIPTIONS[role]) for role in ROLES[1:-1]],
            can_change_roles=has_permission(page.user.role, Permission.MANAGE_USERS),
        )

    initial = Form({"revision": page.election.revision, **values})
    return page.fill(form, initial, model, act, show, field=next(iter(model.model_fields)))


class NameForm(BaseModel):
    """The name of a new election or question; for a copy, whether it has the same voters.

    `ballot_name` is the name of the ballot that a question is put on.
    """

    name: Annotated[str, Field(min_length=1, max_length=200)]
    with_voters: bool = False
    ballot_name: Annotated[str, Field(max_length=200)] = ""


@router.api_route("/e/{name}/copy", methods=FORM_METHODS)
def copy_election(page: ElectionPage, form: PostedForm) -> Response:
    """Copy an election to a new one."""
    check_manager(page.user, page.election)

    def act(values: NameForm) -> Response:
        copied = page.service.lifecycle.copy(
            page.user, page.election.name, values.name, with_voters=values.with_voters
        )
        return page.redirect(page.urls.election(copied, "settings"), f"“{copied.name}” is created.")

    return _fill(page, form, "copy", NameForm, act)


@router.api_route("/e/{name}/questions", methods=FORM_METHODS)
def add_question(page: ElectionPage, form: PostedForm) -> Response:
    """Put another question on the ballot."""
    check_edit_settings(page.user, page.election)

    def act(values: NameForm) -> Response:
        first, lifecycle = page.first_question.name, page.service.lifecycle
        lifecycle.edit(page.user, first, ElectionEdit(ballot_name=values.ballot_name))
        added = lifecycle.add_question(page.user, first, values.name)
        url = page.urls.election(added, "settings")
        return page.redirect(url, f"“{added.name}” is on the ballot.")

    name = page.first_question.ballot_name
    return _fill(page, form, "questions", NameForm, act, ballot_name=name)


class ManagersForm(BaseModel):
    """E-mail addresses or user names, one per line."""

    managers: Annotated[str, Field(max_length=5_000)] = ""


@router.api_route("/e/{name}/managers", methods=FORM_METHODS)
def edit_managers(page: ElectionPage, form: PostedForm) -> Response:
    """Choose who manages the election beside its owner."""
    check_owner(page.user, page.election)

    def act(values: ManagersForm) -> Response:
        people, check = values.managers.split("\n"), form.revision_check()
        named = [each.strip() for each in people if each.strip()]
        page.service.lifecycle.set_managers(page.user, page.election.name, named, check)
        return page.redirect(page.url("settings"), "Managers saved.")

    managers = "\n".join(list_managers(page))
    return _fill(page, form, "managers", ManagersForm, act, managers=managers)


def list_managers(page: ElectionPageContext) -> list[str]:
    """Return the names of the managers whose accounts still exist."""
    read = page.service.context.read
    found = [read.find_user_by_id(int(each)) for each in page.election.managers]
    return [user.name for user in found if user is not None]


class NotesForm(BaseModel):
    """Notes for the owner and the managers."""

    notes: str = ""


@router.api_route("/e/{name}/notes", methods=FORM_METHODS)
def edit_notes(page: ElectionPage, form: PostedForm) -> Response:
    """Write notes that only the owner and the managers see."""
    check_manager(page.user, page.election)

    def act(values: NotesForm) -> Response:
        page.service.lifecycle.set_notes(page.user, page.election.name, values.notes)
        return page.redirect(page.url("settings"), "Notes saved.")

    return _fill(page, form, "notes", NotesForm, act, notes=read_notes(page))


def read_notes(page: ElectionPageContext) -> str:
    """Return the notes on the election."""
    return page.service.context.book.record(page.election).notes
