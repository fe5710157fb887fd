"""Entries of people: the sections of a person's page, their forms, and the list of projects."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, BeforeValidator, create_model

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
from singletable_apps.skills import entry_rules
from singletable_apps.skills.entities import Project, ProjectStatus
from singletable_apps.skills.pages.dependencies import Segment, UserPage, UserPageContext
from singletable_apps.skills.service.entries import sort_entries

router = APIRouter()
NEW = "new"


# The fields of a draft, with the names of skills separated by commas. Some days are months.
_DAY: Any = Annotated[
    Day, BeforeValidator(lambda text: f"{text}-01" if len(text) == len("2026-01") else text)
]
_FIELDS: dict[str, Any] = {
    each.name: (_DAY | None if each.default is None else type(each.default), each.default)
    for each in fields(entry_rules.EntryDraft)
    if each.name != "skills"
}
EntryForm: type[BaseModel] = create_model("EntryForm", skills=(str, ""), **_FIELDS)


def entry_sections(page: UserPageContext, username: str) -> dict[str, object]:
    """Return what `skills/entries.html` shows of a person: entries by kind, and their skills."""
    found = page.service.entries.list_all(username)

    def show(
        kind: entry_rules.EntryKind, entry: entry_rules.Entry
    ) -> tuple[entry_rules.Entry, list[Any], list[Any]]:
        lines, days = (
            [getattr(entry, name) for name in names] for names in (kind.lines, kind.days)
        )
        return entry, lines, days

    return {
        "sections": [
            (kind, [show(kind, each) for each in sort_entries(kind, getattr(found, kind.name))])
            for kind in entry_rules.KINDS.values()
        ],
        "entry_skills": page.service.entries.skills_of(found.projects),
        "today": page.service.context.today(),
    }


@dataclass(frozen=True)
class EntryPageContext(UserPageContext):
    """A request about one's own entry of a kind; `entry_id` is `new` for a new one."""

    kind: entry_rules.EntryKind
    username: str
    entry_id: str

    @property
    def back(self) -> str:
        """Return the URL of the section on the person's page."""
        return f"{self.urls.person(self.username)}#{self.kind.name}"

    def url(self, *parts: str) -> str:
        """Return the URL of the entry, or of an action on it."""
        kind = ("entries", self.kind.name, self.entry_id)
        return self.urls.person(self.username, *kind, *parts)

    def entry(self) -> entry_rules.Entry:
        """Return the entry, or raise NotFound."""
        return self.service.entries.get(self.username, self.kind, self.entry_id)


def _entry_page(
    page: UserPage, username: Segment, kind: Segment, entry_id: Segment
) -> EntryPageContext:
    chosen = entry_rules.kind_named(kind)
    entry_rules.check_author(page.user, username)
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
    values |= {name: values[name][: len("2026-01")] for name in ("started", "ended")}
    return Form({**values, "skills": ", ".join(names), "revision": entry.revision})


@router.api_route(_PATH, methods=FORM_METHODS)
def edit_entry(page: EntryPage, form: PostedForm) -> Response:
    """Change an entry; `new` creates one."""
    entries = page.service.entries

    def save(values: BaseModel) -> Response:
        draft = entry_rules.EntryDraft(**values.model_dump())
        names = [each.strip() for each in form.value("skills").split(",")]
        draft = replace(draft, skills=[*filter(None, names)])
        if page.entry_id == NEW:
            entries.create(page.user, page.username, page.kind, draft)
        else:
            entries.edit(
                page.user,
                page.username,
                page.kind,
                page.entry_id,
                lambda _: draft,
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


@router.get("/projects")
def list_projects(
    page: UserPage,
    query: ListQueryParameters,
    status: Annotated[str, Query(max_length=20)] = ProjectStatus.ACTIVE.value,
) -> Response:
    """List the projects of all people with a status, the latest first."""
    chosen = next((each for each in ProjectStatus if each.value == status), ProjectStatus.ACTIVE)
    found = page.service.entries.list_projects(chosen, cursor=query.cursor)
    return page.render(
        "projects",
        status=chosen,
        tabs=[
            Link(each.value, query.url(status=each.value), each is chosen) for each in ProjectStatus
        ],
        projects=query.page(found.items, found.cursor),
        people=page.service.context.get_users(each.username for each in found.items),
        skills=page.service.entries.skills_of(found.items),
    )
