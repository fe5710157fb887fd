"""Entries of people: the sections of a person's page, their forms, and the list of projects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel

from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Form,
    Link,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.web import Day
from singletable_apps.skills.entities import Certification, Project, ProjectStatus, Skill
from singletable_apps.skills.entry_rules import (
    KINDS,
    Entry,
    EntryDraft,
    EntryKind,
    check_author,
    kind_named,
)
from singletable_apps.skills.pages.dependencies import Segment, UserPage, UserPageContext
from singletable_apps.skills.rules import is_same_user
from singletable_apps.skills.service.entries import sort_entries

router = APIRouter()
NEW = "new"


class EntryForm(BaseModel):
    """An entry. The service checks the values."""

    name: str = ""
    issuer: str = ""
    issued: Day | None = None
    expires_on: Day | None = None
    position: str = ""
    employer: str = ""
    degree: str = ""
    school: str = ""
    started: Day | None = None
    ended: Day | None = None
    description: str = ""
    link: str = ""
    status: ProjectStatus = ProjectStatus.ACTIVE
    skills: str = ""

    def draft(self) -> EntryDraft:
        """Return what was entered."""
        skills = [each.strip() for each in self.skills.split(",") if each.strip()]
        return replace(EntryDraft(**self.model_dump()), skills=skills)


@dataclass(frozen=True)
class EntryView:
    """An entry as it is shown."""

    heading: str
    at: str
    period: str
    description: str
    link: str
    badge: tuple[str, str]
    skills: list[Skill]
    url: str


@dataclass(frozen=True)
class EntrySection:
    """The entries of one kind on a person's page. `add_url` is empty on pages of others."""

    kind: EntryKind
    entries: list[EntryView]
    add_url: str


def entry_sections(page: UserPageContext, username: str) -> list[EntrySection]:
    """Return what `skills/entries.html` shows of a person."""
    found = page.service.entries.list_all(username)
    skills = page.service.entries.skills_of(found.projects)
    is_own = is_same_user(page.user.username, username)
    return [
        EntrySection(
            kind,
            [
                _view(page, kind, entry, skills, is_own)
                for entry in sort_entries(kind, getattr(found, kind.name))
            ],
            _url(page, username, kind, NEW) if is_own else "",
        )
        for kind in KINDS.values()
    ]


def _view(
    page: UserPageContext, kind: EntryKind, entry: Entry, skills: Mapping[str, Skill], is_own: bool
) -> EntryView:
    heading, *at = (getattr(entry, name) for name in kind.lines)
    days = [getattr(entry, name) for name in kind.days]
    today = page.service.context.today()
    found = entry.skill_ids if isinstance(entry, Project) else []
    return EntryView(
        heading,
        at[0] if at else "",
        _period(kind, *days) if days else "",
        getattr(entry, "description", ""),
        getattr(entry, "link", ""),
        _badge(entry, today),
        [skills[each] for each in found if each in skills],
        _url(page, entry.username, kind, kind.id_of(entry)) if is_own else "",
    )


def _period(kind: EntryKind, start: date, end: date | None) -> str:
    if kind.entity is Certification:
        return f"{start:%B %Y}" + (f", valid until {end:%B %Y}" if end else "")
    return f"{start:%B %Y} – {end:%B %Y}" if end else f"Since {start:%B %Y}"


def _badge(entry: Entry, today: date) -> tuple[str, str]:
    """Return the state and the text of the badge of an entry, or empty texts."""
    if isinstance(entry, Project):
        state = {ProjectStatus.PLANNED: "later", ProjectStatus.ACTIVE: "open"}
        return state.get(entry.status, "closed"), entry.status
    if isinstance(entry, Certification) and entry.expires_on and entry.expires_on < today:
        return "warning", "Expired"
    return "", ""


def _url(page: UserPageContext, username: str, kind: EntryKind, *parts: str) -> str:
    return page.urls.person(username, "entries", kind.name, *parts)


# ------------------------------------------------------------------------------ forms


