"""The catalog: the skills that people can have, by any spelling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from singletable import AlreadyExists as ItemExists
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Category, Skill, SkillAlias, SkillCount, User
from singletable_apps.skills.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.skills.rules import (
    MAX_SKILL_NAME,
    PERMISSIONS,
    Permission,
    derive_skill_id,
    is_key,
    normalize_alias,
)
from singletable_apps.skills.service.context import Context

MAX_ALIASES = 20
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


@dataclass(frozen=True, slots=True)
class SkillName:
    """A skill in a list: everything that the index has."""

    skill_id: str
    name: str
    category: Category


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
        found = self._store.get(SkillAlias.key(alias))
        skill = None if found is None else self._store.get(Skill.key(found.skill_id))
        if skill is not None and skill.merged_into:
            return self._store.get(Skill.key(skill.merged_into))
        return skill

    def get(self, spelling: str) -> Skill:
        """Return the skill that a spelling means, or raise NotFound."""
        skill = self.find(spelling)
        if skill is None:
            raise NotFound("There is no such skill in the catalog.")
        return skill

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
        skills = {
            skill.skill_id: skill
            for skill in self._store.get_many([Skill.key(each) for each in {*known.values()}])
            if skill is not None
        }
        found: dict[str, Skill] = {}
        for spelling, key in keys.items():
            skill = skills.get(known.get(key, ""))
            if skill is not None:
                found[spelling] = skill
        return found

    def list_names(self) -> list[SkillName]:
        """Return all skills by category and name, from the index alone."""
        rows = self._store.select(Skill.listed(), Skill.skill_id, Skill.name, Skill.category)
        return [SkillName(*row) for row in rows]

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
            raise _taken(skill, error.current) from error
        return self._context.get_skill(skill.skill_id, consistent=True)


def check_skill(edit: SkillEdit) -> Skill:
    """Return the skill that was entered, or raise InvalidInput."""
    checks = InputChecks()
    name = checks.line("name", edit.name, longest=MAX_SKILL_NAME, required=True)
    skill_id = edit.skill_id.strip().lower() or derive_skill_id(name)
    if not is_key(skill_id) or derive_skill_id(skill_id) != skill_id:
        text = "Use 1 to 50 lowercase letters, digits and hyphens, such as type-script."
        checks.reject("skill_id", text)
    if not normalize_alias(name):
        checks.reject("name", "Use at least one letter or digit.")
    aliases = [
        checks.line("aliases", alias, longest=MAX_SKILL_NAME) for alias in edit.aliases if alias
    ]
    if len(aliases) > MAX_ALIASES:
        checks.reject("aliases", f"Use at most {MAX_ALIASES} aliases.")
    tags = [checks.line("tags", tag, longest=50) for tag in edit.tags if tag]
    if len(tags) > MAX_ALIASES:
        checks.reject("tags", f"Use at most {MAX_ALIASES} tags.")
    description = checks.text("description", edit.description, longest=MAX_DESCRIPTION)
    checks.raise_errors(InvalidInput)
    return Skill(
        skill_id=skill_id,
        name=name,
        category=edit.category,
        description=description,
        tags=list(dict.fromkeys(tags)),
        aliases=list(dict.fromkeys(aliases)),
    )


def spellings_of(skill: Skill) -> list[str]:
    """Return the normalized spellings that mean a skill: its id, its name and its aliases."""
    spellings = (skill.skill_id, skill.name, *skill.aliases)
    return list(dict.fromkeys(filter(None, map(normalize_alias, spellings))))


def _taken(skill: Skill, current: object) -> AlreadyExists:
    if isinstance(current, SkillAlias):
        text = f"“{current.alias}” already means the skill {current.skill_id}."
        is_name = current.alias in (normalize_alias(skill.name), normalize_alias(skill.skill_id))
        return AlreadyExists({"name" if is_name else "aliases": text})
    return AlreadyExists({"skill_id": f"There is already a skill with the id {skill.skill_id}."})
