"""Rename and delete people with everything that refers to them.

It begins with one transaction: the person is at the new username, or gone, and a Cascade says what
is left to do. Then everything under the old username is moved or deleted in transactions that can
be repeated, so an interrupted cascade is finished later: when the service opens, or when someone
wants the username. Until then, the item of the person stays at the old username as a placeholder
that nobody sees, and the username is taken.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Any

from singletable import (
    ConditionFailed,
    Edit,
    ItemKey,
    SingleTableError,
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
from singletable_apps.skills.entry_rules import Entry
from singletable_apps.skills.rules import is_same_user
from singletable_apps.skills.service.catalog import count
from singletable_apps.skills.service.context import ATTEMPTS, Context

# How long an index may be behind. What was written just before a cascade began is found after it.
SETTLING = timedelta(seconds=5)
# How many endorsements one transaction moves, besides the skill and its count.
_BATCH = 45
_log = logging.getLogger(__name__)

# A pattern, and what adds its writes to a transaction.
Step = tuple[WritePattern, Callable[[Transaction], None]]


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
        """Rename a person who was just read. Without a new username, delete the person.

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

    def is_moving(self, username: str) -> bool:
        """Return whether a person was just renamed to this username. Finish older cascades."""
        left = [
            cascade
            for cascade in self._pending()
            if not (self._is_settled(cascade) and self.release(cascade.username))
        ]
        return any(is_same_user(each.new_username, username) for each in left)

    def check_not_moving(self, user: User) -> None:
        """Raise Busy if a person was just renamed."""
        if self.is_moving(user.username):
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
            is_settled = self._is_settled(cascade)
            if not cascade.new_username:
                self._sessions.forget(cascade.user_id)
            written = [self._commit(cascade, *step) for step in self._steps(cascade)]
            # What was changed meanwhile is read again.
            if all(written):
                if is_settled:
                    self._commit(cascade, patterns.finish_cascade, lambda _: None, is_last=True)
                return

    def _commit(
        self,
        cascade: Cascade,
        pattern: WritePattern,
        write: Callable[[Transaction], None],
        *,
        is_last: bool = False,
    ) -> bool:
        """Write, unless something was changed meanwhile. Return whether it was written."""
        # Someone else may have finished, and the username may be another person's by now.
        user, is_placeholder = User.key(cascade.username), User.user_id == cascade.placeholder_id
        try:
            with self._store.transaction(pattern=pattern) as transaction:
                write(transaction)
                if is_last:
                    transaction.delete(user, if_=is_placeholder)
                    transaction.delete(key_of(cascade))
                else:
                    transaction.check(user, is_placeholder)
        except ConditionFailed:
            return False
        return True

    def _steps(self, cascade: Cascade) -> Iterator[Step]:
        yield from self._skills(cascade)
        yield from self._entries(cascade)
        yield from self._given(cascade)
        yield from self._teams(cascade)
        if not cascade.new_username:
            yield from self._ratings(cascade)

    def _ratings(self, cascade: Cascade) -> Iterator[Step]:
        """Delete the ratings of the skills, which are under the number of the person."""
        found = self._store.query(patterns.ratings_of_user(cascade.user_id), consistent=True)
        keys = [key_of(each) for each in found]
        for start in range(0, len(keys), _BATCH):
            yield patterns.forget_ratings, partial(_delete_all, keys[start : start + _BATCH])

    def _skills(self, cascade: Cascade) -> Iterator[Step]:
        """Move or delete the skills, with the endorsements by others."""
        for skill in self._store.query(patterns.skills_of_user(cascade.username), consistent=True):
            received = patterns.endorsers(cascade.username, skill.skill_id)
            found = list(self._store.query(received, consistent=True))
            new = cascade.new_username
            if new and self._exists(UserSkill.key(new, skill.skill_id)):
                new = ""  # the person has added it there again
            while len(found) > _BATCH:
                some = partial(_move_skill, skill, found[:_BATCH], new, is_last=False)
                yield patterns.move_user_skill, some
                del found[:_BATCH]
            yield patterns.move_user_skill, partial(_move_skill, skill, found, new, is_last=True)

    def _entries(self, cascade: Cascade) -> Iterator[Step]:
        """Move or delete everything else in the partition of the person."""
        selection, new = patterns.entries_of_user(cascade.username), cascade.new_username
        found = self._store.collect(Entries, selection, consistent=True)
        entries: list[Entry] = [*found.certifications, *found.experience]
        for entry in (*entries, *found.education, *found.projects):
            yield patterns.move_entry, partial(_move_entry, entry, new)

    def _given(self, cascade: Cascade) -> Iterator[Step]:
        """Move or delete the endorsements that the person has given to others."""
        old, new = cascade.username, cascade.new_username
        index = patterns.endorsements_given(old)
        for owner, skill_id in self._store.select(
            index, Endorsement.username, Endorsement.skill_id
        ):
            given = self._store.run(patterns.endorsement, owner, skill_id, old)
            if given is None:
                continue
            moved = evolve(given, endorser=new) if new else None
            if moved is not None and self._exists(key_of(moved)):
                moved = None  # the person has endorsed it again
            has_skill = self._exists(UserSkill.key(owner, skill_id))
            yield patterns.move_endorsement, partial(_move_given, given, moved, has_skill)

    def _exists(self, key: ItemKey[Any]) -> bool:
        return self._store.get(key, consistent=True) is not None

    def _teams(self, cascade: Cascade) -> Iterator[Step]:
        """Replace the username in teams, or remove it."""
        old, new = cascade.username, cascade.new_username
        for team in self._store.hydrate(Team.listed()):
            people = (team.created_by, team.manager, *team.members)
            if not any(is_same_user(name, old) for name in people):
                continue
            names = [new if is_same_user(name, old) else name for name in team.members]
            edits: list[Edit[Team]] = [Team.members.set(list(dict.fromkeys(filter(None, names))))]
            named = ((Team.created_by, team.created_by), (Team.manager, team.manager))
            edits += [field.set(new) for field, name in named if is_same_user(name, old)]
            yield patterns.move_member, partial(_edit_team, team, edits)


