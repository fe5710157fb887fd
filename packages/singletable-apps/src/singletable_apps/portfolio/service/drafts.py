"""Drafts of editors: what authors type is kept on the server before they save it.

A draft belongs to the place where it is typed, so that two authors of a post notice each other. In
an editor of something new, everyone has a draft of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from singletable import ConditionFailed, retry_conflicts
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import EditorDraft, User
from singletable_apps.portfolio.rules import MAX_MARKDOWN_BYTES
from singletable_apps.portfolio.service.context import Context
from singletable_apps.shared.errors import Busy, InvalidInput
from singletable_apps.shared.service import RevisionCheck

LIFETIME = timedelta(days=30)
# The longest text, and the other fields.
MAX_BYTES = MAX_MARKDOWN_BYTES + 20_000


class DraftService:
    """Keeps drafts. Callers check that the actor may edit the place."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def find(self, actor: User, place: str) -> EditorDraft | None:
        """Return what was typed in an editor and not saved, or None."""
        return self._context.store.run(patterns.draft, _key(actor, place))

    @retry_conflicts(otherwise=lambda: Busy("Someone else is writing here right now. Try again."))
    def keep(
        self, actor: User, place: str, fields: Mapping[str, str], check: RevisionCheck
    ) -> EditorDraft:
        """Replace the draft. `check` is called with its revision, 0 for a new draft."""
        size = sum(len(text.encode(errors="replace")) for each in fields.items() for text in each)
        if size > MAX_BYTES:
            raise InvalidInput({"markdown": f"A draft can have {MAX_BYTES:,} bytes."})
        found, now = self.find(actor, place), self._context.clock()
        revision = found.revision if found else 0
        check(revision)
        key, ends = _key(actor, place), now + LIFETIME
        draft = EditorDraft(
            place=key, fields=dict(fields), name=actor.name, saved_at=now, ends=ends
        )
        draft.revision = revision
        return self._context.store.put(draft)

    def discard(self, actor: User, place: str, revision: str) -> None:
        """Delete the draft if it still has this revision."""
        found = self.find(actor, place)
        if found is not None and str(found.revision) == revision:
            is_same = EditorDraft.revision == found.revision
            with suppress(ConditionFailed):
                self._context.store.delete(EditorDraft.key(found.place), if_=is_same)


def _key(actor: User, place: str) -> str:
    return f"{place}/{actor.user_id}" if place.endswith("/new") else place
