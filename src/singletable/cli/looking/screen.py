"""How a table is printed: a tree for each partition, each kind of item in its colour."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table
from rich.text import Text

from singletable.cli.looking.kinds import Kinds, Seen
from singletable.cli.looking.reading import Reading, describe, table_names
from singletable.cli.looking.tree import Line, tree
from singletable.cli.printable import printable
from singletable.cli.tour.plain import several, shown
from singletable.cli.trimmed import print_trimmed
from singletable.operations import Driver, KeySchemaElement
from singletable.values import Item

_COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_green")
_LONGEST_KEY = 44
_LONGEST_KIND = 24


def show_tables(console: Console, driver: Driver) -> None:
    """The tables that there are, with their keys and indexes."""
    rows = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim underline")
    for title in ("table", "key", "items", "indexes"):
        rows.add_column(title, justify="right" if title == "items" else "left")
    for name in table_names(driver):
        table = describe(driver, name)
        indexes = [
            *(table.local_secondary_indexes or ()),
            *(table.global_secondary_indexes or ()),
        ]
        rows.add_row(
            Text(name, "bold"),
            _keys(table.key_schema),
            f"{table.item_count or 0:,}",
            ", ".join(f"{one.index_name} ({_keys(one.key_schema)})" for one in indexes),
        )
    if not rows.row_count:
        console.print("There are no tables at this address.")
        return
    print_trimmed(console, rows)
    console.print("Look into one by naming it behind the address.", style="dim")


def show_items(console: Console, reading: Reading, kinds: Kinds) -> None:
    """The items, partition by partition as they are read, and what there was in all."""
    screen = _Screen(console, reading, kinds)
    # Where what is printed is not seen, a number on the way says that something happens.
    with Progress(
        TextColumn("reading {task.description}: {task.completed:,.0f} items"),
        console=Console(stderr=True),
        transient=True,
        disable=console.is_terminal,
    ) as progress:
        task = progress.add_task(printable(reading.table.table_name))
        for piece in reading.pieces():
            screen.piece(piece)
            progress.update(task, completed=reading.count)
    screen.end()


class _Screen:
    """What was printed so far: the kinds and their colours, and the last partition."""

    def __init__(self, console: Console, reading: Reading, kinds: Kinds) -> None:
        self._console = console
        self._reading = reading
        self._kinds = kinds
        self._counts: Counter[str] = Counter()
        self._partitions = 0
        self._last = ""
        self._drawn = console.encoding.lower().startswith("utf")

    def piece(self, items: list[Item]) -> None:
        """The items of a partition, or the next of them."""
        keys = self._reading.keys
        partition = printable(shown(items[0][keys.pk]))
        heading = Text.assemble((partition, "bold"), (f"  {several(len(items), 'item')}", "dim"))
        if self._reading.goes_on(items):
            heading.append(", and more", "dim")
        if partition == self._last:
            heading.append(", continued", "dim")
        else:
            self._partitions += 1
        self._last = partition
        self._console.print(heading, soft_wrap=True)
        seen = [self._kinds.see(item) for item in items]
        for one in seen:
            self._counts[one.kind] += 1
        sort = [printable("" if keys.sk is None else shown(item[keys.sk])) for item in items]
        lines = tree(sort, drawn=self._drawn)
        wide = min(max(cell_len(line.branches + line.text) for line in lines), _LONGEST_KEY)
        kind = min(max(cell_len(printable(one.kind)) for one in seen), _LONGEST_KIND)
        shown_lines = [
            self._line(line, None if line.item is None else seen[line.item], wide, kind)
            for line in lines
        ]
        # All at once: to print each for itself takes several times as long.
        self._console.print(Text("\n").join(shown_lines), soft_wrap=True)
        self._console.print()

    def _line(self, line: Line, seen: Seen | None, wide: int, kind: int) -> Text:
        text = Text(_fitted(line.branches + line.text, wide))
        text.stylize("dim", 0, len(line.branches))
        if seen is None:
            text.stylize("dim")
        else:
            text.append("  ")
            text.append(_fitted(printable(seen.kind), kind), self._colour(seen.kind))
            if seen.odd:
                text.append(f"  {printable(seen.odd)}", "red")
            for name, value in seen.holds:
                text.append(f"  {printable(name)} ", "dim")
                text.append(printable(value))
        text.truncate(self._console.width, overflow="ellipsis")
        text.rstrip()
        return text

    def _colour(self, kind: str) -> str:
        return _COLOURS[list(self._counts).index(kind) % len(_COLOURS)]

    def end(self) -> None:
        """How much was shown, and how to see more."""
        reading = self._reading
        if not reading.count:
            self._console.print("No items." if reading.partitions else "The table is empty.")
        else:
            self._console.print(self._sums())
        if reading.more is not None:
            key = shlex.quote(self._last)
            self._console.print(
                Text(
                    f"There is more. See it with --limit {reading.limit * 10}, or one partition "
                    f"whole with --partition {key}.",
                    "yellow",
                )
            )

    def _sums(self) -> Text:
        text = Text(
            f"{several(self._reading.count, 'item')} in {several(self._partitions, 'partition')}"
        )
        text.append(f", {several(self._reading.units, 'read unit')}: ")
        for at, (kind, count) in enumerate(self._counts.items()):
            text.append(", " if at else "")
            text.append(f"{count:,} ")
            text.append(printable(kind), self._colour(kind))
        return text


def _keys(schema: Sequence[KeySchemaElement]) -> str:
    sides = (
        ", ".join(one.attribute_name for one in schema if one.key_type == side)
        for side in ("HASH", "RANGE")
    )
    return " / ".join(filter(None, sides))


def _fitted(text: str, cells: int) -> str:
    """The text in so many columns, of which some characters take two."""
    if cell_len(text) <= cells:
        return set_cell_size(text, cells)
    return f"{set_cell_size(text, cells - 1)}…"
