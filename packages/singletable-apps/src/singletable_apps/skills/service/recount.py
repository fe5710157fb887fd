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
from singletable_apps.skills.service.catalog import COUNTERS, counts_are


@dataclass(frozen=True, slots=True)
class CountDifference:
    """A count that differs from its items: what is counted, the count, and the items."""

    what: str
    counted: int
    found: int
    is_repaired: bool = False


def recount(
    store: Store, *, repair: bool = False, progress: Callable[[int, int], None] | None = None
) -> Iterator[CountDifference]:
    """Count people by level of each skill, and endorsements, again. Yield every difference.

    A count that changes meanwhile is left to the next run: it is repaired on the condition that it
    is still the one that was compared.
    """
    skill_ids = [skill_id for (skill_id,) in store.select(Skill.listed(), Skill.skill_id)]
    for number, skill_id in enumerate(skill_ids):
        if progress is not None:
            progress(number, len(skill_ids))
        yield from _count_people(store, skill_id, repair)
        for skill in store.run(patterns.users_with_skill, skill_id):
            yield from _count_endorsements(store, skill, repair)


def _count_people(store: Store, skill_id: str, repair: bool) -> Iterator[CountDifference]:
    counted, found = seen = _people(store, skill_id)
    # The index follows the table after a moment: only what is seen twice differs.
    if counted == found or seen != _people(store, skill_id):
        return
    wrong = [level for level in LEVELS if counted[level] != found[level]]
    is_repaired = False
    if repair:
        changes = [COUNTERS[level].add(found[level] - counted[level]) for level in wrong]
        with suppress(ConditionFailed):
            # Of an item that does not exist, the condition holds.
            store.upsert(SkillCount.key(skill_id), *changes, if_=counts_are(counted))
            is_repaired = True
    for level in wrong:
        what = f"{skill_id}: people at {level}"
        yield CountDifference(what, counted[level], found[level], is_repaired)


def _people(store: Store, skill_id: str) -> tuple[dict[Level, int], dict[Level, int]]:
    """Return how many people are counted at each level, and how many are found."""
    stored = store.get(SkillCount.key(skill_id), consistent=True) or SkillCount(skill_id=skill_id)
    found = Counter(each.level for each in store.run(patterns.users_with_skill, skill_id))
    counted = {level: int(getattr(stored, level.lower())) for level in LEVELS}
    return counted, {level: found[level] for level in LEVELS}


def _count_endorsements(store: Store, seen: UserSkill, repair: bool) -> Iterator[CountDifference]:
    key = UserSkill.key(seen.username, seen.skill_id)
    found = store.count(patterns.endorsers(seen.username, seen.skill_id), consistent=True)
    now = store.get(key, consistent=True) if found != seen.endorsements else None
    if now is None or now.revision != seen.revision:
        return
    is_repaired = False
    if repair:
        with suppress(ConditionFailed):
            unchanged = UserSkill.revision == seen.revision
            store.update(key, UserSkill.endorsements.set(found), if_=unchanged)
            is_repaired = True
    what = f"{seen.skill_id} of {seen.username}: endorsements"
    yield CountDifference(what, seen.endorsements, found, is_repaired)
