"""The catalog: the skills that people can have, by any spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from singletable import AlreadyExists as ItemExists
from singletable_apps.shared.errors import AlreadyExists
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Category, Skill, SkillAlias, SkillCount, User
from singletable_apps.skills.rules import (
    MAX_SKILL_NAME,
    PERMISSIONS,
    Permission,
    SkillName,
    derive_skill_id,
    is_key,
    normalize_alias,
)
from singletable_apps.skills.service.context import Context

MAX_ALIASES = 40
MAX_TAGS = 20
MAX_DESCRIPTION = 1_000


@dataclass(frozen=True)
class SkillEdit:
    """What an administrator enters for a skill. An empty id is derived from the name."""

    name: str
    skill_id: str = ""
    category: Category = Category.OTHER
    description: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


# Returns what an administrator enters, from what is stored.
SkillEditChange: TypeAlias = Callable[[SkillEdit], SkillEdit]


class Catalog:
    """Finds and creates skills."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store

    def find(self, spelling: str) -> Skill | None:
        """Return the skill that a spelling means: its id, its name or an alias; or None."""
        alias = normalize_alias(spelling)
        if not alias or len(alias) > MAX_SKILL_NAME:
            return None
        found = self._store.run(patterns.alias, alias)
        skill = None if found is None else self._store.run(patterns.skill, found.skill_id)
        if skill is not None and skill.merged_into:
            return self._store.run(patterns.skill, skill.merged_into)
        return skill

    def get(self, spelling: str) -> Skill:
        """Return the skill that a spelling means, or raise NotFound."""
        return check_found(self.find(spelling), "There is no such skill in the catalog.")

    def find_many(self, spellings: Iterable[str]) -> dict[str, Skill]:
        """Return the skills by the spellings that mean one. Others are left out."""
        keys = {each: normalize_alias(each) for each in spellings}
        known = {
            alias.alias: alias.skill_id
            for alias in self._store.get_many(
                [SkillAlias.key(key) for key in sorted({*keys.values()}) if 0 < len(key) <= 100]
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
        found = self._store.get_many([Skill.key(each) for each in sorted(skill_ids)])
        return {skill.skill_id: skill for skill in found if skill is not None}

    def list_names(self) -> list[SkillName]:
        """Return all skills by category and name, from the index alone."""
        rows = self._store.select(Skill.listed(), Skill.skill_id, Skill.name, Skill.category)
        return [SkillName(*row) for row in rows]

    def list(self) -> list[Skill]:
        """Return all skills by category and name, with descriptions, tags and aliases."""
        return list(self._store.hydrate(Skill.listed()))

    def counts(self, skill_ids: Iterable[str]) -> Mapping[str, SkillCount]:
        """Return how many people have each skill, by id; also for skills that nobody has."""
        ids = sorted(set(skill_ids))
        found = self._store.get_many([SkillCount.key(each) for each in ids])
        return {
            each: count or SkillCount(skill_id=each) for each, count in zip(ids, found, strict=True)
        }

    def create(self, actor: User, edit: SkillEdit) -> Skill:
        """Create a skill. Its id, name and aliases must not mean another one."""
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)
        skill = check_skill(edit)
        try:
            with self._store.transaction(pattern=patterns.create_skill) as transaction:
                transaction.create(skill)
                for alias in spellings_of(skill):
                    transaction.create(SkillAlias(alias=alias, skill_id=skill.skill_id))
        except ItemExists as error:
            raise taken(skill, error.current) from error
        return self._context.get_skill(skill.skill_id, consistent=True)


def check_skill(edit: SkillEdit) -> Skill:
    """Return the skill that was entered, or raise InvalidInput."""
    checks = InputChecks()
    name = checks.line("skill_name", edit.name, longest=MAX_SKILL_NAME, required=True)
    _check_spelling(checks, "skill_name", name)
    skill_id = edit.skill_id.strip().lower() or derive_skill_id(name)
    is_valid = is_key(skill_id) and derive_skill_id(skill_id) == skill_id
    if not is_valid and (skill_id or "skill_name" not in checks.errors):
        text = "Use 1 to 50 lowercase letters, digits and hyphens, such as type-script."
        checks.reject("skill_id", text)
    aliases = [checks.line("aliases", each, longest=MAX_SKILL_NAME) for each in edit.aliases]
    aliases = unique_aliases(name, filter(None, aliases))
    for alias in aliases:
        _check_spelling(checks, "aliases", alias)
    if len(aliases) > MAX_ALIASES:
        checks.reject("aliases", f"Use at most {MAX_ALIASES} aliases; there are {len(aliases)}.")
    tags = [checks.line("tags", tag, longest=50) for tag in edit.tags if tag.strip()]
    if len(tags) > MAX_TAGS:
        checks.reject("tags", f"Use at most {MAX_TAGS} tags; there are {len(tags)}.")
    description = checks.text("description", edit.description, longest=MAX_DESCRIPTION)
    checks.raise_errors()
    return Skill(
        skill_id=skill_id,
        name=name,
        category=edit.category,
        description=description,
        tags=list(dict.fromkeys(tags)),
        aliases=aliases,
    )


def edit_of(skill: Skill) -> SkillEdit:
    """Return what was entered for a skill."""
    return SkillEdit(
        skill.name,
        skill.skill_id,
        skill.category,
        skill.description,
        tuple(skill.tags),
        tuple(skill.aliases),
    )


def _check_spelling(checks: InputChecks, field: str, text: str) -> None:
    """Reject text by which a skill cannot be found. Normalizing can make it longer."""
    spelling = normalize_alias(text)
    if not spelling:
        checks.reject(field, f"Use at least one letter or digit, not “{text[:20]}”.")
    elif len(spelling) > MAX_SKILL_NAME:
        checks.reject(field, f"Use at most {MAX_SKILL_NAME} plain letters.")


def unique_aliases(name: str, aliases: Iterable[str]) -> list[str]:
    """Return the aliases that are other spellings than the name, each spelling once."""
    unique = {normalize_alias(name): name}
    for alias in aliases:
        unique.setdefault(normalize_alias(alias), alias)
    return list(unique.values())[1:]


def names_of(skill: Skill) -> list[str]:
    """Return the names that skills of people can have in GSI2: two while the skill is renamed."""
    return [skill.name, skill.previous_name] if skill.previous_name else [skill.name]


def spellings_of(skill: Skill) -> list[str]:
    """Return the normalized spellings that mean a skill: its id, its name and its aliases."""
    spellings = (skill.skill_id, skill.name, *skill.aliases)
    return list(dict.fromkeys(filter(None, map(normalize_alias, spellings))))


def taken(skill: Skill, current: object) -> AlreadyExists:
    """Return the error for a spelling that means another skill already."""
    if isinstance(current, SkillAlias):
        text = f"“{current.alias}” already means the skill {current.skill_id}."
        is_name = current.alias in (normalize_alias(skill.name), normalize_alias(skill.skill_id))
        return AlreadyExists({"skill_name" if is_name else "aliases": text})
    return AlreadyExists({"skill_id": f"There is already a skill with the id {skill.skill_id}."})
