"""What the table can do, and what the design document says it could."""

from __future__ import annotations

from datetime import date

import pytest

from singletable import Query, ValidationError
from singletable.planning import hot_keys, workload_of
from singletable.schema import create_operation
from singletable_apps.skills.entities import Level, UserSkill, entities
from singletable_apps.skills.patterns import patterns, users_with_years
from tests.apps.skills.support.world import World


# The document's query: SK1 >= 5 AND SK2 >= "2024-01-01".
def test_two_ranges_in_one_query_are_rejected(memory: World) -> None:
    two_ranges = Query(
        "glad-entities",
        index_name="GSI2",
        key_condition_expression="SkillName = :skill AND ProficiencyLevel = :level AND "
        "YearsOfExperience >= :years AND LastUsedDate >= :day",
        expression_attribute_values={
            ":skill": {"S": "Python"},
            ":level": {"S": "Expert"},
            ":years": {"N": "5"},
            ":day": {"S": "2024-01-01"},
        },
    )
    with pytest.raises(ValidationError):
        memory.driver.execute(two_ranges)


# LastUsedDate is in the key of GSI2, so that a filter cannot have it either.
def test_last_use_is_compared_after_a_query_by_years(memory: World) -> None:
    memory.fill(
        {
            "ada": {"Python": ("Expert", 9, date(2025, 6, 1))},
            "bob": {"Python": ("Expert", 9, date(2020, 6, 1))},
            "eve": {"Python": ("Expert", 2, date(2025, 6, 1))},
        }
    )
    store, since = memory.service.context.store, date(2024, 1, 1)
    selection = users_with_years("Python", Level.EXPERT, 5)
    with pytest.raises(ValidationError, match="can only contain non-primary key attributes"):
        list(store.query(selection, where=UserSkill.last_used >= since))
    found = [skill for skill in store.query(selection) if skill.last_used >= since]
    assert [skill.username for skill in found] == ["ada"]


# ALL would copy password hashes into every index; INCLUDE allows 20 attributes in an index.
def test_indexes_have_no_password_hashes_and_20_attributes_at_most() -> None:
    indexes = create_operation(entities).global_secondary_indexes or []
    projected = [set(index.projection.non_key_attributes or ()) for index in indexes]
    assert all(projected)
    for attributes in projected:
        assert len(attributes) <= 20
        assert not attributes & {"PasswordHash", "Credentials", "Email", "user_id"}


# A partition takes 1,000 writes and 3,000 reads a second, and one skill in six is the first.
def test_most_popular_skill_needs_no_shards() -> None:
    skills = [one for one in hot_keys(workload_of([patterns])) if one.text.startswith("SKILL#")]
    assert skills
    assert all(one.share < 0.5 for one in skills)
