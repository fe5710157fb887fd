"""An operation as a few short lines that a person reads."""

from __future__ import annotations

import re
from collections.abc import Mapping

from singletable.cli.tour.declare import KEY
from singletable.cli.tour.plain import key_text, quoted, several
from singletable.operations import (
    ConditionCheck,
    Delete,
    DeleteItem,
    GetItem,
    Operation,
    Put,
    PutItem,
    Query,
    ReadChanges,
    Scan,
    SweepExpired,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
)
from singletable.values import AttributeValue, Item

_PLACEHOLDER = re.compile(r"[#:]\w+")
_CLAUSE = re.compile(r" (?=(?:SET|REMOVE|ADD|DELETE) )")
# What is longer than this is broken where its meaning is, not where the line happens to end.
_LONG = 62


def request_lines(operation: Operation[object]) -> list[str]:
    """The operation's name and what it asks for, one thought a line."""
    name = type(operation).__name__
    match operation:
        case GetItem():
            lines = [f"{name} {operation.table_name} {key_text(operation.key)}"]
            if operation.projection_expression:
                names = operation.expression_attribute_names
                lines.append("only " + spelled(operation.projection_expression, names))
            if operation.consistent_read:
                lines.append("strongly consistent")
        case PutItem() | UpdateItem() | DeleteItem():
            lines = _write_lines(name, operation)
        case Query() | Scan():
            lines = _page_lines(name, operation)
        case TransactWriteItems():
            lines = [f"{name}, all or none of:"]
            for action in operation.transact_items:
                first, *rest = _action_lines(action)
                lines += [f"  {first}", *(f"    {line}" for line in rest)]
        case ReadChanges():
            after = "its end" if operation.after is None else f"position {operation.after}"
            lines = [f"{name} after {after}, of {operation.table_name}"]
        case SweepExpired():
            lines = [f"{name} {operation.table_name or 'all tables'}"]
        case _:
            lines = [name]
    return lines


def spelled(
    expression: str,
    names: Mapping[str, str] | None,
    values: Mapping[str, AttributeValue] | None = None,
) -> str:
    """The expression with names and values in place of their placeholders."""
    words = {**(names or {}), **{token: quoted(value) for token, value in (values or {}).items()}}
    return _PLACEHOLDER.sub(lambda match: words.get(match[0], match[0]), expression)


def _write_lines(
    name: str, write: PutItem | UpdateItem | DeleteItem | ConditionCheck | Put | Update | Delete
) -> list[str]:
    names, values = write.expression_attribute_names, write.expression_attribute_values
    subject = _stored(write.item) if isinstance(write, PutItem | Put) else key_text(write.key)
    lines = [f"{name} {write.table_name} {subject}"]
    if len(lines[0]) > _LONG:
        lines = [f"{name} {write.table_name}", subject]
    if isinstance(write, UpdateItem | Update) and write.update_expression:
        lines += _CLAUSE.split(spelled(write.update_expression, names, values))
    if write.condition_expression:
        lines += _clauses("if", spelled(write.condition_expression, names, values))
    return lines


def _clauses(word: str, condition: str) -> list[str]:
    """A condition behind its word; a long one in as many lines as it has parts."""
    if len(condition) <= _LONG:
        return [f"{word} {condition}"]
    first, *rest = condition.split(" AND ")
    return [f"{word} {first}", *(f"  AND {part}" for part in rest)]


def _stored(item: Item) -> str:
    others = sum(name not in KEY for name in item)
    key = {name: item[name] for name in KEY}
    return f"{key_text(key)} and {several(others, 'attribute')}"


def _page_lines(name: str, page: Query | Scan) -> list[str]:
    names, values = page.expression_attribute_names, page.expression_attribute_values
    where = f"{page.table_name} / {page.index_name}" if page.index_name else page.table_name
    lines = [f"{name} {where}"]
    if isinstance(page, Query) and page.key_condition_expression:
        lines += _clauses("where", spelled(page.key_condition_expression, names, values))
    if page.filter_expression:
        lines += _clauses("filter", spelled(page.filter_expression, names, values))
    if page.projection_expression:
        lines.append("only " + spelled(page.projection_expression, names))
    details = [
        "strongly consistent" if page.consistent_read else "",
        "descending" if isinstance(page, Query) and page.scan_index_forward is False else "",
        "count only" if page.select == "COUNT" else "",
        f"at most {page.limit}" if page.limit else "",
    ]
    if any(details):
        lines.append(", ".join(filter(None, details)))
    if start := page.exclusive_start_key:
        own = {name: start[name] for name in KEY if name in start}
        lines.append(f"after {key_text(own or start)}")
    return lines


def _action_lines(action: TransactWriteItem) -> list[str]:
    write = action.condition_check or action.put or action.update or action.delete
    return _write_lines(type(write).__name__, write) if write else []
