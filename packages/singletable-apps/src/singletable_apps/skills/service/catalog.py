"""The catalog: the skills that people can have, by any spelling, and how many people have each.

A rename and a merge take many steps. The first step marks the skills and stores a SkillChange; the
last one deletes it. Each step in between is a transaction that leaves everything consistent, and
can be repeated. So a change that was interrupted is resumed by `resume`, or before the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import and_
from typing import TypeAlias

from singletable import AlreadyExists as ItemExists
from singletable import (
    ConditionFailed,
    SingleTableError,
    Transaction,
    evolve,
    key_of,
    retry_conflicts,
)
from singletable_apps.shared.errors import AlreadyExists, AppError, Busy, InvalidInput
from singletable_apps.shared.service import RevisionCheck, any_revision, check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns, rules
from singletable_apps.skills.entities import (
    Endorsement,
    JobRole,
    Level,
    Skill,
    SkillAlias,
    SkillChange,
    SkillCount,
    User,
    UserSkill,
)
from singletable_apps.skills.search_rules import explain_unknown
from singletable_apps.skills.service.context import IS_HERE, Context, busy, edits_of

MAX_ALIASES = 40
MAX_TAGS = 20
MAX_DESCRIPTION = 1_000
_log = logging.getLogger(__name__)
# How often the index is read again if it does not show all people yet.
_PASSES = 10
# Two actions each, in a transaction of at most 100.
_ENDORSEMENTS = 40
_MAX_ROLES = 50


@dataclass(frozen=True)
class SkillEdit:
    """What an administrator enters. An empty id is from the name, an empty category the last."""

    name: str
    skill_id: str = ""
    category: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What a merge of `source` into `target` will do."""

    source: Skill
    target: Skill
    people: int
    # How many of them have both skills.
    both: int
    roles: tuple[str, ...]
    aliases: tuple[str, ...]


# Returns what an administrator enters, from what is stored.
SkillEditChange: TypeAlias = Callable[[SkillEdit], SkillEdit]


