"""The service: accounts, and the notes of each of them. Pages and API call it."""

from __future__ import annotations

import secrets
from typing import Annotated

from singletable import Page, Store, evolve, key_of, retry_conflicts
from singletable_apps.shared.accounts import AccountsContext, UsernameAccounts
from singletable_apps.shared.errors import Busy, NotFound
from singletable_apps.shared.service import RevisionCheck, any_revision, utc_now
from singletable_apps.shared.web import Model, line, paragraphs

from mysite import patterns
from mysite.entities import Note, User


class NoteDraft(Model):
    """What people write: a form of the pages, and a body of the API."""

    title: Annotated[str, line(longest=100, required=True)]
    text: Annotated[str, paragraphs(longest=10_000)] = ""


def _busy() -> Busy:
    return Busy("Someone else is changing this note right now. Try again.")


class Notes:
    """The notes of a user. An edit fails if `check` rejects the current revision."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self, user: User) -> list[Note]:
        """Return all notes, the newest first."""
        selected = patterns.notes_of_user(user.user_id)
        return list(self._store.query(selected, reverse=True))

    def page(self, user: User, limit: int, cursor: str | None) -> Page[Note]:
        """Return some notes, the newest first."""
        selected = patterns.notes_of_user(user.user_id)
        return self._store.page(selected, limit, cursor=cursor, reverse=True)

    def get(self, user: User, note_id: str) -> Note:
        """Return a note, or raise NotFound."""
        note = self._store.run(patterns.notes.get, user.user_id, note_id)
        if note is None:
            raise NotFound("There is no such note. It may have been deleted.")
        return note

    def create(self, user: User, draft: NoteDraft) -> Note:
        """Create a note."""
        note_id = f"{utc_now():%Y%m%d%H%M%S%f}-{secrets.token_hex(4)}"
        note = Note(user_id=user.user_id, note_id=note_id, **draft.model_dump())
        return self._store.create(note)

    @retry_conflicts(otherwise=_busy)
    def edit(
        self,
        user: User,
        note_id: str,
        draft: NoteDraft,
        check: RevisionCheck = any_revision,
    ) -> Note:
        """Change a note."""
        note = self.get(user, note_id)
        check(note.revision)
        return self._store.replace(evolve(note, **draft.model_dump()))

    @retry_conflicts(otherwise=_busy)
    def delete(
        self, user: User, note_id: str, check: RevisionCheck = any_revision
    ) -> None:
        """Delete a note."""
        note = self.get(user, note_id)
        check(note.revision)
        unchanged = Note.revision == note.revision
        self._store.delete(Note.key(user.user_id, note_id), if_=unchanged)


class Accounts(UsernameAccounts[User]):
    """The accounts."""

    issuer, entity = "mysite", User

    def delete_data(self, user: User) -> None:
        """Delete the notes of a removed person."""
        for note in self._store.query(patterns.notes_of_user(user.user_id)):
            self._store.delete(key_of(note))


class Service:
    """What the pages, the API and the commands use."""

    def __init__(self, context: AccountsContext) -> None:
        self.context = context
        self.accounts = Accounts(context)
        self.notes = Notes(context.store)
