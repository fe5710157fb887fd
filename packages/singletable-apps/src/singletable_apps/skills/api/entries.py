"""Certificates, experience, education and projects of people, and the projects of everyone."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypeAlias

from fastapi import Path, Query
from starlette.convertors import StringConvertor, register_url_convertor

from singletable_apps.shared.frame.people_api import Message
from singletable_apps.shared.web import (
    NOT_FOUND,
    SIGNED_IN,
    Headers,
    IfMatchIfAny,
    Page,
    Pagination,
    api_router,
)
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import Actor, Service, Username
from singletable_apps.skills.api.schemas import EntryBody
from singletable_apps.skills.entities import Project, ProjectStatus
from singletable_apps.skills.entry_rules import KINDS, Entry, EntryDraft, EntryKind, KindName


class _KindConvertor(StringConvertor):
    """Matches the kinds only, so that other paths of people do not answer for entries."""

    regex = "|".join(KINDS)


register_url_convertor("entries", _KindConvertor())
router = api_router("entries", NOT_FOUND, *SIGNED_IN)
EntryId: TypeAlias = Annotated[str, Path(description="The id of an entry.")]
Kind: TypeAlias = Annotated[KindName, Path(description="The kind of entry.")]
_STATUS = Query(description="Only projects with this status.")


@router.get("/projects", response_model_exclude_unset=True)
def list_projects(
    service: Service,
    actor: Actor,
    page: Pagination,
    status: Annotated[ProjectStatus, _STATUS] = ProjectStatus.ACTIVE,
) -> Page[EntryBody]:
    """List the projects of all people with a status, the latest first."""
    found = service.entries.list_projects(status, limit=page.limit, cursor=page.cursor)
    return page.answer([_body(KINDS["projects"], each) for each in found.items], found.cursor)


@router.get("/users/{username}/{kind:entries}", response_model_exclude_unset=True)
def list_entries(username: Username, kind: Kind, service: Service, actor: Actor) -> list[EntryBody]:
    """List the entries of a person, the latest first."""
    found = service.entries.list_kind(username, KINDS[kind])
    return [_body(KINDS[kind], each) for each in found]


@router.post("/users/{username}/{kind:entries}", status_code=201, response_model_exclude_unset=True)
def create_entry(
    username: Username,
    kind: Kind,
    new: schemas.NewEntry,
    headers: Headers,
    service: Service,
    actor: Actor,
) -> EntryBody:
    """Create an entry of your own."""
    draft = EntryDraft(**new.model_dump())
    created = _body(KINDS[kind], service.entries.create(actor, username, KINDS[kind], draft))
    path = {"username": created.username, "kind": kind, "entry_id": created.id}
    headers.created(1, "read_entry", **path)
    return created


@router.get("/users/{username}/{kind:entries}/{entry_id}", response_model_exclude_unset=True)
def read_entry(
    username: Username,
    kind: Kind,
    entry_id: EntryId,
    headers: Headers,
    service: Service,
    actor: Actor,
) -> EntryBody:
    """Return an entry of a person."""
    found = service.entries.get(username, KINDS[kind], entry_id)
    headers.read(found.revision)
    return _body(KINDS[kind], found)


@router.put("/users/{username}/{kind:entries}/{entry_id}", response_model_exclude_unset=True)
def edit_entry(
    username: Username,
    kind: Kind,
    entry_id: EntryId,
    changes: schemas.EntryChanges,
    service: Service,
    actor: Actor,
    edit: IfMatchIfAny,
) -> EntryBody:
    """Change some fields of an entry of your own."""
    sent = changes.sent()
    changed = service.entries.edit(
        actor, username, KINDS[kind], entry_id, lambda draft: replace(draft, **sent), edit.check
    )
    edit.answer(changed.revision)
    return _body(KINDS[kind], changed)


@router.delete("/users/{username}/{kind:entries}/{entry_id}")
def delete_entry(
    username: Username,
    kind: Kind,
    entry_id: EntryId,
    service: Service,
    actor: Actor,
    edit: IfMatchIfAny,
) -> Message:
    """Delete an entry of your own."""
    service.entries.delete(actor, username, KINDS[kind], entry_id, edit.check)
    return Message(message="Entry deleted successfully")


def _body(kind: EntryKind, entry: Entry) -> EntryBody:
    skills = {"skills": entry.skill_ids} if isinstance(entry, Project) else {}
    return EntryBody.from_object(entry, id=kind.id_of(entry), **skills)
