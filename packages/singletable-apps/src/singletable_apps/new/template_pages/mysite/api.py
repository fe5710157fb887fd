"""The API: list, read, create, change and delete notes, under /api/mysite."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from singletable_apps.shared import web
from singletable_apps.shared.frame import current_service, signed_in_user

from mysite.entities import Note, User
from mysite.service import NoteDraft, Service

App = Annotated[Service, Depends(current_service)]
Actor = Annotated[User, Depends(signed_in_user)]
MAY_BE_MISSING = web.responses(web.NOT_FOUND)
router = web.api_router("notes", web.NOT_SIGNED_IN, web.TOO_MANY_REQUESTS)


class NoteBody(web.Document, of=Note, omit="user_id"):
    """A note."""


@router.get("/notes")
def list_notes(app: App, actor: Actor, page: web.Pagination) -> web.Page[NoteBody]:
    """List your notes, the newest first."""
    found = app.notes.page(actor, page.limit, page.cursor)
    items = [NoteBody.from_object(note) for note in found.items]
    return page.answer(items, found.cursor)


@router.post("/notes", status_code=201)
def create_note(
    draft: NoteDraft, app: App, actor: Actor, headers: web.Headers
) -> NoteBody:
    """Create a note."""
    note = app.notes.create(actor, draft)
    headers.created(note.revision, "read_note", note_id=note.note_id)
    return NoteBody.from_object(note)


@router.get("/notes/{note_id}", responses=MAY_BE_MISSING)
def read_note(
    note_id: web.ItemId, app: App, actor: Actor, look: web.IfNoneMatch
) -> NoteBody:
    """Return a note."""
    note = app.notes.get(actor, note_id)
    look.answer(note.revision)
    return NoteBody.from_object(note)


@router.put("/notes/{note_id}", responses=MAY_BE_MISSING)
def change_note(
    note_id: web.ItemId, draft: NoteDraft, app: App, actor: Actor, edit: web.IfMatch
) -> NoteBody:
    """Change a note."""
    note = app.notes.edit(actor, note_id, draft, edit.check)
    edit.answer(note.revision)
    return NoteBody.from_object(note)


@router.delete("/notes/{note_id}", status_code=204, responses=MAY_BE_MISSING)
def delete_note(note_id: web.ItemId, app: App, actor: Actor, edit: web.IfMatch) -> None:
    """Delete a note."""
    app.notes.delete(actor, note_id, edit.check)
