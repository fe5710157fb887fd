"""Print the plan of an access pattern, and the requests, items and units of its run."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from dynamodb_engine.wire import write_request
from singletable.cli.explain_run import PatternResult
from singletable.cli.output import escape_controls, pluralize, print_trimmed
from singletable.patterns import (
    FeedPattern,
    Pattern,
    PatternCatalog,
    ScanPattern,
    estimate,
    planned_requests,
)
from singletable.patterns.estimate import items_read
from singletable.store import SentRequest

_JSON = JSONHighlighter()
_VALUE = re.compile(r'\{\s+("(?:[SNB]|BOOL|NULL)": (?:"(?:[^"\\]|\\.)*"|true|false))\s+\}')


def print_plan(console: Console, pattern: Pattern, catalog: PatternCatalog | None) -> None:
    """Print the requests that a pattern of a catalog makes and the estimated units of a call."""
    console.print(Text.assemble((pattern.code, "bold cyan"), "  ", (pattern.description, "bold")))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="green", no_wrap=True)
    grid.add_column(overflow="fold")
    for request, count in Counter(planned_requests(pattern)).items():
        times = f"{count} × " if count > 1 else ""
        source = request.table.name
        if request.index is not None:
            source += f" / {request.index.name}"
        clauses = [f"{source}: {request.condition}"]
        clauses += ["in one transaction"] if request.in_transaction else []
        clauses += ["if needed"] if request.conditional else []
        clauses += ["consistent"] if request.consistent or pattern.expected.consistent else []
        grid.add_row(f"{times}{request.action}", Text(", ".join(clauses)))
    if isinstance(pattern, ScanPattern):
        grid.add_row("reason", Text(pattern.reason))
    if not isinstance(pattern, FeedPattern):
        grid.add_row("expected", Text(_estimate_text(pattern, catalog)))
    print_trimmed(console, grid)
    console.print()


def _estimate_text(pattern: Pattern, catalog: PatternCatalog | None) -> str:
    sizes, counts = (catalog.sizes, catalog.counts) if catalog is not None else ({}, {})
    cost = estimate(pattern, sizes, counts)
    items = (
        items_read(pattern, counts) if isinstance(pattern, ScanPattern) else pattern.expected.items
    )
    kinds = (("read", cost.typical_read, cost.read), ("write", cost.typical_write, cost.write))
    units = [
        pluralize(round(typical, 2), f"{kind} unit")
        + (f" (at most {most:,.10g})" if most > typical else "")
        for kind, typical, most in kinds
        if most
    ]
    text = f"{' and '.join(units) or 'nothing'} per call"
    text += f", for {pluralize(items, 'item')}"
    if cost.assumed:
        text += " of an assumed size"
    rate = pattern.expected.rate
    return text if rate is None else f"{text}; {rate}"


def print_result(console: Console, result: PatternResult, *, in_memory: bool) -> None:
    """Print the requests as they were sent, the items and the totals; raise a run's error."""
    requests = [request for call in result.calls for request in call.requests]
    for request in requests:
        _print_request(console, request)
    if in_memory:
        console.print(
            "Run on empty tables in memory. Use --address to read existing tables.", style="dim"
        )
    if result.error is not None:
        raise result.error
    _print_items(console, result)
    _print_totals(console, result, requests)


def _print_request(console: Console, request: SentRequest) -> None:
    first, *rest = request.describe()
    name = Text(first)
    name.stylize("bold green", 0, len(type(request.operation).__name__))
    console.print(name, soft_wrap=True)
    for line in rest:
        console.print(Text(f"  {line}"), soft_wrap=True)
    for line in _request_json(request).splitlines():
        console.print(_JSON(Text(f"  {line}")), soft_wrap=True)
    if request.consumed:
        units = Text.assemble(("  consumed ", "dim"), request.describe_units())
        console.print(units, soft_wrap=True)
    if request.error is not None:
        error = escape_controls(str(request.error))
        console.print(Text(f"  rejected: {error}", "yellow"), soft_wrap=True)
    console.print()


def _request_json(request: SentRequest) -> str:
    """Return the body of the request, one value per line, without control characters."""
    _, body = write_request(request.operation)
    printable = body.decode().isprintable()
    text = json.dumps(json.loads(body), indent=2, ensure_ascii=not printable)
    return _VALUE.sub(r"{\1}", text)


def _print_items(console: Console, result: PatternResult) -> None:
    if not result.count:
        console.print("No items.")
    for entity, (names, rows) in result.items.items():
        table = _item_rows(entity, names, rows)
        unlimited = console.options.update(max_width=sys.maxsize)
        fits = Measurement.get(console, unlimited, table).maximum <= console.width
        print_trimmed(console, table if fits else _field_rows(entity, names, rows))
        console.print()
    if result.has_more:
        console.print(
            f"These are the first {result.count}; there may be more. Use --limit N to see them.",
            style="dim",
        )


def _item_rows(entity: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """Return a table with a row for each item."""
    table = _empty_table(entity, rows)
    for at, name in enumerate(names):
        numeric = all(isinstance(row[at], int | float) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(_cell, row))
    return table


def _field_rows(entity: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """Return a table with a row for each field, for terminals that are too narrow."""
    table = _empty_table(entity, rows)
    table.show_header = False
    table.add_column(style="dim", no_wrap=True, min_width=max(map(len, names)))
    table.add_column(no_wrap=True, overflow="ellipsis")
    for row in rows:
        for name, value in zip(names, row, strict=True):
            table.add_row(name, _cell(value))
        if row is not rows[-1]:
            table.add_row()
    return table


def _empty_table(entity: str, rows: Sequence[object]) -> Table:
    return Table(
        title=Text(f"{entity}, {pluralize(len(rows), 'item')}", "bold"),
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="dim underline",
    )


def _cell(value: object) -> Text:
    return Text("" if value is None else escape_controls(str(value)))


def _print_totals(console: Console, result: PatternResult, requests: Sequence[SentRequest]) -> None:
    calls = result.calls
    totals = [pluralize(len(requests), "request"), pluralize(result.count, "item")]
    for units, kind in (
        (sum(call.read_units for call in calls), "read unit"),
        (sum(call.write_units for call in calls), "write unit"),
    ):
        totals += [pluralize(units, kind)] if units else []
    retries = sum(call.retries + call.conflicts for call in calls)
    totals += [f"{retries} retried"] if retries else []
    totals.append(f"{sum(call.seconds for call in calls) * 1000:,.1f} ms")
    console.print(Text(", ".join(totals)))