class Catalog:
    """Finds, creates, edits, renames, merges and deletes skills."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store

    def find(self, spelling: str) -> Skill | None:
        """Return the skill that a spelling means: its id, its name or an alias; or None."""
        alias = rules.normalize_alias(spelling)
        if not 0 < len(alias) <= rules.MAX_SKILL_NAME:
            return None
        # Two reads of one item are faster than `find_many`.
        found = self._store.run(patterns.alias, alias)
        skill = self._store.run(patterns.skill, found.skill_id) if found else None
        merged = skill.merged_into if skill else ""
        return self._store.run(patterns.skill, merged) if merged else skill

    def get(self, spelling: str) -> Skill:
        """Return the skill that a spelling means, or raise NotFound."""
        return check_found(self.find(spelling), "There is no such skill in the catalog.")

    def find_many(self, spellings: Iterable[str]) -> dict[str, Skill]:
        """Return the skills by the spellings that mean one. Others are left out."""
        keys = {each: rules.normalize_alias(each) for each in spellings}
        known = {
            alias.alias: alias.skill_id
            for alias in self._store.get_many(
                [
                    SkillAlias.key(key)
                    for key in sorted({*keys.values()})
                    if 0 < len(key) <= rules.MAX_SKILL_NAME
                ]
            )
            if alias is not None
        }
        skills = self._get_skills({*known.values()})
        merged = self._get_skills({each.merged_into for each in skills.values()} - {""})
        found: dict[str, Skill] = {}
        for spelling, key in keys.items():
            skill = skills.get(known.get(key, ""))
            if skill is not None and skill.merged_into:
                skill = merged.get(skill.merged_into)
            if skill is not None:
                found[spelling] = skill
        return found

    def _get_skills(self, skill_ids: set[str]) -> dict[str, Skill]:
        if not skill_ids:
            return {}
        found = self._store.get_many([patterns.skill(each) for each in sorted(skill_ids)])
        return {skill.skill_id: skill for skill in found if skill is not None}

    def list_names(self) -> list[rules.SkillName]:
        """Return all skills by category and name, from the index alone."""
        rows = self._store.select(
            patterns.skill_names(), Skill.skill_id, Skill.name, Skill.category
        )
        return [rules.SkillName(*row) for row in rows]

    def list_all(self) -> list[Skill]:
        """Return all skills by category and name, with descriptions, tags and aliases."""
        return list(self._store.run(patterns.all_skills))

    def counts(self, skill_ids: Iterable[str]) -> Mapping[str, SkillCount]:
        """Return how many people have each skill, by id; also for skills that nobody has."""
        ids = sorted(set(skill_ids))
        found = self._store.get_many([patterns.skill_count(each) for each in ids])
        return {
            each: count or SkillCount(skill_id=each) for each, count in zip(ids, found, strict=True)
        }

    def create(self, actor: User, edit: SkillEdit) -> Skill:
        """Create a skill. Its id, name and aliases must not mean another one."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        skill = check_skill(edit, self._context.words().categories)
        try:
            with self._store.transaction(pattern=patterns.create_skill) as transaction:
                transaction.create(skill)
                for alias in spellings_of(skill):
                    transaction.create(SkillAlias(alias=alias, skill_id=skill.skill_id))
        except ItemExists as error:
            raise taken(skill, error.current) from error
        return self._context.get_skill(skill.skill_id, consistent=True)

    # -------------------------------------------------------------------------- changes

    def move_categories(self, moves: Mapping[str, str]) -> None:
        """Move the skills of categories to others. Raise InvalidInput for one without a new name.

        A category of which there are no skills needs none.
        """
        used = [each for each in self.list_names() if each.category in moves]
        for each in used:
            if not moves[each.category]:
                text = f"{each.name} is in {each.category}. Move its skills before you remove it."
                raise InvalidInput({"categories": text})
        for each in used:
            self._store.update(Skill.key(each.skill_id), Skill.category.set(moves[each.category]))

    @retry_conflicts(otherwise=busy("this skill"))
    def edit(
        self,
        actor: User,
        skill_id: str,
        edit: SkillEdit | SkillEditChange,
        check: RevisionCheck = any_revision,
    ) -> Skill:
        """Change a skill: everything but its id, or what a function changes.

        A former name becomes an alias.
        """
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        before = self._idle_skill(skill_id)
        check(before.revision)
        entered = edit if isinstance(edit, SkillEdit) else edit(edit_of(before))
        categories = self._context.words().categories
        after = check_skill(replace(entered, skill_id=before.skill_id), categories)
        is_renamed = after.name != before.name
        if is_renamed:
            after.aliases = unique_aliases(after.name, [*after.aliases, before.name])
            _check_aliases(after.aliases)
        spellings, old = set(spellings_of(after)), set(spellings_of(before))
        try:
            with self._store.transaction(pattern=patterns.edit_skill) as transaction:
                transaction.update(
                    key_of(before),
                    *edits_of(after, "name", "category", "description", "tags", "aliases"),
                    Skill.previous_name.set(before.name if is_renamed else ""),
                    if_=Skill.revision == before.revision,
                )
                for each in spellings - old:
                    transaction.create(SkillAlias(alias=each, skill_id=before.skill_id))
                for each in old - spellings:
                    transaction.delete(SkillAlias.key(each))
                if is_renamed:
                    transaction.create(SkillChange(skill_id=before.skill_id))
        except ItemExists as error:
            current = error.current
            if isinstance(current, SkillAlias) and current.skill_id != before.skill_id:
                raise taken(after, current) from error
            raise
        if is_renamed:
            self.finish(before.skill_id)
        return self._context.get_skill(before.skill_id, consistent=True)

    @retry_conflicts(otherwise=busy("this skill"))
    def delete(self, actor: User, skill_id: str, check: RevisionCheck = any_revision) -> Skill:
        """Delete a skill that nobody has, also from the targets of jobs. Return it as it was."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        skill = self._idle_skill(skill_id)
        check(skill.revision)
        people = self._people(skill.skill_id)
        if people:
            have = "One person has" if people == 1 else f"{people:,} people have"
            raise rules.InUse(f"{have} the skill {skill.name}. Merge it into another one.")
        roles = self._roles_with(skill.skill_id)
        if len(roles) > _MAX_ROLES:
            raise rules.InUse(f"{len(roles)} jobs need the skill {skill.name}. Change them first.")
        with self._store.transaction(pattern=patterns.delete_skill) as transaction:
            transaction.delete(key_of(skill), if_=Skill.revision == skill.revision)
            transaction.delete(SkillCount.key(skill.skill_id), if_=_NOBODY)
            for alias in spellings_of(skill):
                transaction.delete(SkillAlias.key(alias))
            for role in roles:
                targets = {**role.targets}
                del targets[skill.skill_id]
                _set_targets(transaction, role, targets)
        return skill

    # -------------------------------------------------------------------------- merge

    def preview_merge(self, actor: User, source_id: str, into: str) -> MergePreview:
        """Return what a merge will do, or raise InvalidInput if it is impossible."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        source = self._context.get_skill(source_id)
        target = self.find(into)
        if target is None:
            names = [each.name for each in self.list_names() if each.name != source.name]
            raise InvalidInput({"into": explain_unknown(into, names)})
        if target.skill_id == source.skill_id:
            raise InvalidInput({"into": "Choose a different skill. This is the one to merge."})
        aliases = _merged_aliases(source, target)
        _check_aliases(aliases, "into")
        usernames = self._usernames(source.skill_id)
        return MergePreview(
            source,
            target,
            people=len(usernames),
            both=len(usernames & self._usernames(target.skill_id)),
            roles=tuple(role.name for role in self._roles_with(source.skill_id)),
            aliases=tuple(each for each in aliases if each not in target.aliases),
        )

    @retry_conflicts(otherwise=busy("this skill"))
    def merge(
        self, actor: User, source_id: str, into: str, check: RevisionCheck = any_revision
    ) -> Skill:
        """Move everything from a skill to another one and delete it. Return the other one."""
        preview = self.preview_merge(actor, source_id, into)
        if preview.source.merged_into:
            # This was asked before, and interrupted.
            self.finish(preview.source.skill_id)
            return self._context.get_skill(preview.source.merged_into, consistent=True)
        source = self._idle_skill(preview.source.skill_id)
        target = self._idle_skill(preview.target.skill_id)
        check(source.revision)
        with self._store.transaction(pattern=patterns.start_merge) as transaction:
            for skill, mark in (
                (source, Skill.merged_into.set(target.skill_id)),
                (target, Skill.merging.set(source.skill_id)),
            ):
                unchanged = Skill.revision == skill.revision
                transaction.update(key_of(skill), mark, if_=unchanged)
            transaction.create(SkillChange(skill_id=source.skill_id))
        self.finish(source.skill_id)
        return self._context.get_skill(target.skill_id, consistent=True)

    # -------------------------------------------------------------------------- unfinished changes

    def resume(self) -> None:
        """Finish the renames and merges that were interrupted."""
        for change in list(self._store.run(patterns.unfinished_changes)):
            try:
                self.finish(change.skill_id)
            except (AppError, SingleTableError) as error:
                _log.warning("The change of the skill %s is unfinished: %s", change.skill_id, error)

    def finish(self, skill_id: str) -> None:
        """Finish the rename or merge of a skill.

        An index shows new skills of people a little later. As long as it shows fewer people than
        are counted, the change stays unfinished.
        """
        for _ in range(_PASSES):
            skill = self._store.get(patterns.skill(skill_id), consistent=True)
            if skill is not None and skill.merged_into:
                self._merge_pass(skill, self._context.get_skill(skill.merged_into, consistent=True))
            elif skill is not None and skill.previous_name:
                self._rename_pass(skill)
            else:
                return

    def _idle_skill(self, skill_id: str) -> Skill:
        """Return a skill that takes part in no change, finishing one that was interrupted."""
        skill = self._context.get_skill(skill_id, consistent=True)
        if skill.previous_name or skill.merged_into or skill.merging:
            self.finish(skill.merging or skill.skill_id)
            skill = self._context.get_skill(skill_id, consistent=True)
            if skill.previous_name or skill.merged_into or skill.merging:
                raise Busy("This skill is being renamed or merged right now. Try again.")
        return skill

    def _rename_pass(self, skill: Skill) -> None:
        # People can be added or removed meanwhile: those added have the new name.
        people = self._people(skill.skill_id)
        renamed = {
            each.username
            for each in self._store.run(patterns.users_with_skill, skill.skill_id)
            if self._has_name(each, skill)
        }
        if len(renamed) < max(people, self._people(skill.skill_id)):
            return
        finish = self._store.transaction(pattern=patterns.finish_rename)
        with suppress(ConditionFailed), finish as transaction:
            unchanged = Skill.revision == skill.revision
            transaction.update(key_of(skill), Skill.previous_name.set(""), if_=unchanged)
            transaction.delete(SkillChange.key(skill.skill_id))

    def _has_name(self, copy: UserSkill, skill: Skill) -> bool:
        """Copy the name, unless it is there. Return whether the person still has the skill."""
        key = UserSkill.key(copy.username, copy.skill_id)
        if copy.skill_name == skill.name:
            return self._store.get(key, consistent=True) is not None
        try:
            with self._store.transaction(pattern=patterns.copy_name) as transaction:
                # Another process may have finished this rename, and the next one begun.
                transaction.check(Skill.key(skill.skill_id), Skill.name == skill.name)
                transaction.update(key, UserSkill.skill_name.set(skill.name))
        except ConditionFailed:
            return False
        return True

    def _merge_pass(self, source: Skill, into: Skill) -> None:
        for username in sorted(self._usernames(source.skill_id)):
            self._move_skill(username, source, into)
        for role in self._roles_with(source.skill_id):
            targets = {**role.targets}
            levels = (targets.pop(source.skill_id), targets.get(into.skill_id))
            targets[into.skill_id] = max(filter(None, levels), key=rules.RANKS.__getitem__)
            try:
                with self._store.transaction(pattern=patterns.edit_role) as transaction:
                    _set_targets(transaction, role, targets)
            except ConditionFailed:
                return
        self._people(source.skill_id)
        finish = self._store.transaction(pattern=patterns.finish_merge)
        with suppress(ConditionFailed), finish as transaction:
            transaction.delete(key_of(source), if_=Skill.revision == source.revision)
            transaction.delete(SkillCount.key(source.skill_id), if_=_NOBODY)
            for alias in spellings_of(source):
                transaction.put(SkillAlias(alias=alias, skill_id=into.skill_id))
            transaction.update(
                key_of(into),
                Skill.aliases.set(_merged_aliases(source, into)),
                Skill.merging.set(""),
                if_=Skill.revision == into.revision,
            )
            transaction.delete(SkillChange.key(source.skill_id))

    def _move_skill(self, username: str, source: Skill, into: Skill) -> None:
        """Move a skill of a person: at once, or if it has many endorsements, some at a time."""
        key, is_last = UserSkill.key(username, source.skill_id), False
        while not is_last:
            old = self._store.get(key, consistent=True)
            if old is None:
                return
            new = self._store.get(patterns.user_skill(username, into.skill_id), consistent=True)
            given = patterns.endorsers(username, source.skill_id)
            moved = list(self._store.query(given, limit=_ENDORSEMENTS + 1, consistent=True))
            is_last = len(moved) <= _ENDORSEMENTS
            moved = moved[:_ENDORSEMENTS]
            added = self._not_endorsed(username, into.skill_id, moved)
            try:
                with self._store.transaction(pattern=patterns.move_skill) as transaction:
                    transaction.check(User.key(username), IS_HERE)
                    for each in moved:
                        transaction.delete(key_of(each), if_=Endorsement.endorser.exists())
                    for each in added:
                        transaction.create(evolve(each, skill_id=into.skill_id))
                    unchanged = UserSkill.revision == old.revision
                    if is_last:
                        transaction.delete(key, if_=unchanged)
                        count(transaction, source.skill_id, removed=old.level)
                    else:
                        fewer = UserSkill.endorsements.add(-len(moved))
                        transaction.update(key, fewer, if_=unchanged)
                    if new is None:
                        names = {"skill_id": into.skill_id, "skill_name": into.name}
                        transaction.create(evolve(old, **names, endorsements=len(added)))
                        count(transaction, into.skill_id, added=old.level)
                    else:
                        merged = rules.merge_user_skills(old, new)
                        merged.endorsements += len(added)
                        transaction.replace(merged)
                        if merged.level is not new.level:
                            count(transaction, into.skill_id, added=merged.level, removed=new.level)
            except ConditionFailed:
                # Someone else has changed or moved it. The next pass finds it if it is still there.
                return

    def _not_endorsed(
        self, username: str, skill_id: str, endorsements: Iterable[Endorsement]
    ) -> list[Endorsement]:
        """Return the endorsements that can move: not by the person, and not given here already."""
        by_others = [
            each for each in endorsements if not rules.is_same_user(each.endorser, username)
        ]
        found = self._store.get_many(
            [Endorsement.key(username, skill_id, each.endorser) for each in by_others],
            consistent=True,
        )
        return [each for each, known in zip(by_others, found, strict=True) if known is None]

    def _usernames(self, skill_id: str) -> set[str]:
        rows = self._store.select(patterns.users_with_skill(skill_id), UserSkill.username)
        return {username for (username,) in rows}

    def _people(self, skill_id: str) -> int:
        """Return how many people have a skill, and make sure that this is stored."""
        found = self._store.get(patterns.skill_count(skill_id), consistent=True)
        if found is not None:
            return rules.people_at(found)
        with self._store.transaction(pattern=patterns.start_count) as transaction:
            transaction.upsert(SkillCount.key(skill_id))
        return self._people(skill_id)

    def _roles_with(self, skill_id: str) -> list[JobRole]:
        roles = self._store.run(patterns.all_roles)
        return [role for role in roles if skill_id in role.targets]


