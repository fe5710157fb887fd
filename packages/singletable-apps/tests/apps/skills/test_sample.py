"""The sample company is complete, and its counts are those of its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from singletable import Engine
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills.entities import Endorsement, User, UserSkill
from singletable_apps.skills.rules import people_at
from singletable_apps.skills.sample import ACCOUNTS, PASSWORD, create_sample, list_sample
from tests.apps.skills.support.world import World


@pytest.fixture(scope="module")
def sample() -> Iterator[World]:
    """Return a world with the sample. It is loaded in bulk, which is no access pattern."""
    with Engine.in_memory() as engine:
        world = World(engine)
        create_sample(world.service)
        yield world


def test_sample_has_120_people_and_60_skills_with_exact_counts(sample: World) -> None:
    service = sample.service
    store = service.context.store
    people = store.count(User.by_name())
    names = service.catalog.list_names()
    counts = service.catalog.counts(each.skill_id for each in names)
    assert (people, len(names)) == (120, 60)
    assert all(people_at(count) for count in counts.values())
    for name in names[::7]:
        skills = list(store.query(UserSkill.by_skill(name.skill_id)))
        stored = Counter(skill.level for skill in skills)
        counted = counts[name.skill_id]
        assert [*map(stored.__getitem__, stored)] == [
            getattr(counted, level.lower()) for level in stored
        ]
        for skill in skills[:3]:
            given = store.query(Endorsement.key.partition(skill.username, skill.skill_id))
            assert len(list(given)) == skill.endorsements


def test_sample_accounts_sign_in_and_it_is_created_once(sample: World) -> None:
    for username, *_ in ACCOUNTS:
        sample.service.accounts.sign_in(username, PASSWORD)
    listed = list_sample(sample.service)
    assert listed is not None
    assert len(listed.entries) == 3
    with pytest.raises(NotPermitted):
        create_sample(sample.service)
