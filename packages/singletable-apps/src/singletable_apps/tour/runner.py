"""Run the steps of the tour and print the requests they send, their results and their units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap
from typing import cast

from rich.console import Console
from rich.text import Text

import singletable as st
from singletable_apps.tour.designs import DESIGNS, Design, Step

TOTALS = ("design", "items", "requests", "rejected", "read units", "write units")


def run_tour(file: Path | None = None, *, plain: bool = False) -> None:
    """Run and show the whole tour, in memory or in a new file that is kept."""
    with st.connect("memory:" if file is None else f"file:{file}") as driver:
        if tables := driver.execute(st.ListTables()).table_names:
            raise st.StorageError(
                f"'{file}' already has {len(tables)} tables ({', '.join(tables)}), and the tour "
                "would write to them. Choose a new file."
            )
        tour = Tour(driver, plain=plain)
        rows = align([TOTALS, *map(tour.show, DESIGNS)])
        tour.heading("Summary", "To see the apps, run `singletable serve --sample`.")
        tour.rows("total", rows)


class Tour:
    """Runs the steps on a store, and prints the requests that the store sends."""

    def __init__(self, driver: st.Driver, *, plain: bool) -> None:
        self.store = st.Store(driver, observers=[self._observe])
        self.requests: list[st.SentRequest] = []
        self._console = Console(color_system=None if plain else "auto", highlight=False)
        self._width = min(self._console.width, 100)
        self._rule = "-" if plain or not self._console.encoding.startswith("utf") else "─"

    def _observe(self, call: st.Call) -> None:
        self.requests += call.requests
        self._shape = call.shape

    def show(self, design: Design) -> tuple[str, ...]:
        """Store the sample items of a design, run its steps, and return its totals."""
        self.heading(name := design.catalog.name.capitalize(), design.description)
        self.requests, items = [], design.items()
        for table in design.catalog.tables:
            self.store.admin.create_table(table)
            indexes = ", ".join(index.name for index in table.indexes)
            self.rows("table", [table.name + (indexes and f" with {indexes}")], "bold")
        self.store.bulk_load(items)
        sent = self.requests
        for step in design.steps:
            self.requests = []
            try:
                result = step.run(self.store)
            except step.error as error:
                result = error
            title = step.title or str(design.catalog.recognize(self._shape))
            self._console.print(Text(f"\n  {title}", "bold"))
            self._show_requests()
            self._show_result(result, step)
            sent += self.requests
        rejected = sum(request.error is not None for request in sent)
        units = [sum(one.units for one in sent if one.is_read == reads) for reads in (True, False)]
        return name, *(f"{total:g}" for total in (len(items), len(sent), rejected, *units))

    def _show_requests(self) -> None:
        for request in self.requests[:3]:
            self.rows("request", request.describe(), "bold green")
            if isinstance(request.error, st.OperationError):
                text = f"{request.error.code}: {request.error.message}"
                self.rows("rejected", [text], "bold yellow")
            if request.consumed:
                self.rows("consumed", [request.describe_units()])
        if others := len(self.requests[3:]):
            self.rows("", [f"and {others} more requests like these"])

    def _show_result(self, result: object, step: Step) -> None:
        if isinstance(result, st.SingleTableError):
            self.rows("result", [f"{type(result).__name__} is raised"], "bold yellow")
        elif names := step.fields.split():
            rows = [[_text(getattr(one, name, "")) for name in names] for one in _items(result)]
            self.rows("result", align([names, *rows]) if rows else ["no items"])
        self.rows("note", [step.note])

    def heading(self, title: str, description: str) -> None:
        """Print the title of a part, and its description."""
        line = f"{title} ".ljust(self._width, self._rule)
        self._console.print(Text(f"\n{line}\n", "bold cyan"))
        for line in [*wrap(description, self._width - 4), ""]:
            self._console.print(f"  {line}".rstrip())

    def rows(self, label: str, lines: Iterable[str], style: str = "") -> None:
        """Print lines beside a label; the first word has the style."""
        for line in lines:
            indent = line[: len(line) - len(line.lstrip())]
            for text in wrap(line, self._width - 14, subsequent_indent=indent):
                row = Text(f"    {label:<10}", "dim").append(text, "not dim")
                row.stylize(style, 14, 14 + len(text.split()[0]))
                self._console.print(row, soft_wrap=True)
                label = style = ""


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines with aligned columns, numbers on the right."""
    columns: list[list[str]] = []
    for column in zip(*rows, strict=True):
        width = max(map(len, column))
        is_number = all(cell.replace(".", "").isdecimal() for cell in column[1:])
        columns.append([c.rjust(width) if is_number else c.ljust(width) for c in column])
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _items(result: object) -> list[object]:
    if isinstance(result, st.Collection):
        return [item for member in vars(result).values() for item in _items(member)]
    items = cast("list[object]", result) if isinstance(result, list) else [result]
    return [item for item in items if item is not None]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, cast("list[object]", value)))
    return str(getattr(value, "candidate_name", value))
