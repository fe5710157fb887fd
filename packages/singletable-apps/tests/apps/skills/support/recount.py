"""Count again what the directory has counted, and compare."""

from __future__ import annotations

from collections import Counter

from singletable import Store
from singletable_apps.skills.entities import (
    Endorsement,
    JobRole,
    Skill,
    SkillAlias,
    SkillChange,
    SkillCount,
    UserSkill,
)
from singletable_apps.skills.service.catalog import spellings_of
from tests.apps.skills.support.world import World


def check_counts(world: World) -> None:
    """Fail unless the counts of people and of endorsements are those of the items."""
    scan = Store(world.driver).admin.scan
    copies = list(scan(UserSkill))
    counted = Counter[tuple[str, str]]()
    for count in scan(SkillCount):
        for level in ("beginner", "intermediate", "advanced", "expert"):
            counted[count.skill_id, level] = getattr(count, level)
    assert +counted == Counter((copy.skill_id, copy.level.lower()) for copy in copies)
    assert min(counted.values(), default=0) >= 0
    received = {(copy.username.casefold(), copy.skill_id): copy.endorsements for copy in copies}
    assert +Counter(received) == Counter(
        (each.username.casefold(), each.skill_id) for each in scan(Endorsement)
    )


def check_consistent(world: World, *, is_finished: bool = True) -> None:
    """Fail unless counts, names, aliases, endorsements and targets agree with each other.

    With `is_finished`, also unless every rename and merge is finished.
    """
    check_counts(world)
    scan = Store(world.driver).admin.scan
    skills = {skill.skill_id: skill for skill in scan(Skill)}
    assert not [each for each in scan(Endorsement) if each.endorser == each.username]
    aliases = {each.alias: each.skill_id for each in scan(SkillAlias)}
    assert aliases == {
        alias: skill.skill_id for skill in skills.values() for alias in spellings_of(skill)
    }
    for copy in scan(UserSkill):
        skill = skills[copy.skill_id]
        assert copy.skill_name in (
            {skill.name} if is_finished else {skill.name, skill.previous_name}
        )
    assert all(target in skills for role in scan(JobRole) for target in role.targets)
    if is_finished:
        assert not list(scan(SkillChange))
        assert not [
            each
            for each in skills.values()
            if each.previous_name or each.merged_into or each.merging
        ]