class Part:
    """A topic of the service. `self._catalog` finds skills by any spelling."""

    def __init__(self, context: Context) -> None:
        self._context, self._store = context, context.store
        self._catalog = Catalog(context)


def check_skill(edit: SkillEdit, categories: Sequence[str]) -> Skill:
    """Return the skill that was entered, or raise InvalidInput."""
    checks = InputChecks()
    name = checks.line("skill_name", edit.name, longest=rules.MAX_SKILL_NAME, required=True)
    _check_spelling(checks, "skill_name", name)
    skill_id = edit.skill_id.strip().lower() or rules.derive_skill_id(name)
    is_valid = rules.is_key(skill_id) and rules.derive_skill_id(skill_id) == skill_id
    if not is_valid and (skill_id or "skill_name" not in checks.errors):
        text = "Use 1 to 50 lowercase letters, digits and hyphens, such as type-script."
        checks.reject("skill_id", text)
    aliases = [checks.line("aliases", each, longest=rules.MAX_SKILL_NAME) for each in edit.aliases]
    aliases = unique_aliases(name, filter(None, aliases))
    for alias in aliases:
        _check_spelling(checks, "aliases", alias)
    if len(aliases) > MAX_ALIASES:
        checks.reject("aliases", f"Use at most {MAX_ALIASES} aliases; there are {len(aliases)}.")
    tags = [checks.line("tags", tag, longest=50) for tag in edit.tags if tag.strip()]
    if len(tags) > MAX_TAGS:
        checks.reject("tags", f"Use at most {MAX_TAGS} tags; there are {len(tags)}.")
    description = checks.text("description", edit.description, longest=MAX_DESCRIPTION)
    if edit.category and edit.category not in categories:
        checks.reject("category", f"Use one of {', '.join(categories)}.")
    checks.raise_errors()
    return Skill(
        skill_id=skill_id,
        name=name,
        category=edit.category or categories[-1],
        description=description,
        tags=list(dict.fromkeys(tags)),
        aliases=aliases,
    )


