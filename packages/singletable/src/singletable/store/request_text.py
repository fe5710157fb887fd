"""Describe requests and the capacity they consumed as short lines of text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.registry import is_write
from dynamodb_engine.operations.touches import touches
from dynamodb_engine.values import AttributeValue, Item
from dynamodb_engine.values.text import format_key, format_value, pluralize

KEY = ("PK", "SK")
_ItemWrite: TypeAlias = (
    ops.PutItem
    | ops.UpdateItem
    | ops.DeleteItem
    | ops.ConditionCheck
    | ops.Put
    | ops.Update
    | ops.Delete
)
_PLACEHOLDER = re.compile(r"[#:]\w+")
_CLAUSE = re.compile(r" (?=(?:SET|REMOVE|ADD|DELETE) )")
# Longer lines are broken between clauses.
_MAX_LENGTH = 62


def request_lines(operation: ops.Operation[object]) -> list[str]:
    """Return the name of the operation and its parameters, one clause per line."""
    name = type(operation).__name__
    match operation:
        case ops.GetItem():
            lines = [f"{name} {operation.table_name} {format_key(operation.key)}"]
            if operation.projection_expression:
                names = operation.expression_attribute_names
                lines.append("only " + _substitute(operation.projection_expression, names))
            if operation.consistent_read:
                lines.append("strongly consistent")
        case ops.PutItem() | ops.UpdateItem() | ops.DeleteItem():
            lines = _write_lines(name, operation)
        case ops.Query() | ops.Scan():
            lines = _page_lines(name, operation)
        case ops.BatchWriteItem():
            counts = {table: len(writes) for table, writes in operation.request_items.items()}
            tables = ", ".join(f"{pluralize(count, 'item')} to {t}" for t, count in counts.items())
            lines = [f"{name} {tables}"]
        case ops.TransactWriteItems():
            lines = [f"{name}, all or none of:"]
            for touch in touches(operation):
                request = cast(_ItemWrite, touch.request)
                first, *rest = _write_lines(type(request).__name__, request)
                lines += [f"  {first}", *(f"    {line}" for line in rest)]
        case ops.ReadChanges():
            after = "the end" if operation.after is None else f"position {operation.after}"
            lines = [f"{name} after {after}, of {operation.table_name}"]
        case ops.SweepExpired():
            lines = [f"{name} {operation.table_name or 'all tables'}"]
        case _:
            lines = [name]
    return lines


def consumed_text(
    operation: ops.Operation[object], consumed: Sequence[ops.ConsumedCapacity]
) -> str:
    """Return the units in one line, by table and index if there is more than one."""
    unit = "write unit" if is_write(operation) else "read unit"
    total = pluralize(sum(capacity.capacity_units for capacity in consumed), unit)
    parts = [part for capacity in consumed for part in _by_index(capacity)]
    if len(parts) < 2:
        return total
    return f"{total}: {', '.join(f'{name} {units:g}' for name, units in parts)}"


def _by_index(capacity: ops.ConsumedCapacity) -> list[tuple[str, float]]:
    indexes = {
        **(capacity.local_secondary_indexes or {}),
        **(capacity.global_secondary_indexes or {}),
    }
    table = capacity.table.capacity_units if capacity.table else capacity.capacity_units
    own = [(capacity.table_name, table)] if table or not indexes else []
    return own + [(name, index.capacity_units) for name, index in indexes.items()]


def _substitute(
    expression: str,
    names: Mapping[str, str] | None,
    values: Mapping[str, AttributeValue] | None = None,
) -> str:
    """Replace the placeholders of an expression with names and values."""
    words = {**(names or {}), **{token: _quote(value) for token, value in (values or {}).items()}}
    return _PLACEHOLDER.sub(lambda match: words.get(match[0], match[0]), expression)


def _quote(value: AttributeValue) -> str:
    return f'"{value["S"]}"' if "S" in value else format_value(value)


def _write_lines(name: str, write: _ItemWrite) -> list[str]:
    names, values = write.expression_attribute_names, write.expression_attribute_values
    subject = (
        _describe_item(write.item)
        if isinstance(write, ops.PutItem | ops.Put)
        else format_key(write.key)
    )
    lines = [f"{name} {write.table_name} {subject}"]
    if len(lines[0]) > _MAX_LENGTH:
        lines = [f"{name} {write.table_name}", subject]
    if isinstance(write, ops.UpdateItem | ops.Update) and write.update_expression:
        lines += _CLAUSE.split(_substitute(write.update_expression, names, values))
    if write.condition_expression:
        lines += _condition_lines("if", _substitute(write.condition_expression, names, values))
    return lines


def _condition_lines(word: str, condition: str) -> list[str]:
    """Return a condition after a word; a long one has a line for each part."""
    if len(condition) <= _MAX_LENGTH:
        return [f"{word} {condition}"]
    first, *rest = condition.split(" AND ")
    return [f"{word} {first}", *(f"  AND {part}" for part in rest)]


def _describe_item(item: Item) -> str:
    key = {name: item[name] for name in KEY if name in item}
    others = sum(name not in key for name in item)
    return f"{format_key(key)} and {pluralize(others, 'attribute')}"


def _page_lines(name: str, page: ops.Query | ops.Scan) -> list[str]:
    names, values = page.expression_attribute_names, page.expression_attribute_values
    source = f"{page.table_name} / {page.index_name}" if page.index_name else page.table_name
    lines = [f"{name} {source}"]
    if isinstance(page, ops.Query) and page.key_condition_expression:
        lines += _condition_lines(
            "where", _substitute(page.key_condition_expression, names, values)
        )
    if page.filter_expression:
        lines += _condition_lines("filter", _substitute(page.filter_expression, names, values))
    if page.projection_expression:
        lines.append("only " + _substitute(page.projection_expression, names))
    options = [
        "strongly consistent" if page.consistent_read else "",
        "descending" if isinstance(page, ops.Query) and page.scan_index_forward is False else "",
        "count only" if page.select == "COUNT" else "",
        f"at most {page.limit}" if page.limit else "",
    ]
    if any(options):
        lines.append(", ".join(filter(None, options)))
    if start := page.exclusive_start_key:
        own = {name: start[name] for name in KEY if name in start}
        lines.append(f"after {format_key(own or start)}")
    return lines
