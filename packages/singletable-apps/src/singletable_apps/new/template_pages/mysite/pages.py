"""The pages: the list of notes, the form of one, and its deletion."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from singletable_apps.shared.frame import Urls, UserPageContext
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.web import ItemId

from mysite.entities import Note, User
from mysite.service import NoteDraft, Service

router = APIRouter()


# A request of someone who is signed in.
Context = UserPageContext[Service, Urls, User]
UserPage = Annotated[Context, Depends(Context.signed_in)]


@router.get("")
def list_notes(page: UserPage, query: ListQueryParameters) -> Response:
    """List the notes, the newest first, or those with the words of a search."""
    notes = query.apply(
        page.service.notes.all(page.user),
        text=lambda note: f"{note.title} {note.text}",
        columns={
            "title": lambda note: note.title.casefold(),
            "changed": lambda note: note.updated_at,
        },
        limit=20,
    )
    return page.render("notes", notes=notes)


@router.api_route("/new", methods=FORM_METHODS)
def create_note(page: UserPage, form: PostedForm) -> Response:
    """Create a note."""
    return _fill(page, form, None)


@router.api_route("/notes/{note_id}", methods=FORM_METHODS)
def edit_note(page: UserPage, note_id: ItemId, form: PostedForm) -> Response:
    """Show a note, and change it."""
    return _fill(page, form, page.service.notes.get(page.user, note_id))


def _fill(page: Context, form: Form, note: Note | None) -> Response:
    notes = page.service.notes

    def act(draft: NoteDraft) -> Response:
        if note is None:
            notes.create(page.user, draft)
        else:
            notes.edit(page.user, note.note_id, draft, form.revision_check())
        return page.redirect(page.urls.page(), f"Saved “{draft.title}”.")

    def show(form: Form, status: int) -> Response:
        return page.render("note", status, form=form, note=note)

    initial = Form.of(NoteDraft, note, revision=note.revision if note else None)
    return page.fill(form, initial, NoteDraft, act, show)


@confirm(router, "/notes/{note_id}/delete")
def delete_note(page: UserPage, note_id: ItemId) -> ConfirmedAction:
    """Delete a note."""
    notes = page.service.notes
    note = notes.get(page.user, note_id)
    return ConfirmedAction(
        page,
        title=f"Delete “{note.title}”?",
        text="This cannot be undone.",
        button="Delete the note",
        back=page.urls.page("notes", note_id),
        revision=note.revision,
        do=lambda form: notes.delete(page.user, note_id, form.revision_check()),
        to=page.urls.page(),
        done=f"Deleted “{note.title}”.",
    )