def _move_skill(
    skill: UserSkill,
    received: list[Endorsement],
    new: str,
    transaction: Transaction,
    *,
    is_last: bool,
) -> None:
    key, unchanged = key_of(skill), UserSkill.revision == skill.revision
    for each in received:
        transaction.delete(key_of(each))
        if new:
            transaction.put(evolve(each, username=new))
    if not is_last:
        # Every endorsement changes the revision, so none is missed.
        transaction.check(key, unchanged)
        return
    transaction.delete(key, if_=unchanged)
    if new:
        transaction.create(evolve(skill, username=new))
    else:
        count(transaction, skill.skill_id, removed=skill.level)


def _move_entry(entry: Entry, new: str, transaction: Transaction) -> None:
    entity: Any = type(entry)
    transaction.delete(key_of(entry), if_=entity.revision == entry.revision)
    if new:
        transaction.create(evolve(entry, username=new))


def _move_given(
    given: Endorsement, moved: Endorsement | None, has_skill: bool, transaction: Transaction
) -> None:
    transaction.delete(key_of(given), if_=Endorsement.endorser.exists())
    if moved is not None:
        transaction.create(moved)
    elif has_skill:
        skill = UserSkill.key(given.username, given.skill_id)
        transaction.update(skill, UserSkill.endorsements.add(-1))


def _delete_all(keys: list[ItemKey[Any]], transaction: Transaction) -> None:
    for key in keys:
        transaction.delete(key)


def _edit_team(team: Team, edits: list[Edit[Team]], transaction: Transaction) -> None:
    transaction.update(key_of(team), *edits, if_=Team.revision == team.revision)
