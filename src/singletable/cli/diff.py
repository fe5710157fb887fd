"""`singletable diff`: compare a declaration with its schema.lock, and with the real tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli.options import OptionalAddress, SchemaApp, TableNames, parse_table_names
from singletable.errors import MigrationError

if TYPE_CHECKING:
    from rich.console import Console

    from singletable.infrastructure import Difference
    from singletable.migration.change_kinds import SchemaChange
    from singletable.migration.snapshot import Lock, Schema
    from singletable.schema import Table


class DiffFormat(Enum):
    """How the changes are printed."""

    TEXT = "text"
    JSON = "json"


def diff(
    app: SchemaApp,
    address: OptionalAddress = None,
    table_names: TableNames = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Record the declaration in schema.lock. Refused if a change needs a migration.",
        ),
    ] = False,
    output_format: Annotated[
        DiffFormat, typer.Option("--format", help="Print text for people, or JSON.")
    ] = DiffFormat.TEXT,
) -> None:
    """Show what has changed in a declaration since schema.lock, and what each change needs.

    schema.lock is beside the module and records the schema that the stored items have. With an
    address, the tables there are compared, too. The exit code is 0 if no change needs a migration,
    or a migration file makes it; 1 if one is missing, or a table differs; 2 after an error.
    """
    from rich.console import Console

    from singletable.cli.app_loader import load_schema
    from singletable.cli.output import shown_path
    from singletable.migration.files import (
        load_migrations,
        lock_path,
        migrations_folder,
        write_lock,
    )
    from singletable.migration.schema_changes import compare_schemas
    from singletable.migration.snapshot import read_lock, snapshot

    module, tables = load_schema(app)
    schema = snapshot(tables)
    path = lock_path(module)
    lock = read_lock(path)
    migrations = load_migrations(migrations_folder(module))
    names = [one.name for one in migrations]
    if lock is None:
        if not write:
            raise MigrationError(
                f"There is no '{shown_path(path)}' yet. Record the declaration that the stored "
                f"items have as the first one: singletable diff {app} --write"
            )
        write_lock(path, schema, names[-1] if names else None)
        typer.echo(f"{shown_path(path)}: written")
        raise typer.Exit(0)
    _check_lock(lock, names, path)
    changes = compare_schemas(lock.schema, schema)
    covered = [one.name for one in migrations if one.schema == schema.digest]
    result = Comparison(
        app,
        lock,
        schema,
        changes,
        covered[-1] if covered else None,
        [] if address is None else _compare_tables(tables, address, table_names),
    )
    if output_format is DiffFormat.JSON:
        typer.echo(json.dumps(result.as_json(), indent=2, ensure_ascii=False))
    else:
        _print(Console(highlight=False), result)
    if write and changes:
        if result.needs_migration:
            refused = "was not written, because a change needs a migration."
            typer.echo(f"singletable: {shown_path(path)} {refused}", err=True)
        else:
            write_lock(path, schema, result.covered_by or lock.migration)
            typer.echo(f"{shown_path(path)}: written", err=output_format is DiffFormat.JSON)
    raise typer.Exit(1 if result.needs_migration or result.differences else 0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `singletable diff` found."""

    app: str
    lock: Lock
    schema: Schema
    changes: Sequence[SchemaChange]
    covered_by: str | None
    differences: Sequence[Difference]

    @property
    def needs_migration(self) -> bool:
        """Whether a change needs a migration, and no file makes it."""
        return self.covered_by is None and any(one.kind.needs_migration for one in self.changes)

    def as_json(self) -> dict[str, Any]:
        """Return the result for programs."""
        return {
            "lock": self.lock.digest,
            "declaration": self.schema.digest,
            "migration": self.covered_by,
            "needs_migration": self.needs_migration,
            "changes": [
                {
                    "table": change.table,
                    "subject": change.subject,
                    "before": change.before,
                    "after": change.after,
                    "kind": change.kind.name.lower(),
                    "advice": change.advice,
                    "steps": [str(step) for step in change.steps],
                    "needs_edit": change.needs_edit,
                }
                for change in self.changes
            ],
            "differences": [
                {
                    "table": one.table,
                    "subject": one.subject,
                    "declared": one.declared,
                    "actual": one.actual,
                    "kind": one.change.name.lower(),
                    "advice": one.advice,
                }
                for one in self.differences
            ],
        }


