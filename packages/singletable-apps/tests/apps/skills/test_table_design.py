"""What the table can do, and what the design document says it could."""

from __future__ import annotations

from singletable.schema import create_operation
from singletable_apps.skills.entities import entities
from singletable_apps.skills.patterns import patterns
from singletable_design.planning import hot_keys, workload_of


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
