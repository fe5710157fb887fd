"""The skills of people: add, change and remove them, and count how many people have each."""

from __future__ import annotations

from singletable import AlreadyExists as ItemExists
from singletable import ConditionFailed, Edit, Transaction, key_of
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import (
    Level,
    Skill,
    SkillCount,
    Source,
    User,
    UserSkill,
)
from singletable_apps.skills.errors import AlreadyExists, DirectoryBusy, NotFound
from singletable_apps.skills.rules import (
    SkillDraft,
    check_owner,
    check_skill_draft,
    is_same_user,
)
from singletable_apps.skills.service.catalog import Catalog
from singletable_apps.skills.service.context import (
    ATTEMPTS,
    Context,
    RevisionCheck,
    any_revision,
)

# How many endorsements one transaction deletes, besides the skill and its count.
_BATCH = 90


class UserSkills:
    """The skills of people. A change of a level and the counts of a skill are one transaction."""

    def __init__(self, context: Context, catalog: Catalog) -> None:
        self._context = context
        self._store = context.store
        self._catalog = catalog

    def list(self, username: str) -> list[UserSkill]:
        """Return the skills of a person, by id."""
        user = self._context.get_user(username)
        return list(self._store.query(patterns.skills_of_user(user.username)))

    def get(self, username: str, spelling: str) -> UserSkill:
        """Return a skill of a person, or raise NotFound."""
        user, skill = self._context.get_user(username), self._catalog.get(spelling)
        return self._get(user.username, skill.skill_id)

    def add(self, actor: User, username: str, spelling: str, draft: SkillDraft) -> UserSkill:
        """Add a skill of the catalog to a person, who must not have it yet."""
        check_owner(actor, username)
        user, skill = self._context.get_user(username), self._catalog.get(spelling)
        checked = check_skill_draft(draft, self._context.today())
        assert checked.last_used is not None
        is_own = is_same_user(actor.username, user.username)
        added = UserSkill(
            username=user.username,
            skill_id=skill.skill_id,
            skill_name=skill.name,
            level=checked.level,
            years=checked.years,
            last_used=checked.last_used,
            notes=checked.notes,
            source=Source.SELF if is_own else Source.MANAGER,
            rated_by="" if is_own else actor.username,
        )
        try:
            with self._store.transaction(pattern=patterns.add_user_skill) as transaction:
                transaction.check(User.key(user.username), User.username.exists())
                # A skill that is renamed or merged right now has changed its revision.
                transaction.check(Skill.key(skill.skill_id), Skill.revision == skill.revision)
                transaction.create(added)
                count(transaction, skill.skill_id, added=checked.level)
        except ItemExists as error:
            text = f"{user.name} already has the skill {skill.name}."
            raise AlreadyExists({"skill_name": text}) from error
        except ConditionFailed:
            raise DirectoryBusy(
                "This person or skill is being changed right now. Try again."
            ) from None
        return self._get(user.username, skill.skill_id)

    def edit(
        self,
        actor: User,
        username: str,
        spelling: str,
        draft: SkillDraft,
        check: RevisionCheck = any_revision,
    ) -> UserSkill:
        """Change a skill of a person. A level that a manager changes is the manager's rating."""
        check_owner(actor, username)
        for _ in range(ATTEMPTS):
            before = self.get(username, spelling)
            check(before.revision)
            checked = check_skill_draft(draft, self._context.today())
            assert checked.last_used is not None
            changes: list[Edit[UserSkill]] = [
                UserSkill.level.set(checked.level),
                UserSkill.years.set(checked.years),
                UserSkill.last_used.set(checked.last_used),
                UserSkill.notes.set(checked.notes),
            ]
            if not is_same_user(actor.username, before.username):
                changes += [
                    UserSkill.source.set(Source.MANAGER),
                    UserSkill.rated_by.set(actor.username),
                ]
            elif checked.level is not before.level:
                changes += [UserSkill.source.set(Source.SELF), UserSkill.rated_by.set("")]
            try:
                with self._store.transaction(pattern=patterns.edit_user_skill) as transaction:
                    transaction.update(
                        UserSkill.key(before.username, before.skill_id),
                        *changes,
                        if_=UserSkill.revision == before.revision,
                    )
                    if checked.level is not before.level:
                        count(
                            transaction,
                            before.skill_id,
                            added=checked.level,
                            removed=before.level,
                        )
            except ConditionFailed:
                continue
            return self._get(before.username, before.skill_id)
        raise _busy()

    def remove(
        self, actor: User, username: str, spelling: str, check: RevisionCheck = any_revision
    ) -> UserSkill:
        """Remove a skill from a person with its endorsements. Return it as it was."""
        check_owner(actor, username)
        for _ in range(ATTEMPTS):
            before = self.get(username, spelling)
            check(before.revision)
            try:
                self.delete(before)
            except ConditionFailed:
                continue
            return before
        raise _busy()

    def delete(self, skill: UserSkill) -> None:
        """Delete a skill of a person that was just read, or raise ConditionFailed if it changed.

        Up to 90 endorsements are deleted with it in one transaction. If there are more, the others
        are deleted first, and the count is lowered with them, so that a call which was interrupted
        leaves a skill with the right count, and can be repeated.
        """
        key, revision = UserSkill.key(skill.username, skill.skill_id), skill.revision
        endorsements = patterns.endorsers(skill.username, skill.skill_id)
        while True:
            # A new endorsement changes the revision, so none is missed.
            found = list(self._store.query(endorsements, limit=_BATCH + 1, consistent=True))
            if len(found) <= _BATCH:
                break
            with self._store.transaction(pattern=patterns.remove_endorsements) as transaction:
                for each in found[:_BATCH]:
                    transaction.delete(key_of(each))
                fewer = UserSkill.endorsements.add(-_BATCH)
                transaction.update(key, fewer, if_=UserSkill.revision == revision)
            revision += 1
        with self._store.transaction(pattern=patterns.remove_user_skill) as transaction:
            for each in found:
                transaction.delete(key_of(each))
            transaction.delete(key, if_=UserSkill.revision == revision)
            count(transaction, skill.skill_id, removed=skill.level)

    def _get(self, username: str, skill_id: str) -> UserSkill:
        found = self._store.get(UserSkill.key(username, skill_id), consistent=True)
        if found is None:
            raise NotFound(f"{username} does not have this skill.")
        return found


COUNTERS = {
    Level.BEGINNER: SkillCount.beginner,
    Level.INTERMEDIATE: SkillCount.intermediate,
    Level.ADVANCED: SkillCount.advanced,
    Level.EXPERT: SkillCount.expert,
}


def count(
    transaction: Transaction,
    skill_id: str,
    *,
    added: Level | None = None,
    removed: Level | None = None,
) -> None:
    """Count one more person at a level, one fewer at another, or both."""
    changes: list[Edit[SkillCount]] = []
    if added is not None:
        changes.append(COUNTERS[added].add(1))
    if removed is not None:
        changes.append(COUNTERS[removed].add(-1))
    transaction.upsert(SkillCount.key(skill_id), *changes)


def _busy() -> DirectoryBusy:
    return DirectoryBusy("Someone else is changing this skill right now. Try again.")
