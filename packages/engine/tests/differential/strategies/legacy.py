"""Legacy parameters: Expected, AttributeUpdates, KeyConditions and filters."""

from __future__ import annotations

from collections.abc import Sized

from hypothesis import strategies as st

from dynamodb_engine.operations import (
    AttributeValueUpdate,
    ComparisonOperator,
    Condition,
    ConditionalOperator,
    DeleteItem,
    ExpectedAttributeValue,
    GetItem,
    PutItem,
    Query,
    Scan,
    UpdateItem,
)
from dynamodb_engine.values import AttributeValue
from tests.differential.features import Feature
from tests.differential.strategies.conditions import draw_bounds
from tests.differential.strategies.reads import draw_consistency, draw_limit
from tests.differential.strategies.tables import (
    NAME,
    Keys,
    Table,
    draw_item,
    draw_key,
    draw_key_value,
)
from tests.differential.strategies.universe import USUAL, Features, usual_values, values
from tests.differential.strategies.writer import Writer

_EITHER: tuple[ConditionalOperator, ...] = ("AND", "OR")
_ONE_VALUE: tuple[ComparisonOperator, ...] = ("EQ", "NE")
_ONE_SCALAR: tuple[ComparisonOperator, ...] = ("LT", "LE", "GT", "GE", "CONTAINS", "NOT_CONTAINS")
_RANGES: tuple[ComparisonOperator, ...] = ("EQ", "LT", "LE", "GT", "GE", "BETWEEN")


@st.composite
def legacy_writes(
    draw: st.DrawFn, table: Table, features: Features
) -> PutItem | DeleteItem | UpdateItem:
    """Draw a write of one item with Expected, and AttributeUpdates if it is an update."""
    writer = Writer(draw, features)
    kind = writer.pick(("put", "delete", "update", "update"))
    expected = _expected(writer) if writer.wants(Feature.LEGACY_CONDITIONS) else None
    either = _joined(writer, expected)
    if kind == "put":
        item = draw_item(draw, table, features)
        return PutItem(NAME, item, expected=expected, conditional_operator=either)
    key = draw_key(draw, table)
    if kind == "delete":
        return DeleteItem(NAME, key, expected=expected, conditional_operator=either)
    return UpdateItem(
        NAME,
        key,
        attribute_updates=_updates(writer) if writer.has(Feature.LEGACY_UPDATES) else None,
        expected=expected,
        conditional_operator=either,
        return_values=writer.pick((None, "ALL_NEW", "UPDATED_NEW", "ALL_OLD")),
    )


@st.composite
def legacy_reads(draw: st.DrawFn, table: Table, features: Features) -> GetItem | Query | Scan:
    """Draw a read with KeyConditions, filters and AttributesToGet."""
    writer = Writer(draw, features)
    wanted = None
    if writer.pick((True, False)):
        names = (writer.attribute() for _ in range(writer.pick((1, 2, 3))))
        wanted = list(dict.fromkeys(names))
    kind = writer.pick(("get", "query", "query", "scan", "scan"))
    if kind == "get":
        return GetItem(NAME, draw_key(draw, table), attributes_to_get=wanted)
    index = writer.pick((None, *table.indexes))
    name = None if index is None else index.name
    filters = _conditions(writer) if writer.pick((True, False)) else None
    either = _joined(writer, filters)
    if kind == "scan":
        return Scan(
            NAME,
            index_name=name,
            attributes_to_get=wanted,
            limit=draw_limit(writer),
            scan_filter=filters,
            conditional_operator=either,
        )
    return Query(
        NAME,
        index_name=name,
        attributes_to_get=wanted,
        limit=draw_limit(writer),
        consistent_read=draw_consistency(writer, index),
        key_conditions=_key_conditions(writer, table, table.keys if index is None else index.keys),
        query_filter=filters,
        conditional_operator=either,
        scan_index_forward=writer.pick((None, True, False)),
    )


