"""`singletable introspect`: write a Python declaration of existing tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamodb_engine.values import Item, content_of
from singletable.cli.options import Address
from singletable.errors import TableNotFound

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID
    from rich.text import Text

    from dynamodb_engine.operations import Driver
    from singletable_design.introspection import Introspection, TableSample

# How many items of each table are read.
SAMPLE_SIZE = 1_000


def introspect(
    address: Address,
    table: Annotated[
        str | None,
        typer.Argument(metavar="[TABLE]", help="The name of a table. Without it, all tables."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="Write to this new file.")
    ] = None,
) -> None:
    """Write Python that declares existing tables, inferred from a sample of their items.

    Infers key templates, entities, field types and index keys. The entities are shown on standard
    error; the source goes to standard output or a file. Every sampled item has been decoded and
    encoded with the generated source; items that do not match are listed at its top.
    """
    from rich.console import Console

    from singletable.cli.output import write_output
    from singletable_design.introspection import introspect as introspect_samples

    console = Console(stderr=True, highlight=False)
    result = introspect_samples(_read_samples(address, table, console))
    print_entities(result, console)
    write_output(result.source, output)


def _read_samples(address: str, table: str | None, console: Console) -> list[TableSample]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from singletable.cli.existing_tables import connect_existing
    from singletable_design.introspection import read_sample

    with connect_existing(address) as driver:
        names = _table_names(driver, table)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            samples: list[TableSample] = []
            for name in names:
                task = progress.add_task(f"reading {name}", total=SAMPLE_SIZE)
                on_progress = partial(_update, progress, task)
                samples.append(read_sample(driver, name, SAMPLE_SIZE, on_progress))
        return samples


def _update(progress: Progress, task: TaskID, count: int) -> None:
    progress.update(task, completed=count)


def _table_names(driver: Driver, table: str | None) -> list[str]:
    """Return the named table or all tables; raise TableNotFound if there are none."""
    from singletable.cli.existing_tables import describe_existing, list_tables

    if table is not None and next(list_tables(driver), None) is not None:
        return [describe_existing(driver, table).table_name]
    names = list(list_tables(driver))
    if not names:
        raise TableNotFound("There are no tables at this address.")
    return names


def print_entities(result: Introspection, console: Console) -> None:
    """Print the inferred entities: key, number of items and an example of each."""
    from rich.table import Table as Grid
    from rich.text import Text

    from singletable_design.introspection.spec import key_text

    for spec in result.tables:
        grid = Grid("entity", "key", "items", "example", title=Text(spec.table.name))
        keys = [attribute.name for attribute in spec.table.key_attributes]
        for entity in spec.entities:
            key = Text(key_text(entity.key))
            grid.add_row(entity.name, key, str(len(entity.items)), _example(entity.items, keys))
        for group in spec.unmatched:
            example = _example(group.items, keys)
            grid.add_row(Text("unmatched"), Text(group.shape), str(len(group.items)), example)
        console.print(grid)


def _example(items: Sequence[Item], keys: Sequence[str]) -> Text:
    from rich.text import Text

    return Text(" / ".join(str(content_of(items[0][key])) for key in keys) if items else "")
