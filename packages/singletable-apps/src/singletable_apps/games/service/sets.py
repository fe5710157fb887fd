"""Question sets: create, save, share, restore and delete them, and load one for a game.

A save stores the questions of a new version under an attempt of its own, and then
makes them visible with one transaction on the set. So a reader sees a whole version; an interrupted
save changes nothing, and the next one deletes what it left.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from singletable import AlreadyExists as ItemExists
from singletable import ConditionFailed, Page, SingleTableError, evolve, key_of, retry_conflicts
from singletable_apps.games import patterns
from singletable_apps.games.entities import QuestionSet, SetQuestion, SetVersion
from singletable_apps.games.errors import AlreadyExists, Busy, InvalidInput, NotFound
from singletable_apps.games.kinds import check_set
from singletable_apps.games.questions import SetDraft, Visibility
from singletable_apps.games.service.context import Context, is_id
from singletable_apps.games.tokens import new_id
from singletable_apps.shared.service import RevisionCheck, any_revision, check_found
from singletable_apps.shared.text import clean_filename

# The administrator, among the ids of hosts, who have random ones.
ADMIN = "admin"
KEPT_VERSIONS = 20
# The fields of a draft that versions have as they are.
_VERSIONED = ("name", "description", "type", "instruction", "ai_instruction")
_BUSY = "Someone else is changing this set right now. Try again."
_retry = retry_conflicts(otherwise=lambda: Busy(_BUSY))


class LoadedSet(NamedTuple):
    """A set with all its questions, of one version."""

    item: QuestionSet
    draft: SetDraft


class _VersionDeleted(Exception):
    """Many newer versions were saved since the set was read, or the set is being deleted."""


class Sets:
    """The question sets of all hosts. An actor is the id of a host, or ADMIN."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store

    # -------------------------------------------------------------------------- read

    def list_own(self, actor: str) -> list[QuestionSet]:
        """Return the sets of a host, by name."""
        found = list(self._store.run(patterns.sets_of_host, actor))
        for each in found:
            if each.is_deleting:
                # The process stopped while it deleted this set.
                self._finish_delete(each)
        return [each for each in found if not each.is_deleting]

    def list_shared(self) -> list[QuestionSet]:
        """Return the active sets that every host can play, by name."""
        return list(self._store.run(patterns.shared_sets))

    def list_playable(self, actor: str) -> list[QuestionSet]:
        """Return the sets that a host can choose for a game: own ones first, then shared ones."""
        own = [each for each in self.list_own(actor) if each.is_active]
        shared = [each for each in self.list_shared() if each.created_by != actor]
        return [each for each in (*own, *shared) if each.total_questions]

    def list_all(
        self, actor: str, limit: int = 100, cursor: str | None = None
    ) -> Page[QuestionSet]:
        """Return a page of all sets, for the administrator; for others, their own."""
        query = patterns.all_sets() if actor == ADMIN else patterns.sets_of_host(actor)
        return self._store.page(query, limit, cursor=cursor)

    def get(self, set_id: str, actor: str) -> QuestionSet:
        """Return a set that the actor may see, or raise NotFound."""
        found = self._store.run(patterns.question_set.get, set_id) if is_id(set_id) else None
        if found and (
            found.is_deleting or (found.visibility is Visibility.PRIVATE and not owns(actor, found))
        ):
            found = None
        return check_found(found, "There is no such question set.")

    def get_own(self, set_id: str, actor: str) -> QuestionSet:
        """Return a set that the actor may change, or raise NotFound."""
        return _check_own(actor, self.get(set_id, actor))

    @retry_conflicts(also=[_VersionDeleted], otherwise=lambda: Busy(_BUSY))
    def load(self, set_id: str, actor: str) -> LoadedSet:
        """Return a set with its questions, all of the same version, or raise NotFound."""
        item = self.get(set_id, actor)
        if not item.set_version:
            return LoadedSet(item, SetDraft(item.name, item.description, item.type))
        draft = self._load_version(item, item.set_version)
        if draft is None:
            raise _VersionDeleted
        return LoadedSet(item, draft)

    def load_own(self, set_id: str, actor: str) -> LoadedSet:
        """Return a set with its questions if the actor may change it, or raise NotFound."""
        loaded = self.load(set_id, actor)
        _check_own(actor, loaded.item)
        return loaded

    def load_for_game(self, set_id: str, actor: str) -> LoadedSet:
        """Return a set to play, or raise InvalidInput if it is inactive or has no questions."""
        try:
            loaded = self.load(set_id, actor)
        except NotFound as error:
            raise InvalidInput({"set_id": "Choose a question set."}) from error
        if not loaded.item.is_active:
            raise InvalidInput({"set_id": "This set is not active. Activate it, or use another."})
        if not loaded.draft.questions:
            raise InvalidInput({"set_id": "This set has no questions yet."})
        return loaded

    def list_versions(self, set_id: str, actor: str) -> tuple[QuestionSet, list[SetVersion]]:
        """Return a set and its versions that can be restored, newest first."""
        item = self.get_own(set_id, actor)
        return item, list(self._store.query(patterns.set_versions(set_id), reverse=True))

    def load_version(self, set_id: str, version: int, actor: str) -> SetDraft:
        """Return an old version of a set, or raise NotFound."""
        item = self.get_own(set_id, actor)
        draft = self._load_version(item, version) if 0 < version < 9_999 else None
        return check_found(draft, f"Only the last {KEPT_VERSIONS} versions are kept.")

    def _load_version(self, item: QuestionSet, number: int) -> SetDraft | None:
        """Return a version, or None if it or some of its questions have been deleted."""
        version = self._store.run(patterns.set_version, item.set_id, number)
        if version is None:
            return None
        found = self._store.run(patterns.set_questions, item.set_id, number, version.attempt)
        questions = sorted(found, key=lambda each: each.number)
        if len(questions) < version.total_questions:
            return None
        return SetDraft(
            **{name: getattr(version, name) for name in _VERSIONED},
            categories=version.categories,
            questions=tuple(each.content for each in questions),
            visibility=item.visibility,
            is_active=item.is_active,
        )

    # -------------------------------------------------------------------------- write

    def create(self, actor: str, draft: SetDraft, source_file: str = "") -> QuestionSet:
        """Create a set. An interrupted call leaves a set without questions, or none."""
        checked = check_set(draft)
        item = QuestionSet(
            set_id=new_id(),
            name=checked.name,
            description=checked.description,
            type=checked.type,
            created_by=actor,
            is_active=checked.is_active,
            visibility=checked.visibility,
            source_file=clean_filename(source_file),
        )
        try:
            item = self._store.create(item)
        except ItemExists as error:
            raise _name_taken(checked.name) from error
        return self._save(item, checked)

    def save(
        self, actor: str, set_id: str, draft: SetDraft, check: RevisionCheck = any_revision
    ) -> QuestionSet:
        """Save a whole set as its next version."""
        return self.change(actor, set_id, lambda _: draft, check)

    @_retry
    def change(
        self,
        actor: str,
        set_id: str,
        edit: Callable[[SetDraft], SetDraft],
        check: RevisionCheck = any_revision,
    ) -> QuestionSet:
        """Save what a function returns for the current content, as the next version.

        If someone else saves at the same time, the function is called again with their version,
        unless `check` does not accept it.
        """
        item, before = self.load_own(set_id, actor)
        check(item.revision)
        after = check_set(edit(before))
        return item if after == before and item.set_version else self._save(item, after)

    def restore(
        self, actor: str, set_id: str, version: int, check: RevisionCheck = any_revision
    ) -> QuestionSet:
        """Save an old version again, as the newest one."""
        return self.save(actor, set_id, self.load_version(set_id, version, actor), check)

    def toggle(self, actor: str, set_id: str, is_active: bool) -> QuestionSet:
        """Activate a set or not; this is not a new version."""
        return self._edit(actor, set_id, any_revision, is_active=is_active)

    def copy(self, actor: str, draft: SetDraft) -> QuestionSet:
        """Create a private set from a template or a set of someone else, with a free name."""
        for number in range(100):
            suffix = ("", " (copy)")[number] if number < 2 else f" (copy {number})"
            name = f"{draft.name[: 100 - len(suffix)]}{suffix}"
            with suppress(AlreadyExists):
                private = replace(draft, name=name, visibility=Visibility.PRIVATE, is_active=True)
                return self.create(actor, private)
        raise _name_taken(draft.name)

    def delete(self, actor: str, set_id: str, check: RevisionCheck = any_revision) -> None:
        """Delete a set with all its versions. Games that play it keep their questions."""
        hidden = {"is_active": False, "visibility": Visibility.PRIVATE}
        self._finish_delete(self._edit(actor, set_id, check, is_deleting=True, **hidden))

    @_retry
    def _edit(self, actor: str, set_id: str, check: RevisionCheck, **fields: object) -> QuestionSet:
        item = self.get_own(set_id, actor)
        check(item.revision)
        return self._store.put(evolve(item, **fields))

    def _save(self, before: QuestionSet, draft: SetDraft) -> QuestionSet:
        """Store a checked draft as the next version; raise ConditionFailed if `before` changed."""
        number, attempt = before.set_version + 1, new_id()
        questions = _make_questions(before.set_id, number, attempt, draft)
        fields: dict[str, Any] = {name: getattr(draft, name) for name in _VERSIONED}
        numbers = {"total_questions": len(draft.questions), "set_version": number}
        fields |= {**numbers, "attempt": attempt}
        after = evolve(
            before,
            **fields,
            categories=[each.name for each in draft.categories],
            is_active=draft.is_active,
            visibility=draft.visibility,
        )
        version = SetVersion(set_id=before.set_id, categories=draft.categories, **fields)
        self._store.put_many(questions)
        try:
            with self._store.transaction(pattern=patterns.save_set) as transaction:
                transaction.put(after)
                transaction.create(version)
        except ConditionFailed as error:
            self._store.delete_many(map(key_of, questions))
            if isinstance(error, ItemExists) and "name" in error.fields:
                raise _name_taken(draft.name) from error
            raise
        # The set is saved; the next save deletes the rest.
        with suppress(SingleTableError):
            self._delete_questions(before.set_id, number, keep=attempt)
            self._delete_questions(before.set_id, before.set_version, keep=before.attempt)
            self._delete_old_versions(before.set_id, KEPT_VERSIONS)
        return self.get(before.set_id, before.created_by)

    def _finish_delete(self, item: QuestionSet) -> None:
        # An interrupted save may have stored a version that was never visible.
        self._delete_questions(item.set_id, item.set_version + 1)
        self._delete_old_versions(item.set_id, 0)
        with suppress(ConditionFailed):
            self._store.delete(key_of(item))

    def _delete_old_versions(self, set_id: str, kept: int) -> None:
        versions = list(self._store.query(patterns.set_versions(set_id), reverse=True))
        for version in versions[kept:]:
            self._delete_questions(set_id, version.set_version)
            self._store.delete(key_of(version))

    def _delete_questions(self, set_id: str, version: int, keep: str = "") -> None:
        """Delete the questions of a version, except those of one attempt."""
        stored = self._store.run(patterns.stored_questions, set_id, version)
        self._store.delete_many(key_of(each) for each in stored if each.attempt != keep)


