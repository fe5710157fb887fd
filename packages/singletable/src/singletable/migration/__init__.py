"""Change tables that are in use: migrations that can be planned, interrupted, verified, undone."""

from singletable.migration.driver import AsyncMigratingDriver, MigratingDriver
from singletable.migration.dry_run import DryRun, dry_run
from singletable.migration.environment import StepProgress
from singletable.migration.runner import MigrationRunner, Status
from singletable.migration.schema_diff.files import check_schema, load_migration
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
from singletable.migration.table_copy import CopySettings, TableCopy
from singletable.migration.verification import verify

__all__ = [
    "AddCount",
    "AddIndex",
    "AddUnique",
    "AsyncMigratingDriver",
    "Backfill",
    "Copy",
    "CopySettings",
    "CreateTable",
    "DropIndex",
    "DropTable",
    "DryRun",
    "MigratingDriver",
    "Migration",
    "MigrationRunner",
    "Part",
    "Rewrite",
    "Rule",
    "Status",
    "Step",
    "StepProgress",
    "TableCopy",
    "check_schema",
    "dry_run",
    "each",
    "leave_out",
    "load_migration",
    "merge",
    "unchanged",
    "undecided",
    "verify",
]
