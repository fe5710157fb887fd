"""Change tables that are in use: migrations that can be planned, interrupted, verified, undone."""

from singletable.migration.driver import AsyncMigratingDriver, MigratingDriver
from singletable.migration.files import check_schema
from singletable.migration.steps import (
    AddCount,
    AddIndex,
    AddUnique,
    Backfill,
    Copy,
    CreateTable,
    DropIndex,
    DropTable,
    Migration,
    Part,
    Rewrite,
    Rule,
    Step,
    each,
    leave_out,
    merge,
    unchanged,
    undecided,
)

__all__ = [
    "AddCount",
    "AddIndex",
    "AddUnique",
    "AsyncMigratingDriver",
    "Backfill",
    "Copy",
    "CreateTable",
    "DropIndex",
    "DropTable",
    "MigratingDriver",
    "Migration",
    "Part",
    "Rewrite",
    "Rule",
    "Step",
    "check_schema",
    "each",
    "leave_out",
    "merge",
    "unchanged",
    "undecided",
]
