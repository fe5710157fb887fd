"""The declaration and schema.lock say the same."""

from __future__ import annotations

from singletable.migration import check_schema

from myapp import entities


# A change that stored items cannot follow needs a migration.
def test_schema_has_not_changed_without_a_migration() -> None:
    check_schema(entities)
