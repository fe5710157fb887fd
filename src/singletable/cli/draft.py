"""`singletable draft`: a declaration for a table that is there already."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.errors import TableNotFound
from singletable.values import Item, content_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID
    from rich.text import Text

    from singletable.introspection import Introspection, Sample
    from singletable.operations import Driver


def draft(
    address: Annotated[
        str, typer.Argument(help="Where the table is, such as file:votes.db or dynamodb:.")
    ],
    table: Annotated[
        str | None, typer.Argument(help="Its name. Without one, all tables there are drafted.")
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", min=1, metavar="N", help="Read at most so many items of it.")
    ] = 1000,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PATH", help="Write the draft to this new file."),
    ] = None,
) -> None:
    """Draft Python that declares an existing table, from some of its items.

    Finds the shapes of keys, the entities, the types of their fields and their keys in indexes.
    What was found is shown on standard error, the draft goes to standard output or a file. The
    draft has read and written again every item it was made of; items for which that does not hold
    are told at its top.
    """
    from rich.console import Console

    from singletable.cli.new_file import write_new
    from singletable.introspection import introspect as drafted

    console = Console(stderr=True, highlight=False)
    made = drafted(_samples(address, table, sample, console))
    show_found(made, console)
    write_new(made.source, output)


def _samples(address: str, table: str | None, most: int, console: Console) -> list[Sample]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from singletable.cli.existing import connect_existing
    from singletable.introspection import read_sample

    with connect_existing(address) as driver:
        names = _tables(driver, table)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            samples: list[Sample] = []
            for name in names:
                task = progress.add_task(f"reading {name}", total=most)
                read = partial(_tell, progress, task)
                samples.append(read_sample(driver, name, most, read))
        return samples


def _tell(progress: Progress, task: TaskID, count: int) -> None:
    progress.update(task, completed=count)


def _tables(driver: Driver, table: str | None) -> list[str]:
    """The table that is asked for, or all there are; refused if there is no such."""
    from singletable.operations import ListTables

    names: list[str] = []
    after: str | None = None
    while True:
        page = driver.execute(ListTables(exclusive_start_table_name=after))
        names += page.table_names
        after = page.last_evaluated_table_name
        if after is None:
            break
    if not names:
        raise TableNotFound("There are no tables at this address, so there is none to draft.")
    if table is not None and table not in names:
        raise TableNotFound(
            f"There is no table {table!r} at this address; there are: {', '.join(names)}."
        )
    return names if table is None else [table]


def show_found(made: Introspection, console: Console) -> None:
    """What entities there are: the shape of each, how many items, and an example."""
    from rich.table import Table as Shown
    from rich.text import Text

    from singletable.introspection.spec import key_text

    for drafted in made.tables:
        shown = Shown("entity", "shape", "items", "example", title=Text(drafted.table.name))
        keys = [attribute.name for attribute in drafted.table.key_attributes]
        for entity in drafted.entities:
            example = _example(entity.items, keys)
            shown.add_row(entity.name, Text(key_text(entity.key)), str(len(entity.items)), example)
        for left in drafted.unmatched:
            example = _example(left.items, keys)
            shown.add_row(Text("not placed"), Text(left.shape), str(len(left.items)), example)
        console.print(shown)


def _example(items: Sequence[Item], keys: Sequence[str]) -> Text:
    from rich.text import Text

    return Text(" / ".join(str(content_of(items[0][key])) for key in keys) if items else "")
