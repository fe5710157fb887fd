"""Print the tables at an address, and the items of a table as a tree for each partition."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table
from rich.text import Text

from dynamodb_engine.operations import Driver, KeySchemaElement
from dynamodb_engine.values import Item
from singletable.cli.existing_tables import describe_existing, list_tables
from singletable.cli.output import escape_controls, format_value, pluralize, print_trimmed
from singletable.cli.show_items import ClassifiedItem, Classifier, TableReader

DIVIDER = "#"
_COLORS = ("cyan", "green", "yellow", "magenta", "blue", "bright_green")
_MAX_KEY_WIDTH = 44
_MAX_KIND_WIDTH = 24


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A line of the tree: its branches, its text, and the position of the item, if it is one."""

    branches: str
    text: str
    item: int | None


@dataclass(frozen=True, slots=True)
class _SplitKey:
    parts: tuple[str, ...]
    item: int


def key_tree(sort_keys: Sequence[str], *, unicode: bool = True) -> list[TreeLine]:
    """Return sort keys as a tree in which common prefixes are printed once."""
    keys = [_SplitKey(tuple(text.split(DIVIDER)), at) for at, text in enumerate(sort_keys)]
    glyphs = ("├─ ", "└─ ", "│  ", "   ") if unicode else ("|- ", "`- ", "|  ", "   ")
    return list(_tree_lines(keys, "", glyphs))


def _tree_lines(
    keys: Sequence[_SplitKey], indent: str, glyphs: tuple[str, str, str, str]
) -> Iterator[TreeLine]:
    groups = [list(group) for _, group in groupby(keys, key=lambda key: key.parts[:1])]
    for at, group in enumerate(groups):
        last = at == len(groups) - 1
        fork, inner = (glyphs[1], glyphs[3]) if last else (glyphs[0], glyphs[2])
        common = _common_length(group)
        text = DIVIDER.join(group[0].parts[:common])
        # An item whose key is the prefix of the others is on the line of the prefix.
        own = group[0] if len(group[0].parts) == common else None
        rest = [_SplitKey(key.parts[common:], key.item) for key in group if key is not own]
        yield TreeLine(indent + fork, text, None if own is None else own.item)
        yield from _tree_lines(rest, indent + inner, glyphs)


def _common_length(group: Sequence[_SplitKey]) -> int:
    """Return the number of parts with which all keys of a group begin."""
    first, rest = group[0].parts, group[1:]
    for count in range(len(first), 1, -1):
        if all(key.parts[:count] == first[:count] for key in rest):
            return count
    return 1