def edit_of(skill: Skill) -> SkillEdit:
    """Return what was entered for a skill."""
    return SkillEdit(**{each.name: getattr(skill, each.name) for each in fields(SkillEdit)})


def _check_spelling(checks: InputChecks, field: str, text: str) -> None:
    """Reject text by which a skill cannot be found. Normalizing can make it longer."""
    spelling = rules.normalize_alias(text)
    if not spelling:
        checks.reject(field, f"Use at least one letter or digit, not “{text[:20]}”.")
    elif len(spelling) > rules.MAX_SKILL_NAME:
        checks.reject(field, f"Use at most {rules.MAX_SKILL_NAME} plain letters.")


def unique_aliases(name: str, aliases: Iterable[str]) -> list[str]:
    """Return the aliases that are other spellings than the name, each spelling once."""
    unique = {rules.normalize_alias(name): name}
    for alias in aliases:
        unique.setdefault(rules.normalize_alias(alias), alias)
    return list(unique.values())[1:]


def names_of(skill: Skill) -> list[str]:
    """Return the names that skills of people can have in GSI2: two while the skill is renamed."""
    return [skill.name, skill.previous_name] if skill.previous_name else [skill.name]


def spellings_of(skill: Skill) -> list[str]:
    """Return the normalized spellings that mean a skill: its id, its name and its aliases."""
    spellings = (skill.skill_id, skill.name, *skill.aliases)
    return list(dict.fromkeys(filter(None, map(rules.normalize_alias, spellings))))


