"""Add an entity to an app: ask, propose, and write the files."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from difflib import unified_diff
from typing import cast

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from singletable.cli.app_loader import load_module
from singletable.cli.explain_view import print_plan
from singletable.cli.output import pluralize, print_trimmed, shown_path
from singletable.errors import StorageError
from singletable.migration.schema_diff.lock_file import lock_path
from singletable.patterns import Pattern, PatternCatalog
from singletable.prices import region_prices
from singletable.schema.source import WIDTH, render_index
from singletable_design.cli.new.app_modules import AppModules, edited_modules, find_modules
from singletable_design.cli.new.entity_design import EntityDesign, check_entity_name, design_entity
from singletable_design.cli.new.entity_patterns import NewPattern, design_patterns
from singletable_design.cli.new.entity_questions import (
    EntityOptions,
    answers_of,
    ask_owner,
    ask_rest,
)
from singletable_design.cli.new.entity_source import (
    FileChange,
    plan_changes,
    render_entity,
    render_patterns,
)
from singletable_design.cli.new.source_edits import CannotEdit
from singletable_design.introspection.names import snake_case
from singletable_design.planning import (
    MonthlyCost,
    create_plan,
    hot_keys,
    loads_of,
    monthly_cost,
    workload_of,
)
from singletable_design.planning.hot_keys import READ_LIMIT, WRITE_LIMIT


def add_entity(console: Console, options: EntityOptions, *, asks: bool, is_dry_run: bool) -> None:
    """Design the entity, show the proposal, and write it after a confirmation."""
    modules = find_modules(options.app, options.owner)
    known = [entity.__name__ for entity in modules.table.entities]
    check_entity_name(options.name, known)
    if asks:
        options = ask_owner(options, known)
        modules = find_modules(options.app, options.owner)
    owner_fields = () if modules.owner is None else modules.owner.key.fields
    answers = ask_rest(options, owner_fields) if asks else answers_of(options)
    design = design_entity(
        answers, modules.table, modules.catalog, modules.owner, vars(modules.entities)
    )
    patterns = design_patterns(
        design,
        answers,
        options.owner,
        list(modules.catalog.patterns),
        vars(modules.catalog_at.module),
    )
    try:
        changes = plan_changes(modules, design, patterns)
    except CannotEdit as error:
        _print_by_hand(console, modules, design, patterns, error)
        raise typer.Exit(1) from None
    notes = _check(console, modules, changes, patterns, design)
    for note in (*design.notes, *notes):
        print_trimmed(console, Text.assemble(("Note: ", "bold yellow"), note))
    if is_dry_run:
        _print_diff(changes)
        return
    for change in changes:
        verb = "new" if change.before is None else "changed"
        console.print(f"{shown_path(change.path)}: {verb}", soft_wrap=True)
    if asks and not typer.confirm("Write these files?", default=True):
        typer.echo("Nothing was written.")
        raise typer.Exit(1)
    _write(changes)
    _print_next_steps(console, modules, design, changes)


# The proposal


def _check(
    console: Console,
    modules: AppModules,
    changes: Sequence[FileChange],
    patterns: Sequence[NewPattern],
    design: EntityDesign,
) -> list[str]:
    """Import the edited modules without writing them, and print what the patterns will cost.

    Returns the warnings about the entity, and about partitions that get too hot.
    """
    before = _monthly_cost(modules.catalog)
    files = {one.module: (one.path, one.after) for one in changes if one.module is not None}
    with edited_modules(files) as warnings:
        module = load_module(modules.catalog_at.module_name)
        catalog = cast("PatternCatalog", vars(module)[modules.catalog_at.variable])
        _print_keys(console, design)
        for one in patterns:
            print_plan(console, catalog[one.code], catalog)
        if any(one.rate is not None for one in patterns):
            _print_totals(console, [catalog[one.code] for one in patterns], catalog, before)
        notes = [one for one in warnings if design.name in one]
        return notes + _describe_hot_keys(catalog, [catalog[one.code].id for one in patterns])


def _print_totals(
    console: Console,
    patterns: Sequence[Pattern],
    catalog: PatternCatalog,
    before: MonthlyCost,
) -> None:
    plans = [one for one in create_plan([catalog]).patterns if one.pattern in patterns]
    read = sum(one.read.average for one in plans)
    write = sum(one.write.average for one in plans)
    after = _monthly_cost(catalog)
    units = [
        f"less than 0.01 {kind}s" if 0 < number < 0.01 else pluralize(round(number, 2), kind)
        for number, kind in ((read, "read unit"), (write, "write unit"))
    ]
    console.print(f"Together {' and '.join(units)} a second.")
    console.print(
        f"On demand in {after.region}, they add ${after.total - before.total:,.2f} a month to "
        f"${before.total:,.2f} so far.\n"
    )


def _monthly_cost(catalog: PatternCatalog) -> MonthlyCost:
    return monthly_cost(loads_of(create_plan([catalog])), region_prices())


def _describe_hot_keys(catalog: PatternCatalog, patterns: Sequence[str]) -> list[str]:
    """Say which partition keys the new patterns use more than DynamoDB allows."""
    return [
        f"The partition key {key.text} of {key.resource} gets {key.read:,.0f} read units and "
        f"{key.write:,.0f} write units a second at peak, and DynamoDB allows {READ_LIMIT:,} and "
        f"{WRITE_LIMIT:,}. Spread it over shards: Shards({math.ceil(key.share) + 1}) in pk."
        for key in hot_keys(workload_of([catalog]))
        if key.share > 1 and set(patterns) & set(key.patterns)
    ]


def _print_keys(console: Console, design: EntityDesign) -> None:
    count = "" if design.items is None else f"{pluralize(design.items, 'item')} of "
    size = pluralize(design.size, "byte")
    console.print(
        Text.assemble((design.name, "bold"), f" in {design.table.name}: {count}about {size}")
    )
    grid = Grid.grid(padding=(0, 2))
    for key in (design.key, design.index_key):
        if key is None:
            continue
        index = key.index
        names = [one.name for one in (index.pk if index else (design.table.pk,))]
        sort_names = [one.name for one in (index.sk if index else design.table.key_attributes[1:])]
        where = "" if index is None else f"{'new ' if design.new_index else ''}{index.name}"
        sides = [_side(names, key.pk), _side(sort_names, key.sk or ())]
        grid.add_row(key.name, where, Text(" / ".join(filter(None, sides))))
    print_trimmed(console, grid, indent=2)
    console.print()


def _side(names: Sequence[str], parts: Sequence[str]) -> str:
    """Return one side of a key: PK = USER#{username}."""
    fields = [re.sub(r"^\w+\((\w+).*", r"\1", one) for one in parts]
    texts = [one[1:-1] if one.startswith('"') else f"{{{one}}}" for one in fields]
    if len(names) > 1:
        return ", ".join(names)
    return f"{names[0]} = {'#'.join(texts)}" if names else ""


