"""`singletable copy`: copy tables between addresses, whole, in part or anonymized."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import parse_pairs
from singletable.errors import InvalidValue, TableNotFound

if TYPE_CHECKING:
    from dynamodb_engine.operations import Driver
    from singletable.migration.anonymization import Anonymizer
    from singletable.migration.environment import StepProgress
    from singletable.migration.table_copy import CopyResult, CopySettings, TableCopy

PREVIEW_ITEMS = 3


def copy(
    source: Annotated[
        str, typer.Argument(metavar="A", help="Where the tables are, such as dynamodb:eu-west-1.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="B", help="Where they are copied to, such as file:sample.db.")
    ],
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME[=NEW]",
            help="A table to copy, and its name at B, if another. Repeat it; without it, all "
            "tables.",
        ),
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            "--sample",
            metavar="FRACTION",
            help="Copy a part of the partitions, each of them whole, such as 0.01.",
        ),
    ] = None,
    fakes: Annotated[
        list[str] | None,
        typer.Option(
            "--fake",
            metavar="ATTRIBUTE=KIND",
            help="Replace an attribute by an email, name, phone or hash, or remove it. Its value "
            "is replaced in keys and other texts of the item, too.",
        ),
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(
            "--secret",
            metavar="TEXT",
            envvar="SINGLETABLE_COPY_SECRET",
            help="Fakes are the same for the same secret. Without it, a random one.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            metavar="UNITS",
            min=1,
            help="Capacity units a second, reads and writes together. Without it, as fast as "
            "possible, but slower when requests are throttled.",
        ),
    ] = None,
    restart: Annotated[
        bool,
        typer.Option("--restart/--resume", help="Start an interrupted copy again, or continue it."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be copied, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before copying.")] = False,
) -> None:
    """Copy tables from one address to another.

    Missing tables are created with the same keys, indexes, TTL and billing. Items are copied as
    they are stored, over items with the same keys; nothing is deleted. After an interruption, run
    the command again with the same options: it continues. Do not use it to move a table that is in
    use, because changes during the copy may be missed; write a migration.
    """
    from singletable.cli.output import pluralize
    from singletable.migration.table_copy import CopySettings, TableCopy

    anonymizer = _anonymizer(parse_pairs("--fake", fakes, "ATTRIBUTE=KIND"), secret)
    settings = CopySettings(
        sample=sample,
        anonymizer=anonymizer,
        rate=rate,
    )
    with _connect_both(source, target, dry_run=dry_run) as (source_driver, target_driver):
        names = _select_tables(source_driver, tables)
        _check_new_names([*names.values()])
        copies = [
            TableCopy(source_driver, target_driver, name, new, settings)
            for name, new in names.items()
        ]
        for one in copies:
            _print_plan(one)
        if dry_run:
            for one in copies:
                _print_preview(one)
            return
        if not yes:
            noun = pluralize(len(copies), "table")
            typer.confirm(f"Copy {noun}? Items with the same keys are replaced.", abort=True)
        for one in copies:
            result = _run(one, restart=restart)
            _print_result(one, result)


@contextmanager
def _connect_both(source: str, target: str, *, dry_run: bool) -> Generator[tuple[Driver, Driver]]:
    from dynamodb_engine.addresses import file_path
    from singletable.cli.existing_tables import connect_existing
    from singletable.connect import connect

    if target.startswith("memory:"):
        raise InvalidValue(
            "A copy in memory would be lost when this command ends. Copy to a file, such as "
            "file:copy.db, or use singletable.migration.TableCopy in Python."
        )
    with connect_existing(source) as source_driver:
        if source == target:
            yield source_driver, source_driver
            return
        kind, _, rest = target.partition(":")
        if dry_run and kind == "file" and rest and not file_path(rest).exists():
            target = "memory:"  # opening a file creates it
        with connect(target) as target_driver:
            yield source_driver, target_driver


def _select_tables(driver: Driver, tables: list[str] | None) -> dict[str, str]:
    """Return the new names of the tables to copy; raise TableNotFound if one does not exist."""
    from singletable.cli.existing_tables import describe_existing, list_tables

    names: dict[str, str] = {}
    for text in tables or ():
        name, _, new = text.partition("=")
        found = describe_existing(driver, name).table_name
        names[found] = new or found
    names = names or {name: name for name in list_tables(driver)}
    if not names:
        raise TableNotFound("There are no tables to copy at this address.")
    return names


def _check_new_names(names: list[str]) -> None:
    """Raise InvalidValue if two tables would become one."""
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(
                f"--table: two tables would be copied to {name!r}, and items with the same keys "
                "would replace each other. Give each its own name (--table NAME=NEW)."
            )


def _anonymizer(kinds: dict[str, str], secret: str | None) -> Anonymizer | None:
    import secrets

    from singletable.migration.anonymization import Anonymizer

    if not kinds:
        return None
    if secret is None:
        secret = secrets.token_hex(8)
        typer.echo(
            f"The secret of this copy is {secret}. To continue or repeat it with the same fakes, "
            f"pass --secret {secret}.",
            err=True,
        )
    return Anonymizer(kinds, secret)


def _print_plan(one: TableCopy) -> None:
    from singletable.cli.output import pluralize

    count = pluralize(one.description.item_count, "item")
    target = "a new table" if one.is_new else "an existing table"
    typer.echo(f"{one.name}: about {count}, to {target} {one.new_name}")


def _print_preview(one: TableCopy) -> None:
    from singletable.cli.output import escape_controls, format_key

    typer.echo(f"\nThe first items of {one.new_name}:")
    items = one.preview(PREVIEW_ITEMS)
    for item in items:
        typer.echo(f"  {escape_controls(format_key(item))}")
    if not items:
        typer.echo("  none")


def _run(one: TableCopy, *, restart: bool) -> CopyResult:
    from singletable.cli.output import progress_bar
    from singletable.store import Progress

    with progress_bar(f"Copying {one.name}") as show:

        def on_progress(progress: StepProgress) -> None:
            show(Progress(progress.done, progress.total))

        one.on_progress = on_progress
        return one.run(restart=restart)


def _print_result(one: TableCopy, result: CopyResult) -> None:
    from singletable.cli.output import pluralize

    typer.echo(f"{one.new_name}: {pluralize(result.copied, 'item')} copied.")
    _print_replaced(one.settings, result)


def _print_replaced(settings: CopySettings, result: CopyResult) -> None:
    if settings.anonymizer is None:
        return
    for name, kind in settings.anonymizer.kinds.items():
        number = result.replaced.get(name, 0)
        done = "removed" if kind == "remove" else "replaced"
        if number:
            typer.echo(f"  {name}: {done} {number:,} times")
        else:
            typer.echo(f"  {name}: no item has this attribute. Check its spelling.", err=True)
