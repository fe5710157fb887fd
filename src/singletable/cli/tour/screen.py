"""How the tour looks: headings, labelled steps, and a summary at the end."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from singletable.cli.tour.answer import answer_view
from singletable.cli.tour.chapter import Step
from singletable.cli.tour.consumed import consumed_by, consumption_text
from singletable.cli.tour.plain import several
from singletable.cli.tour.request import request_lines
from singletable.cli.tour.tally import Tally
from singletable.cli.trimmed import print_trimmed
from singletable.operations import KeySchemaElement, Operation, Projection, TableDescription

# Lines longer than this are hard to read, however wide the terminal.
WIDEST = 120


class Screen:
    """Where the tour is shown; plain for readers of text alone."""

    def __init__(self, console: Console, *, plain: bool) -> None:
        self._console = console
        self._console.width = min(console.width, WIDEST)
        self._line = "-" if plain or not console.encoding.startswith("utf") else "─"

    def heading(self, title: str, about: str) -> None:
        """Begin a part of the tour."""
        self._console.print()
        self._console.rule(
            Text(title, style="bold cyan"), align="left", characters=self._line, style="cyan"
        )
        if about:
            self._console.print()
            self._indented(Text(about))

    def tables(self, tables: Sequence[TableDescription], expiry: Sequence[str]) -> None:
        """What was created, by its own description, and the attributes that items expire by."""
        grid = _grid()
        for table in tables:
            grid.add_row("table", _keyed(table.table_name, table.key_schema))
            for index in table.global_secondary_indexes or ():
                carried = _carried(index.projection)
                grid.add_row("index", _keyed(index.index_name, index.key_schema) + carried)
        for attribute in expiry:
            grid.add_row("expiry", Text(f"by {attribute}, in seconds since 1970"))
        self._console.print()
        self._indented(grid)

    def filled(self, tally: Tally) -> None:
        """What was put in before the first step."""
        grid = _grid()
        consumed = several(tally.write_units, "write unit")
        grid.add_row("filled", Text(f"{several(tally.items, 'item')} in batches, {consumed}"))
        self._indented(grid)

    def step(self, step: Step[object], answer: object) -> None:
        """One access pattern: as the document has it, as it was asked, and what came of it."""
        grid = _grid()
        grid.add_row("document", Text(step.written))
        grid.add_row("request", _request(step.operation))
        grid.add_row("answer", answer_view(answer, step.columns))
        capacities = consumed_by(answer)
        if capacities:
            grid.add_row("consumed", Text(consumption_text(step.operation, capacities)))
        if step.remark:
            grid.add_row("note", Text(step.remark, style="italic"))
        self._console.print()
        self._indented(Text(step.pattern, style="bold"))
        self._indented(grid, by=4)

    def summary(self, tallies: Sequence[Tally]) -> None:
        """What the tour did, by chapter."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim underline")
        table.add_column("")
        for title in ("items", "requests", "refused", "read units", "write units"):
            table.add_column(title, justify="right")
        for tally in tallies:
            table.add_row(
                tally.title,
                *map(str, (tally.items, tally.requests, tally.refused)),
                *(f"{units:g}" for units in (tally.read_units, tally.write_units)),
            )
        self._console.print()
        self._indented(table)

    def pointers(self, pointers: Sequence[tuple[str, str]]) -> None:
        """Where to go next: what to type or open, and what one finds there."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column()
        for what, why in pointers:
            grid.add_row(Text(what, style="green"), why)
        self._console.print()
        self._indented(grid)
        self._console.print()

    def _indented(self, content: RenderableType, by: int = 2) -> None:
        print_trimmed(self._console, content, indent=by)


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True, min_width=8)
    grid.add_column(overflow="fold")
    return grid


def _request(operation: Operation[object]) -> RenderableType:
    """The request, its name first; a line that is too long goes on further in."""
    first, *rest = request_lines(operation)
    name = Text(first)
    name.stylize("bold green", 0, len(type(operation).__name__))
    indented = [
        Padding(Text(line.strip()), (0, 0, 0, len(line) - len(line.lstrip()))) for line in rest
    ]
    return Group(name, *indented)


def _carried(projection: Projection) -> str:
    """What an index holds of each item besides the keys."""
    match projection.projection_type:
        case "ALL":
            return " with whole items"
        case "INCLUDE":
            return f" with {', '.join(projection.non_key_attributes or ())}"
        case _:
            return " with keys only"


def _keyed(name: str, schema: Sequence[KeySchemaElement]) -> Text:
    """A name with its key, partition and sort attributes apart: GSI-1 (GSI1PK / GSI1SK)."""
    sides = (
        ", ".join(element.attribute_name for element in schema if element.key_type == side)
        for side in ("HASH", "RANGE")
    )
    return Text.assemble((name, "bold"), f" ({' / '.join(filter(None, sides))})")
