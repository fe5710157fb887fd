"""Rename and delete people with everything that refers to them.

It begins with one transaction: the person is at the new username, or gone, and a Cascade says what
is left to do. Then everything under the old username is moved or deleted in transactions that can
be repeated, so an interrupted cascade is finished later: when the service opens, or when someone
wants the username. Until then, the item of the person stays at the old username as a placeholder
that nobody sees, and the username is taken.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import timedelta
from typing import Any

from singletable import (
    ConditionFailed,
    Edit,
    ItemKey,
    SingleTableError,
    Store,
    Transaction,
    WritePattern,
    evolve,
    key_of,
)
from singletable_apps.shared.accounts import Sessions, new_user_id
from singletable_apps.shared.accounts.usernames import TAKEN
from singletable_apps.shared.errors import AlreadyExists, Busy
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import (
    Cascade,
    Endorsement,
    Entries,
    FormerUsername,
    Role,
    Team,
    User,
    UserSkill,
)
from singletable_apps.skills.rules import is_same_user
from singletable_apps.skills.service.catalog import count
from singletable_apps.skills.service.context import ATTEMPTS, Context

# How long an index may be behind. What was written just before a cascade began is found after it.
SETTLING = timedelta(seconds=5)
# How many endorsements one transaction moves, besides the skill and its count.
_BATCH = 45
_log = logging.getLogger(__name__)


class Cascades:
    """Starts cascades, and finishes interrupted ones."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._sessions = Sessions(context.store, secret=context.secret)

    def start(
        self,
        user: User,
        new_username: str = "",
        transaction: AbstractContextManager[Transaction] | None = None,
    ) -> None:
        """Rename a person that was just read. Without a new username, delete the person.

        Raise ConditionFailed if the person was changed, or the new username is taken.
        """
        cascade = Cascade(
            username=user.username,
            new_username=new_username,
            user_id=user.user_id,
            placeholder_id=new_user_id(),
        )
        placeholder = evolve(
            user,
            user_id=cascade.placeholder_id,
            left_at=self._context.clock(),
            role=Role.USER,
            password_hash="",
            email="",
            about="",
        )
        with transaction or self._store.transaction(pattern=patterns.start_cascade) as writes:
            writes.replace(placeholder)
            writes.create(cascade)
            if new_username:
                writes.create(evolve(user, username=new_username))
                writes.put(FormerUsername(username=user.username, user_id=user.user_id))
        self._run_later(user.username)

    def check_not_moving(self, user: User) -> None:
        """Raise Busy if a person was just renamed. Finish older cascades."""
        for cascade in self._pending():
            is_finished = self._is_settled(cascade) and self.release(cascade.username)
            if not is_finished and is_same_user(cascade.new_username, user.username):
                raise Busy("This username was changed a moment ago. Try again in a few seconds.")

    def check_free(self, username: str) -> None:
        """Raise AlreadyExists if a username is taken, or was given up a moment ago."""
        if self._context.find_user(username, consistent=True) is not None:
            raise AlreadyExists({"username": TAKEN})
        if not self.release(username):
            text = "This username was given up a moment ago. Try again in a few seconds."
            raise AlreadyExists({"username": text})

    def release(self, username: str) -> bool:
        """Finish the cascade of a username if there is one. Return whether none is left."""
        self._run_later(username)
        return self._store.run(patterns.cascade, username) is None

    def resume(self) -> None:
        """Finish all interrupted cascades."""
        try:
            pending = self._pending()
        except SingleTableError as error:
            _log.warning("Unfinished renames and deletions cannot be read: %s", error)
            return
        for cascade in pending:
            self._run_later(cascade.username)

    def _pending(self) -> list[Cascade]:
        return list(self._store.query(Cascade.key.partition(), consistent=True))

    def _is_settled(self, cascade: Cascade) -> bool:
        return self._context.clock() - cascade.created_at >= SETTLING

    def _run_later(self, username: str) -> None:
        """Finish a cascade. If the store fails, leave it for later."""
        try:
            self._run(username)
        except SingleTableError as error:
            _log.warning("What was under the username %s is not all moved: %s", username, error)

    def _run(self, username: str) -> None:
        for _ in range(ATTEMPTS):
            cascade = self._store.run(patterns.cascade, username)
            if cascade is None:
                return
            is_settled, move = self._is_settled(cascade), _Move(self._store, cascade)
            if not cascade.new_username:
                self._sessions.forget(cascade.user_id)
            move.run()
            # What was changed meanwhile is read again.
            if move.is_complete:
                if is_settled:
                    move.finish()
                return


