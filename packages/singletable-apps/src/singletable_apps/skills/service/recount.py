"""Compare counts with the items that they count, and repair them.

Counts change in the transaction of what they count, so they are right by design. They can be wrong
after a restored backup, items that were edited by hand, or a bug.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from singletable import ConditionFailed, Store
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Level, Skill, SkillCount, UserSkill
from singletable_apps.skills.rules import LEVELS
from singletable_apps.skills.service.context import ATTEMPTS
from singletable_apps.skills.service.user_skills import COUNTERS, counts_are

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class CountDifference:
    """A count that differs from its items: what is counted, the count, and the items."""

    what: str
    counted: int
    found: int
    is_repaired: bool = False


class Recount:
    """Counts people by level of each skill, and endorsements of each skill of a person, again.

    A count that changes meanwhile is looked at again. With `repair`, the difference is added, on
    the condition that the count is still the one that was compared.
    """

    def __init__(self, store: Store, *, repair: bool = False) -> None:
        self._store = store
        self._repair = repair

    def run(self, progress: Progress | None = None) -> Iterator[CountDifference]:
        """Yield every difference."""
        skill_ids = [skill_id for (skill_id,) in self._store.select(Skill.listed(), Skill.skill_id)]
        for number, skill_id in enumerate(skill_ids):
            if progress is not None:
                progress(number, len(skill_ids))
            yield from self._count_people(skill_id)
            for skill in self._store.run(patterns.users_with_skill, skill_id):
                yield from self._count_endorsements(skill)

    def _count_people(self, skill_id: str) -> Iterator[CountDifference]:
        counted, found = self._people(skill_id)
        for _ in range(ATTEMPTS):
            if counted == found:
                return
            before = (counted, found)
            counted, found = self._people(skill_id)
            # The index follows the table after a moment: only what is seen twice differs.
            if before == (counted, found):
                break
        wrong = [level for level in LEVELS if counted[level] != found[level]]
        is_repaired = False
        if self._repair:
            changes = [COUNTERS[level].add(found[level] - counted[level]) for level in wrong]
            # Of an item that does not exist, the condition holds.
            same = counts_are(counted)
            with suppress(ConditionFailed):
                self._store.upsert(SkillCount.key(skill_id), *changes, if_=same)
                is_repaired = True
        for level in wrong:
            what = f"{skill_id}: people at {level}"
            yield CountDifference(what, counted[level], found[level], is_repaired)

    def _people(self, skill_id: str) -> tuple[dict[Level, int], dict[Level, int]]:
        """Return how many people are counted at each level, and how many are found."""
        key = SkillCount.key(skill_id)
        stored = self._store.get(key, consistent=True) or SkillCount(skill_id=skill_id)
        skills = self._store.run(patterns.users_with_skill, skill_id)
        found = Counter(each.level for each in skills)
        numbers = (stored.beginner, stored.intermediate, stored.advanced, stored.expert)
        return dict(zip(LEVELS, numbers, strict=True)), {each: found[each] for each in LEVELS}

    def _count_endorsements(self, seen: UserSkill) -> Iterator[CountDifference]:
        key = UserSkill.key(seen.username, seen.skill_id)
        for _ in range(ATTEMPTS):
            selection = patterns.endorsers(seen.username, seen.skill_id)
            found = self._store.count(selection, consistent=True)
            skill = None
            if found != seen.endorsements:
                skill = self._store.get(key, consistent=True)
            if skill is None:
                return
            if skill.revision == seen.revision:
                yield self._differ(seen, found)
                return
            seen = skill

    def _differ(self, skill: UserSkill, found: int) -> CountDifference:
        is_repaired = False
        if self._repair:
            with suppress(ConditionFailed):
                self._store.update(
                    UserSkill.key(skill.username, skill.skill_id),
                    UserSkill.endorsements.set(found),
                    if_=UserSkill.revision == skill.revision,
                )
                is_repaired = True
        what = f"{skill.skill_id} of {skill.username}: endorsements"
        return CountDifference(what, skill.endorsements, found, is_repaired)
