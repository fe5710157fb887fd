"""What was sent, what came back and what it consumed, one below the other."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from singletable.cli.explaining.asking import Answer
from singletable.cli.printable import printable
from singletable.cli.tour.consumed import consumption_text
from singletable.cli.tour.plain import several
from singletable.cli.tour.request import request_lines
from singletable.cli.trimmed import print_trimmed
from singletable.store import SentRequest
from singletable.wire import write_request

_JSON = JSONHighlighter()
_VALUE = re.compile(r'\{\s+("(?:[SNB]|BOOL|NULL)": (?:"(?:[^"\\]|\\.)*"|true|false))\s+\}')


def show_answer(console: Console, answer: Answer, *, where: str | None) -> None:
    """Each request as it was sent, the items, and the sums; a refusal is raised at the end."""
    sent = [one for call in answer.calls for one in call.requests]
    for one in sent:
        _show_request(console, one)
    if where is None:
        console.print(
            "Asked of empty tables in memory. Name others with --at ADDRESS.", style="dim"
        )
    if answer.error is not None:
        raise answer.error
    _show_items(console, answer)
    _show_sums(console, answer, sent)


def _show_request(console: Console, sent: SentRequest) -> None:
    first, *rest = (printable(line) for line in request_lines(sent.operation))
    name = Text(first)
    name.stylize("bold green", 0, len(type(sent.operation).__name__))
    console.print(name, soft_wrap=True)
    for line in rest:
        console.print(Text(f"  {line}"), soft_wrap=True)
    for line in _json(sent).splitlines():
        console.print(_JSON(Text(f"  {line}")), soft_wrap=True)
    if sent.consumed:
        consumed = consumption_text(sent.operation, sent.consumed)
        console.print(Text.assemble(("  consumed ", "dim"), consumed), soft_wrap=True)
    if sent.error is not None:
        console.print(Text(f"  refused: {printable(str(sent.error))}", "yellow"), soft_wrap=True)
    console.print()


def _json(sent: SentRequest) -> str:
    """The body of the request, a value a line; what a terminal would obey is written out."""
    _, body = write_request(sent.operation)
    harmless = body.decode().isprintable()
    text = json.dumps(json.loads(body), indent=2, ensure_ascii=not harmless)
    return _VALUE.sub(r"{\1}", text)


def _show_items(console: Console, answer: Answer) -> None:
    if not answer.count:
        console.print("No items.")
    for entity, (names, rows) in answer.found.items():
        table = _table(entity, names, rows)
        endless = console.options.update(max_width=sys.maxsize)
        fits = Measurement.get(console, endless, table).maximum <= console.width
        print_trimmed(console, table if fits else _fields(entity, names, rows))
        console.print()
    if answer.more:
        console.print(
            f"These are the first {answer.count}; there may be more. See them with --limit N.",
            style="dim",
        )


def _table(entity: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A line for each item."""
    shown = _empty(entity, rows)
    for at, name in enumerate(names):
        numeric = all(isinstance(row[at], int | float) for row in rows)
        shown.add_column(name, justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        shown.add_row(*map(_value, row))
    return shown


def _fields(entity: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A line for each field, where a line for each item would leave some of them out."""
    shown = _empty(entity, rows)
    shown.show_header = False
    shown.add_column(style="dim", no_wrap=True, min_width=max(map(len, names)))
    shown.add_column(no_wrap=True, overflow="ellipsis")
    for row in rows:
        for name, one in zip(names, row, strict=True):
            shown.add_row(name, _value(one))
        if row is not rows[-1]:
            shown.add_row()
    return shown


def _empty(entity: str, rows: Sequence[object]) -> Table:
    return Table(
        title=Text(f"{entity}, {several(len(rows), 'item')}", "bold"),
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="dim underline",
    )


def _value(value: object) -> Text:
    return Text("" if value is None else printable(str(value)))


def _show_sums(console: Console, answer: Answer, sent: Sequence[SentRequest]) -> None:
    calls = answer.calls
    said = [several(len(sent), "request"), several(answer.count, "item")]
    for units, kind in (
        (sum(call.read_units for call in calls), "read unit"),
        (sum(call.write_units for call in calls), "write unit"),
    ):
        said += [several(units, kind)] if units else []
    retries = sum(call.retries + call.conflicts for call in calls)
    said += [f"{retries} sent again"] if retries else []
    said.append(f"{sum(call.seconds for call in calls) * 1000:,.1f} ms")
    console.print(Text(", ".join(said)))