class _Move:
    """Moves or deletes everything under a username; not complete if it was changed meanwhile."""

    def __init__(self, store: Store, cascade: Cascade) -> None:
        self._store, self._cascade, self.is_complete = store, cascade, True
        self._old, self._new = cascade.username, cascade.new_username
        # Someone else may have finished, and the username may be another person's by now.
        self._is_placeholder = User.user_id == cascade.placeholder_id

    @contextmanager
    def _write(self, pattern: WritePattern) -> Generator[Transaction]:
        try:
            with self._store.transaction(pattern=pattern) as transaction:
                yield transaction
                transaction.check(User.key(self._old), self._is_placeholder)
        except ConditionFailed:
            self.is_complete = False

    def run(self) -> None:
        """Take all steps."""
        for skill in self._store.query(patterns.skills_of_user(self._old), consistent=True):
            self._move_skill(skill)
        self._move_entries()
        self._move_given()
        self._move_member()
        if not self._new:
            self._delete_ratings()

    def finish(self) -> None:
        """Free the username."""
        finish = self._store.transaction(pattern=patterns.finish_cascade)
        with suppress(ConditionFailed), finish as transaction:
            transaction.delete(User.key(self._old), if_=self._is_placeholder)
            transaction.delete(key_of(self._cascade))

    def _move_skill(self, skill: UserSkill) -> None:
        """Move or delete a skill, with the endorsements by others."""
        received = patterns.endorsers(self._old, skill.skill_id)
        found = list(self._store.query(received, consistent=True))
        new, unchanged = self._new, UserSkill.revision == skill.revision
        if new and self._exists(UserSkill.key(new, skill.skill_id)):
            new = ""  # the person has added it there again
        for start in range(0, len(found) or 1, _BATCH):
            with self._write(patterns.move_user_skill) as transaction:
                for each in found[start : start + _BATCH]:
                    transaction.delete(key_of(each))
                    if new:
                        transaction.put(evolve(each, username=new))
                if start + _BATCH < len(found):
                    # Every endorsement changes the revision, so none is missed.
                    transaction.check(key_of(skill), unchanged)
                    continue
                transaction.delete(key_of(skill), if_=unchanged)
                if new:
                    transaction.create(evolve(skill, username=new))
                else:
                    count(transaction, skill.skill_id, removed=skill.level)

    def _move_entries(self) -> None:
        """Move or delete everything else in the partition of the person."""
        found = self._store.collect(Entries, patterns.entries_of_user(self._old), consistent=True)
        for entry in (each for entries in vars(found).values() for each in entries):
            with self._write(patterns.move_entry) as transaction:
                transaction.delete(key_of(entry), if_=type(entry).revision == entry.revision)
                if self._new:
                    transaction.create(evolve(entry, username=self._new))

    def _move_given(self) -> None:
        """Move or delete the endorsements that the person has given to others."""
        index = patterns.endorsements_given(self._old)
        for owner, skill_id in self._store.select(
            index, Endorsement.username, Endorsement.skill_id
        ):
            given = self._store.run(patterns.endorsement, owner, skill_id, self._old)
            if given is None:
                continue
            moved = evolve(given, endorser=self._new) if self._new else None
            if moved is not None and self._exists(key_of(moved)):
                moved = None  # the person has endorsed it again
            skill = UserSkill.key(owner, skill_id)
            has_skill = self._exists(skill)
            with self._write(patterns.move_endorsement) as transaction:
                transaction.delete(key_of(given), if_=Endorsement.endorser.exists())
                if moved is not None:
                    transaction.create(moved)
                elif has_skill:
                    transaction.update(skill, UserSkill.endorsements.add(-1))

    def _exists(self, key: ItemKey[Any]) -> bool:
        return self._store.get(key, consistent=True) is not None

    def _move_member(self) -> None:
        """Replace the username in teams, or remove it."""
        old, new = self._old, self._new
        for team in self._store.run(patterns.teams):
            people = (team.created_by, team.manager, *team.members)
            if not any(is_same_user(name, old) for name in people):
                continue
            names = [new if is_same_user(name, old) else name for name in team.members]
            edits: list[Edit[Team]] = [Team.members.set(list(dict.fromkeys(filter(None, names))))]
            named = ((Team.created_by, team.created_by), (Team.manager, team.manager))
            edits += [field.set(new) for field, name in named if is_same_user(name, old)]
            with self._write(patterns.move_member) as transaction:
                transaction.update(key_of(team), *edits, if_=Team.revision == team.revision)

    def _delete_ratings(self) -> None:
        """Delete the ratings of the skills, which are under the number of the person."""
        ratings = patterns.ratings_of_user(self._cascade.user_id)
        found = list(self._store.query(ratings, consistent=True))
        for start in range(0, len(found), _BATCH):
            with self._write(patterns.forget_ratings) as transaction:
                for each in found[start : start + _BATCH]:
                    transaction.delete(key_of(each))
