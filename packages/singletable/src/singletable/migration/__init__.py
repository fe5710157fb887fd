"""Change tables that are in use: migrations that can be planned, interrupted, verified, undone."""

from singletable.migration.backfill import Backfill
from singletable.migration.copy_step import Copy
from singletable.migration.counts import AddCount
from singletable.migration.driver import AsyncSwitchingDriver, SwitchingDriver
from singletable.migration.environment import StepProgress
from singletable.migration.history import MigrationHistory
from singletable.migration.indexes import AddIndex, CreateTable, DropIndex, DropTable
from singletable.migration.migrations import Migration, load_migration
from singletable.migration.rehearsal import dry_run
from singletable.migration.rewrite import Rewrite
from singletable.migration.rules import Part, Rule, each, leave_out, merge, unchanged, undecided
from singletable.migration.runner import MigrationRunner, Status, verify
from singletable.migration.schema_diff.lock_file import check_schema
from singletable.migration.step import Step
from singletable.migration.table_copy import CopySettings, TableCopy
from singletable.migration.trial import DryRun
from singletable.migration.uniques import AddUnique

__all__ = [
    "AddCount",
    "AddIndex",
    "AddUnique",
    "AsyncSwitchingDriver",
    "Backfill",
    "Copy",
    "CopySettings",
    "CreateTable",
    "DropIndex",
    "DropTable",
    "DryRun",
    "Migration",
    "MigrationHistory",
    "MigrationRunner",
    "Part",
    "Rewrite",
    "Rule",
    "Status",
    "Step",
    "StepProgress",
    "SwitchingDriver",
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
