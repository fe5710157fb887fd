"""`singletable diff`: compare a declaration with its schema.lock, and with the real tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli.options import OptionalAddress, SchemaApp, table_names
from singletable.errors import MigrationError

if TYPE_CHECKING:
    from rich.console import Console

    from singletable.migration.schema_diff.change_kinds import SchemaChange
    from singletable.migration.schema_diff.lock_file import LockComparison
    from singletable.schema import Table
    from singletable.tables import Difference


class DiffFormat(Enum):
    """How the changes are printed."""

    TEXT = "text"
    JSON = "json"


def diff(
    ctx: typer.Context,
    app: SchemaApp,
    address: OptionalAddress = None,
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
    from singletable.migration.schema_diff.lock_file import compare_with_lock, lock_path, write_lock
    from singletable.migration.schema_diff.snapshot import snapshot

    module, tables = load_schema(app)
    path = lock_path(module)
    result = compare_with_lock(module, tables)
    if result is None:
        if not write:
            raise MigrationError(
                f"There is no '{shown_path(path)}' yet. Record the declaration that the stored "
                f"items have as the first one: singletable diff {app} --write"
            )
        write_lock(path, snapshot(tables), None)
        typer.echo(f"{shown_path(path)}: written")
        raise typer.Exit(0)
    differences = [] if address is None else _compare_tables(tables, address, table_names(ctx))
    if output_format is DiffFormat.JSON:
        typer.echo(json.dumps(_as_json(result, differences), indent=2, ensure_ascii=False))
    else:
        _print(Console(highlight=False), app, result, differences, is_recorded=write)
    if write and result.changes:
        if result.needs_migration:
            refused = "was not written, because a change needs a migration."
            typer.echo(f"singletable: {shown_path(path)} {refused}", err=True)
        else:
            write_lock(path, result.schema, result.made_by or result.lock.migration)
            typer.echo(f"{shown_path(path)}: written", err=output_format is DiffFormat.JSON)
    raise typer.Exit(1 if result.needs_migration or differences else 0)


def _as_json(result: LockComparison, differences: Sequence[Difference]) -> dict[str, Any]:
    return {
        "lock": result.lock.digest,
        "declaration": result.schema.digest,
        "migration": result.made_by,
        "needs_migration": result.needs_migration,
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
            for change in result.changes
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
            for one in differences
        ],
    }


def _compare_tables(
    tables: Sequence[Table], address: str, renamed: dict[str, str]
) -> list[Difference]:
    from singletable.cli.existing_tables import connect_existing
    from singletable.tables import (
        ChangeKind,
        Difference,
        compare_table,
        describe_table,
        resolve_table_names,
    )

    found: list[Difference] = []
    names = resolve_table_names(tables, renamed)
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


def _print(
    console: Console,
    app: str,
    result: LockComparison,
    differences: Sequence[Difference],
    *,
    is_recorded: bool,
) -> None:
    from rich.text import Text

    from singletable.migration.schema_diff.change_kinds import SchemaChangeKind

    for kind in SchemaChangeKind:
        if changes := [change for change in result.changes if change.kind is kind]:
            style = "green" if not kind.needs_migration else "bold red"
            style = "bold yellow" if kind.needs_migration and kind.name != "DANGEROUS" else style
            console.print(Text(f"{kind.value}:", style))
            for change in changes:
                _print_change(console, change)
    if differences:
        console.print(Text("tables that differ from their declaration:", "bold yellow"))
        for one in differences:
            facts = f"declared {one.declared}, but found {one.actual}"
            _print_facts(console, f"{one.table} {one.subject}", facts, one.advice)
    _print_summary(console, app, result, is_recorded=is_recorded)


def _print_change(console: Console, change: SchemaChange) -> None:
    _print_facts(console, change.subject, f"{change.before} → {change.after}", change.advice)
    if change.needs_edit:
        console.print("    Edit the declaration before you draft a migration.")
    elif change.steps:
        label = "Steps" if change.kind.needs_migration else "Optional steps"
        console.print(f"    {label}: {', '.join(map(str, change.steps))}", soft_wrap=True)


def _print_facts(console: Console, subject: str, facts: str, advice: str) -> None:
    from rich.text import Text

    from singletable.cli.output import escape_controls, print_trimmed

    print_trimmed(console, Text.assemble((escape_controls(subject), "bold")), indent=2)
    print_trimmed(console, Text(escape_controls(facts), "cyan"), indent=4)
    print_trimmed(console, Text(escape_controls(advice)), indent=4)


def _print_summary(
    console: Console, app: str, result: LockComparison, *, is_recorded: bool
) -> None:
    from singletable.cli.output import pluralize

    if not result.changes:
        console.print(f"The declaration is as in schema.lock ({result.lock.digest}).")
        return
    needed = sum(change.kind.needs_migration for change in result.changes)
    edits = sum(change.needs_edit for change in result.changes)
    summary = "none needs a migration."
    if not is_recorded:
        summary += " Record them with: singletable diff {} --write"
        if any(change.steps for change in result.changes):
            summary += "\nTo draft the optional steps instead: singletable migration new {} NAME"
    if needed and result.made_by is not None:
        summary = f"the migration {result.made_by} makes them."
    elif needed:
        verb = "needs" if needed == 1 else "need"
        summary = f"{needed} {verb} a migration. Draft it with: singletable migration new {{}} NAME"
        if edits:
            verb = "needs" if edits == 1 else "need"
            summary = f"{edits} {verb} an edit of the declaration first; see above."
    count = pluralize(len(result.changes), "change")
    console.print(f"{count}; {summary.format(app, app)}", soft_wrap=True)
