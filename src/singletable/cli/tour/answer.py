"""An answer as something to look at: items as rows, a count, a change, a refusal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from singletable.cli.tour.declare import KEY
from singletable.cli.tour.plain import key_text, several, shown
from singletable.errors import OperationError, TransactionCanceled
from singletable.operations import (
    ChangeRecord,
    GetItemOutput,
    PageOutput,
    ReadChangesOutput,
    SweepExpiredOutput,
    WriteItemOutput,
)
from singletable.values import Item


def answer_view(answer: object, columns: Sequence[str]) -> RenderableType:
    """The answer, with these attributes of its items."""
    match answer:
        case OperationError():
            return _refusal(answer)
        case GetItemOutput():
            return Text("nothing there") if answer.item is None else _rows([answer.item], columns)
        case WriteItemOutput():
            attributes = answer.attributes
            return Text("done") if attributes is None else _rows([attributes], columns)
        case PageOutput(raw_items=None):
            counted = several(answer.count, "item")
            return Text(f"{counted} counted, {answer.scanned_count} looked at")
        case PageOutput():
            return _page(answer, columns)
        case ReadChangesOutput():
            return _changes(answer)
        case SweepExpiredOutput():
            return Text(f"{several(answer.removed, 'expired item')} removed")
        case _:
            return Text("done")


def _refusal(error: OperationError) -> RenderableType:
    lines: list[Text] = [Text.assemble((error.code, "bold yellow"), f": {error.message}")]
    if isinstance(error, TransactionCanceled):
        lines += [
            Text(f"action {number}: {reason.message}")
            for number, reason in enumerate(error.reasons, start=1)
            if reason.message
        ]
    return Group(*lines)


def _page(page: PageOutput, columns: Sequence[str]) -> RenderableType:
    items = page.items
    if not items:
        return Text("no items")
    if page.last_evaluated_key is None:
        return _rows(items, columns)
    last = {name: page.last_evaluated_key[name] for name in KEY}
    return Group(_rows(items, columns), Text(f"more after {key_text(last)}", style="dim"))


def _rows(items: Sequence[Item], columns: Sequence[str]) -> Table:
    rows = _table()
    for name in columns:
        values = [item[name] for item in items if name in item]
        numeric = all("N" in value for value in values)
        # Keys and the like are cut at the end rather than broken over lines; prose is wrapped.
        one_word = not any(" " in shown(value) for value in values)
        rows.add_column(
            name,
            justify="right" if numeric else "left",
            no_wrap=one_word,
            overflow="ellipsis" if one_word else "fold",
        )
    for item in items:
        rows.add_row(*(Text(shown(item[name])) if name in item else Text("") for name in columns))
    return rows


def _changes(read: ReadChangesOutput) -> RenderableType:
    end = Text(f"the feed ends at position {read.position}", style="dim")
    if not read.changes:
        return end
    rows = _table()
    for title in ("position", "kind", "key", "what"):
        rows.add_column(title, justify="right" if title == "position" else "left", overflow="fold")
    for change in read.changes:
        rows.add_row(
            str(change.position),
            change.kind,
            Text(key_text(change.keys)),
            Text(_difference(change)),
        )
    return Group(rows, end)


def _difference(change: ChangeRecord) -> str:
    """Which attributes changed, from what to what."""
    if change.expired:
        return "expired"
    old, new = change.old or {}, change.new or {}
    return ", ".join(
        f"{name} {shown(old[name])} to {shown(new[name])}"
        for name in old.keys() & new.keys()
        if old[name] != new[name]
    )


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim underline")
