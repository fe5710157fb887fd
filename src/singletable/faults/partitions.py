"""Which partition an item, a key or a query is about, as text that a description can name."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.errors import OperationError
from singletable.expressions import Placeholders, parse_key_condition
from singletable.operations import KeySchemaElement, Query, TableDescription
from singletable.values import AttributeValue, InvalidNumber, Item, canonical_number, check_value


def partition_of(table: TableDescription | None, item: Item) -> tuple[str, ...]:
    """The partition of an item or a key; empty if the table or the key is not known."""
    return _texts(item[name] for name in _names(table, None) if name in (item or {}))


def partition_asked(table: TableDescription | None, query: Query) -> tuple[str, ...]:
    """The partition that a query asks for; empty if it is not known."""
    values = _asked(query)
    return _texts(values[name] for name in _names(table, query.index_name) if name in values)


def _names(table: TableDescription | None, index: str | None) -> tuple[str, ...]:
    """The attributes by which a table or an index partitions; none if it is not known."""
    if table is None:
        return ()
    schemas: dict[str | None, list[KeySchemaElement]] = {None: table.key_schema}
    for global_index in table.global_secondary_indexes or ():
        schemas[global_index.index_name] = global_index.key_schema
    for local_index in table.local_secondary_indexes or ():
        schemas[local_index.index_name] = local_index.key_schema
    return tuple(part.attribute_name for part in schemas.get(index, ()) if part.key_type == "HASH")


def _asked(query: Query) -> dict[str, AttributeValue]:
    """The values that key attributes must equal."""
    if query.key_condition_expression is None:
        return {
            name: condition.attribute_value_list[0]
            for name, condition in (query.key_conditions or {}).items()
            if condition.comparison_operator == "EQ" and condition.attribute_value_list
        }
    names, values = query.expression_attribute_names, query.expression_attribute_values
    try:
        placeholders = Placeholders.checked(names, values, _canonical)
        clauses = parse_key_condition(query.key_condition_expression, placeholders)
    except OperationError:
        return {}
    return {clause.attribute: clause.values[0] for clause in clauses if clause.comparator == "="}


def _canonical(alias: str, value: AttributeValue) -> AttributeValue:
    return check_value(value)[0]


def _texts(values: Iterable[AttributeValue]) -> tuple[str, ...]:
    return tuple(_text(value) for value in values)


def _text(value: AttributeValue) -> str:
    if "N" in value:
        try:
            return canonical_number(value["N"])
        except InvalidNumber:
            return value["N"]
    return value.get("S") or value.get("B") or ""