def _check_lock(lock: Lock, names: Sequence[str], path: Path) -> None:
    from singletable.cli.output import shown_path

    if lock.migration is not None and lock.migration not in names:
        raise MigrationError(
            f"'{shown_path(path)}' names the migration {lock.migration}, but there is no such "
            "file. Restore both from version control: they belong together."
        )


def _compare_tables(
    tables: Sequence[Table], address: str, table_names: list[str] | None
) -> list[Difference]:
    from singletable.cli.existing_tables import connect_existing
    from singletable.infrastructure import (
        ChangeKind,
        Difference,
        compare_table,
        describe_table,
        resolve_table_names,
    )

    found: list[Difference] = []
    names = resolve_table_names(tables, parse_table_names(table_names))
    with connect_existing(address) as driver:
        for table, name in names.items():
            described = describe_table(driver, name)
            if described is None:
                advice = "Create it with: singletable table create."
                missing = "a table", "none", ChangeKind.NEW_TABLE
                found.append(Difference(name, "table", *missing, advice))
            else:
                found += compare_table(table, described)
    return found


def _print(console: Console, result: Comparison) -> None:
    from rich.text import Text

    from singletable.migration.change_kinds import SchemaChangeKind

    for kind in SchemaChangeKind:
        if changes := [change for change in result.changes if change.kind is kind]:
            style = "green" if not kind.needs_migration else "bold red"
            style = "bold yellow" if kind.needs_migration and kind.name != "DANGEROUS" else style
            console.print(Text(f"{kind.value}:", style))
            for change in changes:
                _print_change(console, change)
    if result.differences:
        console.print(Text("tables that differ from their declaration:", "bold yellow"))
        for one in result.differences:
            facts = f"declared {one.declared}, but found {one.actual}"
            _print_facts(console, f"{one.table} {one.subject}", facts, one.advice)
    _print_summary(console, result)


def _print_change(console: Console, change: SchemaChange) -> None:
    _print_facts(console, change.subject, f"{change.before} → {change.after}", change.advice)
    if change.needs_edit:
        console.print("    Edit the declaration before you draft a migration.")
    elif change.steps:
        console.print(f"    Steps: {', '.join(map(str, change.steps))}", soft_wrap=True)


def _print_facts(console: Console, subject: str, facts: str, advice: str) -> None:
    from rich.text import Text

    from singletable.cli.output import escape_controls, print_trimmed

    print_trimmed(console, Text.assemble((escape_controls(subject), "bold")), indent=2)
    print_trimmed(console, Text(escape_controls(facts), "cyan"), indent=4)
    print_trimmed(console, Text(escape_controls(advice)), indent=4)


def _print_summary(console: Console, result: Comparison) -> None:
    from singletable.cli.output import pluralize

    if not result.changes:
        console.print(f"The declaration is as in schema.lock ({result.lock.digest}).")
        return
    needed = sum(change.kind.needs_migration for change in result.changes)
    summary = "none needs a migration. Record them with: singletable diff {} --write"
    if needed and result.covered_by is not None:
        summary = f"the migration {result.covered_by} makes them."
    elif needed:
        verb = "needs" if needed == 1 else "need"
        summary = f"{needed} {verb} a migration. Draft it with: singletable migration new {{}} NAME"
    count = pluralize(len(result.changes), "change")
    console.print(f"{count}; {summary.format(result.app)}", soft_wrap=True)