@dataclass(frozen=True)
class EntryPageContext(UserPageContext):
    """A request about one's own entry of a kind; `entry_id` is `new` for a new one."""

    kind: EntryKind
    username: str
    entry_id: str

    @property
    def back(self) -> str:
        """Return the URL of the section on the person's page."""
        return f"{self.urls.person(self.username)}#{self.kind.name}"

    def url(self, *parts: str) -> str:
        """Return the URL of the entry, or of an action on it."""
        return _url(self, self.username, self.kind, self.entry_id, *parts)

    def entry(self) -> Entry:
        """Return the entry, or raise NotFound."""
        return self.service.entries.get(self.username, self.kind, self.entry_id)


def _entry_page(
    page: UserPage, username: Segment, kind: Segment, entry_id: Segment
) -> EntryPageContext:
    chosen = kind_named(kind)
    check_author(page.user, username)
    return EntryPageContext(page.request, page.user, chosen, username, entry_id)


EntryPage = Annotated[EntryPageContext, Depends(_entry_page)]
_PATH = "/people/{username}/entries/{kind}/{entry_id}"


def _initial_form(page: EntryPageContext) -> Form:
    if page.entry_id == NEW:
        return Form({"status": ProjectStatus.ACTIVE.value})
    entry = page.entry()
    draft = page.kind.draft_of(entry)
    found = page.service.entries.skills_of([entry] if isinstance(entry, Project) else [])
    names = [found[each].name for each in draft.skills if each in found]
    values = {name: "" if value is None else str(value) for name, value in vars(draft).items()}
    return Form({**values, "skills": ", ".join(names), "revision": entry.revision})


@router.api_route(_PATH, methods=FORM_METHODS)
def edit_entry(page: EntryPage, form: PostedForm) -> Response:
    """Change an entry; `new` creates one."""
    entries = page.service.entries

    def save(values: EntryForm) -> Response:
        if page.entry_id == NEW:
            entries.create(page.user, page.username, page.kind, values.draft())
        else:
            entries.edit(
                page.user,
                page.username,
                page.kind,
                page.entry_id,
                lambda _: values.draft(),
                form.revision_check(),
            )
        return page.redirect(page.back, f"Saved the {page.kind.noun}.")

    return page.fill(form, _initial_form(page), EntryForm, save, partial(_show_form, page))


def _show_form(page: EntryPageContext, form: Form, status: int = 200) -> Response:
    is_new, noun = page.entry_id == NEW, page.kind.noun
    skills = page.service.catalog.list_names() if page.kind.entity is Project else []
    return page.render(
        "entry",
        status,
        heading=f"New {noun}" if is_new else f"Edit {noun}",
        kind=page.kind,
        form=form,
        statuses=[(each.value, each.value) for each in ProjectStatus],
        skill_names=[each.name for each in skills],
        action_url=page.url(),
        delete_url="" if is_new else page.url("delete"),
        back=page.back,
    )


@confirm(router, f"{_PATH}/delete")
def delete_entry(page: EntryPage) -> ConfirmedAction:
    """Delete an entry."""
    entry, entries = page.entry(), page.service.entries
    return ConfirmedAction(
        page,
        title=f"Delete “{getattr(entry, next(iter(page.kind.lines)))}”?",
        text=f"The {page.kind.noun} disappears from your profile. You can’t undo this.",
        button=f"Delete the {page.kind.noun}",
        back=page.url(),
        revision=entry.revision,
        do=lambda form: entries.delete(
            page.user, page.username, page.kind, page.entry_id, form.revision_check()
        ),
        to=page.back,
        done=f"Deleted the {page.kind.noun}.",
    )


# ------------------------------------------------------------------------------ projects


@router.get("/projects")
def list_projects(
    page: UserPage,
    query: ListQueryParameters,
    status: Annotated[str, Query(max_length=20)] = ProjectStatus.ACTIVE.value,
) -> Response:
    """List the projects of all people with a status, the latest first."""
    chosen = next((each for each in ProjectStatus if each.value == status), ProjectStatus.ACTIVE)
    found = page.service.entries.list_projects(chosen, cursor=query.cursor)
    people = page.service.context.get_users(each.username for each in found.items)
    skills = page.service.entries.skills_of(found.items)
    return page.render(
        "projects",
        status=chosen,
        tabs=[
            Link(each.value, query.url(status=each.value), each is chosen) for each in ProjectStatus
        ],
        projects=query.page(found.items, found.cursor).map(
            lambda each: (
                _view(page, KINDS["projects"], each, skills, is_own=False),
                people.get(each.username.casefold()),
                each,
            )
        ),
    )
