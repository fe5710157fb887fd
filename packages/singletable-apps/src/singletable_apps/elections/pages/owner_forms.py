"""Small forms of owners and managers: copy an election, another question, managers, notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.pages.dependencies import ElectionPage, ElectionPageContext
from singletable_apps.elections.rules.elections import (
    check_edit_settings,
    check_manager,
    check_owner,
)
from singletable_apps.shared.pages import FORM_METHODS, Form, PostedForm, path_of

router = APIRouter()
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class SmallForm:
    """The texts of a form, and its fields: macro, name, label and hint."""

    title: str
    text: str
    button: str
    fields: tuple[tuple[str, str, str, str], ...]


def _fill(
    page: ElectionPageContext,
    form: Form,
    texts: SmallForm,
    model: type[M],
    act: Callable[[M], Response],
    **values: str,
) -> Response:
    def show(form: Form, status: int) -> Response:
        url = path_of(page.request)
        return page.render_tab("small_form", "settings", status, form=form, texts=texts, url=url)

    initial = Form({"revision": page.election.revision, **values})
    return page.fill(form, initial, model, act, show, field=texts.fields[0][1])


class NameForm(BaseModel):
    """The name of a new election, and whether it has the voters of another one."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    with_voters: bool = False


@router.api_route("/e/{name}/copy", methods=FORM_METHODS)
def copy_election(page: ElectionPage, form: PostedForm) -> Response:
    """Copy an election to a new one."""
    check_manager(page.user, page.election)

    def act(values: NameForm) -> Response:
        copied = page.service.lifecycle.copy(
            page.user, page.election.name, values.name, with_voters=values.with_voters
        )
        return page.redirect(page.urls.election(copied, "settings"), f"“{copied.name}” is created.")

    voters = ("checkbox", "with_voters", "With its voters", "They get new personal links.")
    fields = ("text", "name", "Name of the copy", ""), voters
    texts = SmallForm(
        f"Copy “{page.election.name}”",
        "The copy has the same texts, settings and candidates, but no dates and ballots.",
        "Copy",
        fields if page.election.voter_count else fields[:1],
    )
    return _fill(page, form, texts, NameForm, act)


@router.api_route("/e/{name}/questions", methods=FORM_METHODS)
def add_question(page: ElectionPage, form: PostedForm) -> Response:
    """Put another question on the ballot."""
    check_edit_settings(page.user, page.election)

    def act(values: NameForm) -> Response:
        first = page.first_question
        added = page.service.lifecycle.add_question(page.user, first.name, values.name)
        return page.redirect(
            page.urls.election(added, "settings"), f"“{added.name}” is on the ballot."
        )

    texts = SmallForm(
        "Another question on the same ballot",
        "Voters answer all questions one after the other, with one personal link. Each has its own "
        "candidates, counting, receipts and result. Voters, secrecy, dates, launch and close are "
        f"those of “{page.first_question.name}”.",
        "Add the question",
        (("text", "name", "Name of the question", "For example “Treasurer”, or “Budget 2027”."),),
    )
    return _fill(page, form, texts, NameForm, act)


class ManagersForm(BaseModel):
    """E-mail addresses or user names, one per line."""

    managers: Annotated[str, Field(max_length=5_000)] = ""


@router.api_route("/e/{name}/managers", methods=FORM_METHODS)
def edit_managers(page: ElectionPage, form: PostedForm) -> Response:
    """Choose who manages the election beside its owner."""
    check_owner(page.user, page.election)

    def act(values: ManagersForm) -> Response:
        people = [line.strip() for line in values.managers.splitlines() if line.strip()]
        page.service.lifecycle.set_managers(
            page.user, page.election.name, people, form.revision_check()
        )
        return page.redirect(page.url("settings"), "Managers saved.")

    texts = SmallForm(
        "Managers",
        "They can do everything that you can: edit, invite people, launch and close. Only you can "
        "delete the election, hand it over, or change this list.",
        "Save",
        (
            (
                "textarea",
                "managers",
                "People",
                "E-mail addresses or user names of people with accounts here, one per line.",
            ),
        ),
    )
    managers = "\n".join(list_managers(page))
    return _fill(page, form, texts, ManagersForm, act, managers=managers)


def list_managers(page: ElectionPageContext) -> list[str]:
    """Return the names of the managers whose accounts still exist."""
    read = page.service.context.read
    found = [read.find_user_by_id(int(each)) for each in page.election.managers]
    return [user.name for user in found if user is not None]


class NotesForm(BaseModel):
    """Notes."""

    notes: str = ""


@router.api_route("/e/{name}/notes", methods=FORM_METHODS)
def edit_notes(page: ElectionPage, form: PostedForm) -> Response:
    """Write notes that only the owner and the managers see."""
    check_manager(page.user, page.election)

    def act(values: NotesForm) -> Response:
        page.service.lifecycle.set_notes(page.user, page.election.name, values.notes)
        return page.redirect(page.url("settings"), "Notes saved.")

    texts = SmallForm(
        "Notes",
        "For you and the managers: who was asked, what was agreed. Voters never see them.",
        "Save",
        (("textarea", "notes", "Notes", "At most 4,000 characters."),),
    )
    return _fill(page, form, texts, NotesForm, act, notes=read_notes(page))


def read_notes(page: ElectionPageContext) -> str:
    """Return the notes on the election."""
    return page.service.context.book.record(page.election).notes
