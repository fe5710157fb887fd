"""The terminal output of the tour: headings, tables, steps and the summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from singletable.cli.output import escape_controls, format_value, pluralize, print_trimmed
from singletable.cli.request_text import consumed_text, request_lines
from singletable.errors import OperationError, SingleTableError, TransactionCanceled
from singletable.operations import GetItemOutput, PageOutput, SweepExpiredOutput
from singletable.schema import Collection, Index, Table, model_of
from singletable.store import Change, Changes, Page, SentRequest
from singletable.values import Item
from singletable_apps.tour.design import Step

# Longer lines are hard to read, however wide the terminal is.
MAX_WIDTH = 120


class View:
    """Prints the tour; `plain` is without drawn lines, for files and screen readers."""

    def __init__(self, console: Console, *, plain: bool) -> None:
        self._console = console
        self._console.width = min(console.width, MAX_WIDTH)
        self._rule = "-" if plain or not console.encoding.startswith("utf") else "─"

    def heading(self, title: str, description: str) -> None:
        """Begin a part of the tour."""
        self._console.print()
        self._console.rule(
            Text(title, style="bold cyan"), align="left", characters=self._rule, style="cyan"
        )
        if description:
            self._console.print()
            print_trimmed(self._console, Text(description), indent=2)

    def tables(self, tables: Sequence[Table], items: int, write_units: float) -> None:
        """Show the created tables and the units for filling them."""
        grid = _labeled_grid()
        for table in tables:
            sort = [] if table.sk is None else [table.sk.name]
            grid.add_row("table", _with_key(table.name, [table.pk.name], sort))
            for index in table.indexes:
                keys = [key.name for key in index.pk], [key.name for key in index.sk]
                grid.add_row("index", _with_key(index.name, *keys) + _projection(index))
            if table.ttl is not None:
                grid.add_row("TTL", Text(f"{table.ttl}, in seconds since 1970"))
        units = pluralize(write_units, "write unit")
        grid.add_row("filled", Text(f"{pluralize(items, 'item')} in batches, {units}"))
        self._console.print()
        print_trimmed(self._console, grid, indent=2)

    def step(self, step: Step, requests: Sequence[SentRequest], result: object) -> None:
        """Show an access pattern: its notation, its requests, the result and the units."""
        grid = _labeled_grid()
        grid.add_row("document", Text(step.document))
        for request in requests:
            grid.add_row("request", _request(request))
            if isinstance(request.error, OperationError):
                grid.add_row("rejected", _rejection(request.error))
            if request.consumed:
                grid.add_row("consumed", Text(consumed_text(request.operation, request.consumed)))
        grid.add_row("result", _result(result, step.columns))
        if step.note:
            grid.add_row("note", Text(step.note, style="italic"))
        self._console.print()
        print_trimmed(self._console, Text(step.title, style="bold"), indent=2)
        print_trimmed(self._console, grid, indent=4)

    def summary(self, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show the totals of each design."""
        grid = _column_grid()
        grid.add_column("")
        for title in titles:
            grid.add_column(title, justify="right")
        for row in rows:
            grid.add_row(*row)
        self._console.print()
        print_trimmed(self._console, grid, indent=2)

    def links(self, links: Sequence[tuple[str, str]]) -> None:
        """Show the next steps: a command or file, and its description."""
        grid = Grid.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column()
        for target, description in links:
            grid.add_row(Text(target, style="green"), description)
        self._console.print()
        print_trimmed(self._console, grid, indent=2)
        self._console.print()


def _labeled_grid() -> Grid:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True, min_width=8)
    grid.add_column(overflow="fold")
    return grid


def _column_grid() -> Grid:
    return Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim underline")


def _with_key(name: str, pk: Sequence[str], sk: Sequence[str]) -> Text:
    """Return a name with its key attributes: GSI-1 (GSI1PK / GSI1SK)."""
    sides = filter(None, (", ".join(pk), ", ".join(sk)))
    return Text.assemble((name, "bold"), f" ({' / '.join(sides)})")


def _projection(index: Index) -> str:
    match index.projection:
        case "ALL":
            return " with all attributes"
        case "KEYS_ONLY":
            return " with keys only"
        case attributes:
            return f" with {', '.join(attributes)}"


