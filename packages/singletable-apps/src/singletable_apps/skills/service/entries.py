"""Entries of people: certificates, experience, education and projects.

The four kinds are declared in `entry_rules`; everything here works for each of them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from singletable import ConditionFailed, Page, retry_conflicts
from singletable_apps.shared.errors import Busy, InvalidInput, NotFound
from singletable_apps.shared.service import RevisionCheck, any_revision
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Entries, Project, ProjectStatus, Skill, User
from singletable_apps.skills.entry_rules import (
    MAX_ENTRIES,
    Entry,
    EntryDraft,
    EntryKind,
    check_author,
    check_entry,
)
from singletable_apps.skills.rules import is_key
from singletable_apps.skills.service.catalog import Part
from singletable_apps.skills.service.context import busy


class EntryService(Part):
    """Creates, changes, lists and deletes entries. People change their own only."""

    def list_all(self, username: str) -> Entries:
        """Return the entries of a person of all kinds, with one query; also if there are none."""
        return self._store.collect(Entries, patterns.entries_of_user(username))

    def list_kind(self, username: str, kind: EntryKind) -> list[Entry]:
        """Return the entries of a person of one kind, the latest first."""
        return self._list(self._context.get_user(username).username, kind)

    def get(self, username: str, kind: EntryKind, entry_id: str) -> Entry:
        """Return an entry, or raise NotFound."""
        entity: Any = kind.entity
        found: Entry | None = None
        if is_key(username) and is_key(entry_id):
            found = self._store.get(entity.key(username, entry_id), consistent=True)
        if found is None:
            raise NotFound(f"There is no such {kind.noun}. It may have been deleted.")
        return found

    def create(self, actor: User, username: str, kind: EntryKind, draft: EntryDraft) -> Entry:
        """Create an entry of one's own."""
        check_author(actor, username)
        values = self._check(kind, draft)
        if len(self._list(actor.username, kind)) >= MAX_ENTRIES:
            text = f"You have {MAX_ENTRIES} entries of this kind already. Delete one first."
            raise InvalidInput({next(iter(kind.lines)): text})
        entry_id = secrets.token_hex(6)
        values[kind.id_field] = entry_id
        try:
            with self._store.transaction(pattern=patterns.create_entry[kind.entity]) as transaction:
                # The account may be deleted or renamed right now.
                transaction.check(User.key(actor.username), User.user_id == actor.user_id)
                transaction.create(kind.entity(username=actor.username, **values))
        except ConditionFailed:
            raise Busy("This account is being changed right now. Try again.") from None
        return self.get(actor.username, kind, entry_id)

    @retry_conflicts(otherwise=busy("this entry"))
    def edit(
        self,
        actor: User,
        username: str,
        kind: EntryKind,
        entry_id: str,
        change: Callable[[EntryDraft], EntryDraft],
        check: RevisionCheck = any_revision,
    ) -> Entry:
        """Change an entry of one's own. `change` gets what was entered before."""
        check_author(actor, username)
        entity: Any = kind.entity
        before = self.get(username, kind, entry_id)
        check(before.revision)
        values = self._check(kind, change(kind.draft_of(before)))
        changed: Entry = self._store.update(
            entity.key(before.username, entry_id),
            *(getattr(entity, name).set(value) for name, value in values.items()),
            if_=entity.revision == before.revision,
        )
        return changed

    @retry_conflicts(otherwise=busy("this entry"))
    def delete(
        self,
        actor: User,
        username: str,
        kind: EntryKind,
        entry_id: str,
        check: RevisionCheck = any_revision,
    ) -> Entry:
        """Delete an entry of the caller, and return it."""
        check_author(actor, username)
        entity: Any = kind.entity
        before = self.get(username, kind, entry_id)
        check(before.revision)
        unchanged = entity.revision == before.revision
        self._store.delete(entity.key(before.username, entry_id), if_=unchanged)
        return before

    def list_projects(
        self, status: ProjectStatus, *, limit: int = 20, cursor: str | None = None
    ) -> Page[Project]:
        """Return a page of the projects of all people with a status, the latest first."""
        selection = patterns.projects_with_status(status)
        return self._store.page(selection, limit, cursor=cursor, reverse=True, hydrate=True)

    def skills_of(self, projects: Iterable[Project]) -> Mapping[str, Skill]:
        """Return the skills of projects by id; a deleted one is left out, a merged one found."""
        return self._catalog.find_many({each for one in projects for each in one.skill_ids})

    def _list(self, username: str, kind: EntryKind) -> list[Entry]:
        entity: Any = kind.entity
        return sort_entries(kind, [*self._store.query(entity.key.partition(username))])

    def _check(self, kind: EntryKind, draft: EntryDraft) -> dict[str, Any]:
        values = check_entry(kind, draft, self._context.today())
        if kind.entity is Project:
            found = self._catalog.find_many(draft.skills)
            unknown = [each for each in draft.skills if each not in found]
            if unknown:
                text = f"These are not in the catalog: {', '.join(unknown)[:200]}."
                raise InvalidInput({"skills": text})
            ids = (found[each].skill_id for each in draft.skills)
            values["skill_ids"] = list(dict.fromkeys(ids))
        return values


def sort_entries(kind: EntryKind, entries: Iterable[Entry]) -> list[Entry]:
    """Return entries by their first day, or by when they were created, the latest first."""
    first = next(iter(kind.days), "created_at")
    return sorted(entries, key=lambda one: getattr(one, first), reverse=True)