def _joined(writer: Writer, conditions: Sized | None) -> ConditionalOperator | None:
    several = conditions is not None and len(conditions) > 1
    return writer.pick((None, *_EITHER)) if several else None


def _expected(writer: Writer) -> dict[str, ExpectedAttributeValue]:
    names = dict.fromkeys(writer.attribute() for _ in range(writer.pick((1, 1, 2, 3))))
    return {name: _expectation(writer, name) for name in names}


def _expectation(writer: Writer, name: str) -> ExpectedAttributeValue:
    match writer.pick(("exists", "missing", "value", "compare", "compare", "compare")):
        case "missing":
            return ExpectedAttributeValue(exists=False)
        case "exists":
            value = writer.draw(usual_values(name, writer.features))
            return ExpectedAttributeValue(exists=True, value=value)
        case "value":
            return ExpectedAttributeValue(value=writer.draw(usual_values(name, writer.features)))
        case _:
            operator, arguments = _comparison(writer, name)
            return ExpectedAttributeValue(
                comparison_operator=operator, attribute_value_list=arguments
            )


def _conditions(writer: Writer) -> dict[str, Condition]:
    names = dict.fromkeys(writer.attribute() for _ in range(writer.pick((1, 1, 2, 3))))
    return {name: Condition(*_comparison(writer, name)) for name in names}


def _comparison(
    writer: Writer, name: str
) -> tuple[ComparisonOperator, list[AttributeValue] | None]:
    scalar = USUAL[name] if USUAL[name] in ("S", "N", "B") else writer.pick(("S", "N", "B"))
    match writer.pick(("null", "equal", "equal", "scalar", "scalar", "BETWEEN", "IN", "prefix")):
        case "null":
            return writer.pick(("NULL", "NOT_NULL")), None
        case "equal":
            value = writer.draw(usual_values(name, writer.features))
            return writer.pick(_ONE_VALUE), [value]
        case "scalar":
            return writer.pick(_ONE_SCALAR), [writer.draw(values(writer.features, scalar))]
        case "BETWEEN":
            return "BETWEEN", list(draw_bounds(writer))
        case "IN":
            several = [writer.draw(values(writer.features, scalar)) for _ in range(2)]
            return "IN", several
        case _:
            kind = scalar if scalar != "N" else "S"
            return "BEGINS_WITH", [writer.draw(values(writer.features, kind))]


def _updates(writer: Writer) -> dict[str, AttributeValueUpdate]:
    names = dict.fromkeys(writer.attribute() for _ in range(writer.pick((1, 1, 2, 3))))
    return {name: _update(writer, name) for name in names}


def _update(writer: Writer, name: str) -> AttributeValueUpdate:
    value = writer.draw(usual_values(name, writer.features))
    actions = ["put", "put", "nothing said", "remove"]
    if USUAL[name] in ("N", "SS", "NS", "BS"):
        actions += ["add", "add"]
    if USUAL[name] in ("SS", "NS", "BS"):
        actions += ["delete", "delete"]
    match writer.pick(actions):
        case "put":
            return AttributeValueUpdate(value, "PUT")
        case "add":
            return AttributeValueUpdate(value, "ADD")
        case "delete":
            return AttributeValueUpdate(value, "DELETE")
        case "remove":
            return AttributeValueUpdate(action="DELETE")
        case _:
            return AttributeValueUpdate(value)


def _key_conditions(writer: Writer, table: Table, asked: Keys) -> dict[str, Condition]:
    def value(name: str) -> AttributeValue:
        return draw_key_value(writer.draw, table, name)

    conditions = {asked.partition: Condition("EQ", [value(asked.partition)])}
    if asked.sort is not None and writer.pick((True, False)):
        operators: list[ComparisonOperator] = list(_RANGES)
        if table.types[asked.sort] != "N":
            operators.append("BEGINS_WITH")
        operator = writer.pick(operators)
        arguments = [value(asked.sort)]
        if operator == "BETWEEN":
            arguments.append(value(asked.sort))
        conditions[asked.sort] = Condition(operator, arguments)
    return conditions