def print_tables(console: Console, driver: Driver) -> None:
    """Print all tables with their keys, numbers of items and indexes."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim underline")
    for title in ("table", "key", "items", "indexes"):
        grid.add_column(title, justify="right" if title == "items" else "left")
    for name in list_tables(driver):
        table = describe_existing(driver, name)
        indexes = [
            *(table.local_secondary_indexes or ()),
            *(table.global_secondary_indexes or ()),
        ]
        grid.add_row(
            Text(name, "bold"),
            _key_names(table.key_schema),
            f"{table.item_count or 0:,}",
            ", ".join(f"{i.index_name} ({_key_names(i.key_schema)})" for i in indexes),
        )
    if not grid.row_count:
        console.print("There are no tables at this address.")
        return
    print_trimmed(console, grid)
    console.print("Add the name of a table to show its items.", style="dim")


def _key_names(schema: Sequence[KeySchemaElement]) -> str:
    sides = (
        ", ".join(element.attribute_name for element in schema if element.key_type == side)
        for side in ("HASH", "RANGE")
    )
    return " / ".join(filter(None, sides))


def print_items(console: Console, reader: TableReader, classifier: Classifier) -> None:
    """Print the items as they are read, and a summary."""
    printer = _ItemPrinter(console, reader, classifier)
    # If the output goes to a file, show on standard error that something happens.
    with Progress(
        TextColumn("reading {task.description}: {task.completed:,.0f} items"),
        console=Console(stderr=True),
        transient=True,
        disable=console.is_terminal,
    ) as progress:
        task = progress.add_task(escape_controls(reader.table.table_name))
        for chunk in reader.chunks():
            printer.print_chunk(chunk)
            progress.update(task, completed=reader.count)
    printer.print_summary()


class _ItemPrinter:
    """Prints chunks of items, and remembers the kinds, their colors and the last partition."""

    def __init__(self, console: Console, reader: TableReader, classifier: Classifier) -> None:
        self._console = console
        self._reader = reader
        self._classifier = classifier
        self._counts: Counter[str] = Counter()
        self._partitions = 0
        self._last_partition = ""
        self._unicode = console.encoding.lower().startswith("utf")

    def print_chunk(self, items: list[Item]) -> None:
        """Print the items of a partition, or more of them."""
        key = self._reader.key
        partition = escape_controls(format_value(items[0][key.pk]))
        heading = Text.assemble((partition, "bold"), (f"  {pluralize(len(items), 'item')}", "dim"))
        if self._reader.is_cut_off(items):
            heading.append(", and more", "dim")
        if partition == self._last_partition:
            heading.append(", continued", "dim")
        else:
            self._partitions += 1
        self._last_partition = partition
        self._console.print(heading, soft_wrap=True)
        classified = [self._classifier.classify(item) for item in items]
        self._counts.update(item.kind for item in classified)
        sort_keys = ["" if key.sk is None else format_value(item[key.sk]) for item in items]
        tree = key_tree([escape_controls(text) for text in sort_keys], unicode=self._unicode)
        key_width = min(max(cell_len(line.branches + line.text) for line in tree), _MAX_KEY_WIDTH)
        kind_width = min(
            max(cell_len(escape_controls(item.kind)) for item in classified), _MAX_KIND_WIDTH
        )
        lines = [
            self._line(
                line, None if line.item is None else classified[line.item], key_width, kind_width
            )
            for line in tree
        ]
        # One call for all lines: printing each by itself takes several times as long.
        self._console.print(Text("\n").join(lines), soft_wrap=True)
        self._console.print()

    def _line(
        self, line: TreeLine, item: ClassifiedItem | None, key_width: int, kind_width: int
    ) -> Text:
        text = Text(_fit(line.branches + line.text, key_width))
        text.stylize("dim", 0, len(line.branches))
        if item is None:
            text.stylize("dim")
        else:
            text.append("  ")
            text.append(_fit(escape_controls(item.kind), kind_width), self._color(item.kind))
            if item.problem:
                text.append(f"  {escape_controls(item.problem)}", "red")
            for name, value in item.fields:
                text.append(f"  {escape_controls(name)} ", "dim")
                text.append(escape_controls(value))
        text.truncate(self._console.width, overflow="ellipsis")
        text.rstrip()
        return text

    def _color(self, kind: str) -> str:
        return _COLORS[list(self._counts).index(kind) % len(_COLORS)]

    def print_summary(self) -> None:
        """Print the number of items and read units, and how to see more."""
        reader = self._reader
        if not reader.count:
            self._console.print("No items." if reader.partitions else "The table is empty.")
        else:
            self._console.print(self._totals())
        if reader.next_item is not None:
            key = shlex.quote(self._last_partition)
            self._console.print(
                Text(
                    f"There are more items. Use --limit {reader.limit * 10}, or --partition {key} "
                    "for one partition.",
                    "yellow",
                )
            )

    def _totals(self) -> Text:
        text = Text(
            f"{pluralize(self._reader.count, 'item')} in {pluralize(self._partitions, 'partition')}"
        )
        text.append(f", {pluralize(self._reader.units, 'read unit')}: ")
        for at, (kind, count) in enumerate(self._counts.items()):
            text.append(", " if at else "")
            text.append(f"{count:,} ")
            text.append(escape_controls(kind), self._color(kind))
        return text


def _fit(text: str, cells: int) -> str:
    """Pad or truncate the text to a width in cells; some characters take two."""
    if cell_len(text) <= cells:
        return set_cell_size(text, cells)
    return f"{set_cell_size(text, cells - 1)}…"