def _print_by_hand(
    console: Console,
    modules: AppModules,
    design: EntityDesign,
    patterns: Sequence[NewPattern],
    error: CannotEdit,
) -> None:
    typer.echo(f"singletable: {error} Nothing was written. Make these changes by hand:", err=True)
    index = design.index_key.index if design.index_key else None
    if design.new_index is not None:
        name = snake_case(design.new_index.name)
        console.print(f"In {modules.table_at.module_name}, add {name} to the table's indexes:\n")
        typer.echo(f"{render_index(design.new_index, name)}\n")
    variable = "" if index is None else snake_case(index.name)
    console.print(f"In {modules.entities.__name__}:\n")
    typer.echo(render_entity(design, modules.table_at.variable, variable, WIDTH))
    console.print(f"In {modules.catalog_at.module_name}:\n")
    typer.echo(render_patterns(design, patterns, modules.catalog_at.variable, WIDTH))


def _print_diff(changes: Sequence[FileChange]) -> None:
    for change in changes:
        name = str(shown_path(change.path))
        before = [] if change.before is None else change.before.splitlines(keepends=True)
        old = "/dev/null" if change.before is None else name
        for line in unified_diff(before, change.after.splitlines(keepends=True), old, name):
            typer.echo(line, nl=not line.endswith("\n"))


def _write(changes: Sequence[FileChange]) -> None:
    """Write all files; the first ones are restored if one cannot be written."""
    done: list[FileChange] = []
    try:
        for change in changes:
            is_new = change.before is None
            newline = "\n" if is_new or b"\r\n" not in change.path.read_bytes() else "\r\n"
            mode = "x" if is_new else "w"
            with change.path.open(mode, encoding="utf-8", newline=newline) as file:
                done.append(change)
                file.write(change.after)
    except OSError as error:
        for change in done:
            if change.before is None:
                change.path.unlink(missing_ok=True)
            else:
                change.path.write_text(change.before, encoding="utf-8")
        raise StorageError(
            f"'{error.filename}' cannot be written: {error.strerror}. Nothing was changed."
        ) from None


def _print_next_steps(
    console: Console, modules: AppModules, design: EntityDesign, changes: Sequence[FileChange]
) -> None:
    steps = [f"python -m pytest {shown_path(changes[-1].path)}"]
    name = modules.table_at.module_name
    if lock_path(modules.table_at.module).exists():
        if design.new_index is not None:
            steps.append(f"singletable migration new {name} add_{snake_case(design.name)}")
        else:
            steps.append(f"singletable diff {name} --write")
    steps.append(f"singletable plan {modules.catalog_at.module_name}")
    console.print("Next:")
    for step in steps:
        console.print(f"  {step}", soft_wrap=True)
    if design.new_index is not None:
        console.print(
            f"The index {design.new_index.name} is new: tables that exist need it before the "
            "patterns work."
        )