def _request(request: SentRequest) -> RenderableType:
    """Return the lines of a request, the name of the operation in bold."""
    first, *rest = map(escape_controls, request_lines(request.operation))
    name = Text(first)
    name.stylize("bold green", 0, len(type(request.operation).__name__))
    indented = [
        Padding(Text(line.strip()), (0, 0, 0, len(line) - len(line.lstrip()))) for line in rest
    ]
    return Group(name, *indented)


def _rejection(error: OperationError) -> RenderableType:
    lines = [Text.assemble((error.code, "bold yellow"), f": {error.message}")]
    if isinstance(error, TransactionCanceled):
        lines += [
            Text(f"action {number}: {reason.message}")
            for number, reason in enumerate(error.reasons, start=1)
            if reason.message
        ]
    return Group(*lines)


def _result(result: object, columns: Sequence[str]) -> RenderableType:
    """Return the result of a step, with these fields of its items."""
    untyped: Any = result
    match result:
        case SingleTableError():
            return Text(f"{type(result).__name__} is raised")
        case Page():
            more = [] if result.cursor is None else [Text("and a cursor for the next page", "dim")]
            return Group(_rows(untyped.items, columns), *more)
        case Changes():
            return _changes(untyped)
        case Collection():
            items: list[object] = []
            for member in vars(result).values():
                items += cast("list[object]", member if isinstance(member, list) else [member])
            return _rows(items, columns)
        case int():
            return Text(pluralize(result, "item"))
        case PageOutput():
            counted = pluralize(result.count, "item")
            return Text(f"{counted} counted, {result.scanned_count} scanned")
        case GetItemOutput():
            return Text("no item") if result.item is None else _rows([result.item], columns)
        case SweepExpiredOutput():
            return Text(f"{pluralize(result.removed, 'expired item')} deleted")
        case _ if not columns:
            return Text("done")
        case list():
            return _rows(untyped, columns)
        case _:
            return Text("no item") if result is None else _rows([result], columns)


def _rows(items: Sequence[object], columns: Sequence[str]) -> Grid:
    """Return a row for each entity, tuple of fields or stored item."""
    grid = _column_grid()
    rows = [[_field(item, name, at) for at, name in enumerate(columns)] for item in items]
    for at, name in enumerate(columns):
        values = [row[at] for row in rows]
        numeric = all(isinstance(value, int | None) for value in values)
        # Keys and the like are truncated rather than broken over lines; prose is wrapped.
        one_word = not any(" " in _cell(value) for value in values)
        grid.add_column(
            name,
            justify="right" if numeric else "left",
            no_wrap=one_word,
            overflow="ellipsis" if one_word else "fold",
        )
    for row in rows:
        grid.add_row(*(Text(_cell(value)) for value in row))
    return grid


def _field(item: object, name: str, at: int) -> object:
    match item:
        case tuple():
            return cast("tuple[object, ...]", item)[at]
        case dict():
            value = cast("Item", item).get(name)
            return None if value is None else format_value(value)
        case _:
            return getattr(item, name) if name in model_of(type(item)).fields else None


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case list():
            return ", ".join(map(_cell, cast("list[object]", value)))
        case _ if hasattr(value, "__dataclass_fields__"):
            return " ".join(map(str, cast("dict[str, object]", vars(value)).values()))
        case _:
            return str(value)


def _changes(changes: Changes[Any]) -> RenderableType:
    end = Text(f"the feed ends at position {changes.position}", style="dim")
    if not changes.changes:
        return end
    grid = _column_grid()
    for title in ("position", "kind", "entity", "difference"):
        grid.add_column(title, justify="right" if title == "position" else "left", overflow="fold")
    for change in changes.changes:
        entity = type(change.new or change.old).__name__
        grid.add_row(str(change.position), change.kind, entity, Text(_difference(change)))
    return Group(grid, end)


def _difference(change: Change[Any]) -> str:
    """Return the fields that changed, with their old and new values."""
    if change.expired:
        return "expired"
    old = cast("dict[str, object]", vars(change.old) if change.old else {})
    new = cast("dict[str, object]", vars(change.new) if change.new else {})
    return ", ".join(
        f"{name} {_cell(old[name])} to {_cell(new[name])}"
        for name in old.keys() & new.keys()
        if old[name] != new[name] and not name.startswith("_")
    )