def owns(actor: str, item: QuestionSet) -> bool:
    """Return whether the actor may change a set."""
    return actor in (item.created_by, ADMIN)


def _check_own(actor: str, item: QuestionSet) -> QuestionSet:
    if not owns(actor, item):
        raise NotFound("This set belongs to another host. Make a copy to change it.")
    return item


def _name_taken(name: str) -> AlreadyExists:
    return AlreadyExists({"name": f"You have a set “{name}” already. Choose another name."})


def _make_questions(set_id: str, version: int, attempt: str, draft: SetDraft) -> list[SetQuestion]:
    """Return the questions of a version. Their categories have ids like c001."""
    ids = {each.name: f"c{number:03}" for number, each in enumerate(draft.categories, 1)}
    counts = dict.fromkeys(ids, 0)
    questions: list[SetQuestion] = []
    for number, question in enumerate(draft.questions, 1):
        category_id = ids[question.category]
        counts[question.category] += 1
        copied = ("title", "detail", "category", "school", "instruction")
        questions.append(
            SetQuestion(
                set_id=set_id,
                set_version=version,
                attempt=attempt,
                **{name: getattr(question, name) for name in copied},
                category_id=category_id,
                number=number,
                question_id=f"{category_id}#{number:03}",
                order=counts[question.category],
                content=question,
            )
        )
    return questions
