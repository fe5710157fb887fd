"""How items of one version follow from those of another: the functions of the migrations."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any, TypeVar

from singletable import Store
from singletable_apps.shared.accounts.usernames import check_username
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import entities
from singletable_apps.skills.history import phase1, phase2, users
from singletable_apps.skills.rules import derive_skill_id, normalize_alias
from singletable_apps.skills.service.catalog import MAX_ALIASES, spellings_of

E = TypeVar("E")
_USER_IDS = 1 << 53
_MAX_ID = 50


def to_phase1(old: users.User) -> phase1.User:
    """Return the user of phase 1. Raise InvalidInput for a username that nobody could sign in with.

    The table of users accepted every username of 3 to 50 characters.
    """
    checks = InputChecks()
    username = check_username(checks, old.username)
    if checks.errors or username != old.username:
        raise InvalidInput({"username": "Use letters, digits, dots, hyphens and underscores."})
    new = phase1.User(username=username, name=old.name, password_hash=old.password_hash)
    return _with_times(new, old)


def to_old_user(new: phase1.User | entities.User) -> users.User | None:
    """Return the user as the table of users had it. Other attributes have no place there."""
    if isinstance(new, entities.User) and new.left_at:
        return None  # at another username now, or deleted
    old = users.User(username=new.username, name=new.name, password_hash=new.password_hash)
    return _with_times(old, new)


def to_user(old: phase1.User | phase2.User) -> entities.User:
    """Return the user with a number, which is the same however often it is derived."""
    digest = sha256(f"user\0{old.username}".encode()).digest()
    new = entities.User(
        username=old.username,
        user_id=1 + int.from_bytes(digest[:8], "big") % (_USER_IDS - 1),
        name=old.name,
        password_hash=old.password_hash,
    )
    return _with_times(new, old)


def to_phase2_user(new: entities.User) -> phase2.User | None:
    """Return the user of phase 2."""
    if new.left_at:
        return None
    old = phase2.User(username=new.username, name=new.name, password_hash=new.password_hash)
    return _with_times(old, new)


def to_user_skill(old: phase2.UserSkill) -> entities.UserSkill:
    """Return the skill under its id. Its name is this person's spelling until the catalog exists.

    If someone has a skill in two spellings, the dry run names both: remove one of them first.
    """
    new = entities.UserSkill(
        username=old.username,
        skill_id=canonical_id(old.skill),
        skill_name=old.skill,
        level=entities.Level(old.level),
        years=old.years,
        last_used=old.last_used,
        endorsements=old.endorsements,
    )
    return _with_times(new, old)


def canonical_id(name: str) -> str:
    """Return the id of the skill that a name means: `C#` and `c sharp` are csharp.

    Names that share an alias have the same id, which depends on nothing but the name.
    """
    spelled = normalize_alias(name)
    plain = derive_skill_id(spelled).replace("-", "")
    if plain and len(spelled) <= _MAX_ID:
        return plain
    # Nothing is left of a name in another script, and not enough of a long one.
    return f"{plain[:30]}-{sha256(spelled.encode()).hexdigest()[:12]}".lstrip("-")


def create_catalog(store: Store) -> int:
    """Create the skills that people have and the catalog does not, and count people again.

    Returns the number of skills. Call it after phase 3 is cut over, before anybody uses it: a
    skill and its counts follow from all people who have it, and not from one item. It can be
    interrupted and called again.
    """
    found: dict[str, list[entities.UserSkill]] = {}
    for one in store.admin.scan(entities.UserSkill):
        found.setdefault(one.skill_id, []).append(one)
    for skill_id, people in sorted(found.items()):
        spellings = Counter(sorted(one.skill_name for one in people))
        skill = store.get(entities.Skill.key(skill_id), consistent=True)
        if skill is None:
            # The name is the most frequent spelling; the others are aliases.
            (name, _), *others = spellings.most_common()
            aliases = {normalize_alias(alias): alias for alias, _ in others}
            for known in (name, skill_id):
                aliases.pop(normalize_alias(known), None)
            skill = entities.Skill(
                skill_id=skill_id, name=name, aliases=[*aliases.values()][:MAX_ALIASES]
            )
            with store.transaction() as transaction:
                transaction.create(skill)
                for alias in spellings_of(skill):
                    if store.get(entities.SkillAlias.key(alias), consistent=True) is None:
                        transaction.create(entities.SkillAlias(alias=alias, skill_id=skill_id))
        for one in people:
            if one.skill_name != skill.name:
                store.update(
                    entities.UserSkill.key(one.username, skill_id),
                    entities.UserSkill.skill_name.set(skill.name),
                )
        levels = Counter(one.level.name.lower() for one in people)
        store.put(entities.SkillCount(skill_id=skill_id, **levels))
    return len(found)


def to_phase2_skill(new: entities.UserSkill) -> phase2.UserSkill:
    """Return the skill of phase 2, by its name."""
    old = phase2.UserSkill(
        username=new.username,
        skill=new.skill_name,
        level=new.level.value,
        years=new.years,
        last_used=new.last_used,
        endorsements=new.endorsements,
    )
    return _with_times(old, new)


def _with_times(item: E, source: Any) -> E:
    """Return the item with the times of another, which are not arguments of its class."""
    changed: Any = item
    changed.created_at, changed.updated_at = source.created_at, source.updated_at
    return item
