"""Projects and experience: add, edit, reorder and delete the entries of the portfolio."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, cast
from uuid import uuid4

from fastapi import APIRouter, Depends, Response

from singletable_apps.portfolio.entities import Experience, Portfolio, Project
from singletable_apps.portfolio.pages.admin.editor import split_commas
from singletable_apps.portfolio.pages.admin.profile import portfolio_tabs
from singletable_apps.portfolio.pages.dependencies import OwnerPage, UserPageContext
from singletable_apps.portfolio.profile_rules import PortfolioEdits, format_period
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    ConfirmForm,
    Flash,
    Form,
    PostedForm,
    RevisionConflict,
    confirm,
)

router = APIRouter()
Entry: TypeAlias = Project | Experience
Change: TypeAlias = Callable[[list[Entry]], list[Entry]]
NEW = "new"
_MONTH = re.compile(r"(\d{4})-(\d{2})")


@dataclass(frozen=True)
class EntryKind:
    """Projects or experience: the field of the portfolio, its type, and the words for it.

    The form has a field for each field of the type. The service checks the values.
    """

    field: Literal["projects", "experience"]
    noun: str
    type: type[Entry]
    empty_title: str
    empty_text: str

    def entries(self, portfolio: Portfolio) -> list[Entry]:
        """Return the entries in their order."""
        return [*(portfolio.projects if self.field == "projects" else portfolio.experience)]

    def find(self, entries: Sequence[Entry], entry_id: str) -> int:
        """Return the place of an entry, or raise NotFound."""
        for place, entry in enumerate(entries):
            if entry.id == entry_id:
                return place
        raise NotFound(f"There is no such {self.noun}. It may have been deleted.")

    def get(self, portfolio: Portfolio, entry_id: str) -> Entry:
        """Return an entry, or raise NotFound."""
        entries = self.entries(portfolio)
        return entries[self.find(entries, entry_id)]

    def read(self, form: Form, entry_id: str) -> Entry:
        """Return the entry in a form, or raise InvalidInput."""
        values: dict[str, Any] = {"id": entry_id}
        errors: dict[str, str] = {}
        for name in (each.name for each in fields(self.type) if each.name != "id"):
            try:
                values[name] = _PARSERS.get(name, str)(form.value(name))
            except ValueError as error:
                errors[name] = str(error)
        if errors:
            raise InvalidInput(errors)
        return self.type(**values)


def _parse_month(text: str) -> date | None:
    """Return the first day of a month such as 2021-03, or None for an empty text."""
    if not text.strip():
        return None
    match = _MONTH.fullmatch(text.strip())
    try:
        return date(int(match[1]) if match else 0, int(match[2]) if match else 0, 1)
    except ValueError:
        raise ValueError("Enter a year and a month, such as 2021-03.") from None


# How fields that are not plain text are read, and written.
_PARSERS: Mapping[str, Callable[[str], object]] = {
    "technologies": split_commas,
    "start_date": _parse_month,
    "end_date": _parse_month,
}


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case date():
            return f"{value:%Y-%m}"
        case list():
            return ", ".join(cast(list[str], value))
        case _:
            return str(value)


KINDS = {
    "projects": EntryKind(
        "projects",
        "project",
        Project,
        "Show what you made",
        "Each project can have a picture, a link and its technologies.",
    ),
    "experience": EntryKind(
        "experience",
        "position",
        Experience,
        "Where have you worked?",
        "Positions are shown as a timeline, in your order.",
    ),
}


@dataclass(frozen=True)
class EntryPageContext(UserPageContext):
    """A request about the projects or the experience."""

    kind: EntryKind

    def url(self, *parts: str) -> str:
        """Return the URL of the list, of an entry, or of an action on it."""
        return self.urls.admin("portfolio", self.kind.field, *parts)

    def read(self) -> Portfolio:
        """Return the portfolio as it is now."""
        return self.service.profile.get_portfolio(consistent=True)

    def save(self, form: Form, change: Change) -> None:
        """Change the entries, if nobody else has changed the portfolio since the form was shown."""
        changes: dict[str, Any] = {self.kind.field: change(self.kind.entries(self.read()))}
        edits, check = PortfolioEdits(**changes), form.revision_check()
        self.service.profile.update_portfolio(self.user, edits, check)


def _entry_page(page: OwnerPage, kind: str) -> EntryPageContext:
    if kind not in KINDS:
        raise NotFound("There is no such page.")
    return EntryPageContext(page.request, page.user, KINDS[kind])


EntryPage = Annotated[EntryPageContext, Depends(_entry_page)]


@router.get("/admin/portfolio/{kind}")
def list_entries(page: EntryPage) -> Response:
    """List the projects or positions."""
    stored = page.read()
    return page.render(
        "admin/entries",
        heading=page.kind.field.capitalize(),
        tabs=portfolio_tabs(page, page.kind.field),
        kind=page.kind,
        revision=stored.revision,
        add_url=page.url(NEW),
        entries=[
            {
                "id": entry.id,
                "title": entry.title,
                "meta": _describe(entry),
                "image": entry.image_url if isinstance(entry, Project) else "",
                "url": page.url(entry.id),
            }
            for entry in page.kind.entries(stored)
        ],
    )


def _describe(entry: Entry) -> str:
    if isinstance(entry, Project):
        return ", ".join(entry.technologies)
    period = format_period(entry.start_date, entry.end_date)
    return " · ".join(part for part in (entry.company, period) if part)


@router.api_route("/admin/portfolio/{kind}/{entry_id}", methods=FORM_METHODS)
def edit_entry(page: EntryPage, entry_id: str, form: PostedForm) -> Response:
    """Change a project or position; `new` adds one at the top."""
    is_new, place = entry_id == NEW, 0

    def save(_: ConfirmForm) -> Response:
        entry = page.kind.read(form, uuid4().hex[:12] if is_new else entry_id)

        def change(entries: list[Entry]) -> list[Entry]:
            nonlocal place
            if is_new:
                return [entry, *entries]
            place = page.kind.find(entries, entry_id)
            entries[place] = entry
            return entries

        try:
            page.save(form, change)
        except InvalidInput as error:
            # The form has the fields of one entry, so their names need no place.
            prefix = f"{page.kind.field}/{place}/"
            named = {name.removeprefix(prefix): text for name, text in error.errors.items()}
            raise InvalidInput(named) from None
        return page.redirect(page.url(), f"Saved “{entry.title}”.")

    def initial() -> Form:
        stored = page.read()
        values = {} if is_new else vars(page.kind.get(stored, entry_id))
        shown = {name: _shown(value) for name, value in values.items()}
        return Form({**shown, "revision": stored.revision})

    return page.fill(form, initial, ConfirmForm, save, partial(_show_entry, page, entry_id))


def _show_entry(page: EntryPageContext, entry_id: str, form: Form, status: int = 200) -> Response:
    noun, is_new = page.kind.noun, entry_id == NEW
    return page.render(
        "admin/entry",
        status,
        heading=f"New {noun}" if is_new else form.value("title") or f"Edit {noun}",
        form=form,
        kind=page.kind,
        back=page.url(),
        action_url=page.url(entry_id),
        delete_url="" if is_new else page.url(entry_id, "delete"),
    )


@router.post("/admin/portfolio/{kind}/{entry_id}/move")
def move_entry(page: EntryPage, entry_id: str, form: PostedForm) -> Response:
    """Move an entry one place up or down, or to the place where it was dropped."""
    url = f"{page.url()}#entry-{entry_id}"

    def change(entries: list[Entry]) -> list[Entry]:
        place, to = page.kind.find(entries, entry_id), form.value("to")
        dropped = int(to) if to.isascii() and to.isdecimal() else place
        target = {"up": place - 1, "down": place + 1}.get(form.value("step"), dropped)
        entries.insert(max(0, target), entries.pop(place))
        return entries

    try:
        page.save(form, change)
    except RevisionConflict:
        text = "The list was changed meanwhile. This is the current order."
        return page.redirect(url, Flash(text, "warning"))
    return page.redirect(url)


@confirm(router, "/admin/portfolio/{kind}/{entry_id}/delete")
def delete_entry(page: EntryPage, entry_id: str) -> ConfirmedAction:
    """Delete an entry."""
    stored = page.read()
    return ConfirmedAction(
        page,
        title=f"Delete “{page.kind.get(stored, entry_id).title}”?",
        text=f"The {page.kind.noun} disappears from your site. You can’t undo this.",
        button=f"Delete the {page.kind.noun}",
        back=page.url(entry_id),
        revision=stored.revision,
        do=lambda form: page.save(
            form, lambda entries: [each for each in entries if each.id != entry_id]
        ),
        to=page.url(),
        done=f"Deleted the {page.kind.noun}.",
    )