def taken(skill: Skill, current: object) -> AlreadyExists:
    """Return the error for a spelling that means another skill already."""
    if isinstance(current, SkillAlias):
        text = f"“{current.alias}” already means the skill {current.skill_id}."
        is_name = current.alias in (
            rules.normalize_alias(skill.name),
            rules.normalize_alias(skill.skill_id),
        )
        return AlreadyExists({"skill_name" if is_name else "aliases": text})
    return AlreadyExists({"skill_id": f"There is already a skill with the id {skill.skill_id}."})


def _set_targets(transaction: Transaction, role: JobRole, targets: dict[str, Level]) -> None:
    unchanged = JobRole.revision == role.revision
    transaction.update(key_of(role), JobRole.targets.set(targets), if_=unchanged)


def _merged_aliases(source: Skill, into: Skill) -> list[str]:
    aliases = [*into.aliases, source.name, *source.aliases, source.skill_id]
    return unique_aliases(into.name, aliases)


def _check_aliases(aliases: list[str], field: str = "aliases") -> None:
    if len(aliases) > MAX_ALIASES:
        text = f"A skill has at most {MAX_ALIASES} aliases. This would make {len(aliases)}."
        raise InvalidInput({field: text})


# ------------------------------------------------------------------------------ counts

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
    changes = [COUNTERS[level].add(by) for level, by in ((added, 1), (removed, -1)) if level]
    transaction.upsert(SkillCount.key(skill_id), *changes)


_NOBODY = reduce(and_, (counter == 0 for counter in COUNTERS.values()))
