"""Reads: GetItem, Query and Scan with key conditions, filters and projections."""

from __future__ import annotations

from hypothesis import strategies as st

from dynamodb_engine.operations import GetItem, Query, Scan, Select
from tests.differential.features import Feature
from tests.differential.strategies.conditions import write_condition
from tests.differential.strategies.tables import NAME, Index, Keys, Table, draw_key, draw_key_value
from tests.differential.strategies.universe import Features
from tests.differential.strategies.writer import Writer


@st.composite
def gets(draw: st.DrawFn, table: Table, features: Features) -> GetItem:
    """Draw a GetItem."""
    writer = Writer(draw, features)
    projection = write_projection(writer, table) if writer.wants(Feature.PROJECTIONS) else None
    return GetItem(
        NAME,
        draw_key(draw, table),
        consistent_read=writer.pick((None, True, False)),
        projection_expression=projection,
        expression_attribute_names=writer.names or None,
    )


@st.composite
def queries(draw: st.DrawFn, table: Table, features: Features) -> Query:
    """Draw a Query of the table or an index."""
    writer = Writer(draw, features)
    index = writer.pick((None, *table.indexes))
    asked = table.keys if index is None else index.keys
    condition = write_key_condition(writer, asked, table)
    filtered, projection = _write_choice(writer, table, index)
    return Query(
        NAME,
        index_name=None if index is None else index.name,
        select=draw_select(writer, index, projected=projection is not None),
        limit=draw_limit(writer),
        consistent_read=draw_consistency(writer, index),
        scan_index_forward=writer.pick((None, True, False)),
        key_condition_expression=condition,
        filter_expression=filtered,
        projection_expression=projection,
        **writer.given,
    )


@st.composite
def scans(draw: st.DrawFn, table: Table, features: Features) -> Scan:
    """Draw a Scan of the table or an index; segment 0 stands for all segments."""
    writer = Writer(draw, features)
    index = writer.pick((None, *table.indexes))
    filtered, projection = _write_choice(writer, table, index)
    segments = writer.pick((1, 2, 5)) if writer.wants(Feature.SEGMENTS) else None
    return Scan(
        NAME,
        index_name=None if index is None else index.name,
        select=draw_select(writer, index, projected=projection is not None),
        limit=draw_limit(writer),
        consistent_read=draw_consistency(writer, index),
        total_segments=segments,
        segment=None if segments is None else 0,
        filter_expression=filtered,
        projection_expression=projection,
        **writer.given,
    )


def write_key_condition(writer: Writer, asked: Keys, table: Table) -> str:
    """Draw a key condition on a partition, or part of one."""

    def value(name: str) -> str:
        return writer.value(draw_key_value(writer.draw, table, name))

    clauses = [f"{writer.name(asked.partition)} = {value(asked.partition)}"]
    if asked.sort is not None and writer.pick((True, False)):
        name = writer.name(asked.sort)
        shapes = ["=", "<", "<=", ">", ">=", "BETWEEN", "reversed"]
        if table.types[asked.sort] != "N":
            shapes += ["begins_with", "begins_with"]
        match shape := writer.pick(shapes):
            case "BETWEEN":
                low = value(asked.sort)
                clauses.append(f"{name} BETWEEN {low} AND {value(asked.sort)}")
            case "begins_with":
                clauses.append(f"begins_with({name}, {value(asked.sort)})")
            case "reversed":
                clauses.append(f"{value(asked.sort)} >= {name}")
            case _:
                clauses.append(f"{name} {shape} {value(asked.sort)}")
        if writer.chance():
            clauses.reverse()
    if writer.chance():
        clauses = [f"({clause})" for clause in clauses]
    return " AND ".join(clauses)


def _write_choice(
    writer: Writer, table: Table, index: Index | None
) -> tuple[str | None, str | None]:
    """Draw a filter and a projection, rarely ones that an index does not project."""
    if index is not None and index.projection.projection_type != "ALL" and not writer.chance():
        return None, None
    filtered = write_condition(writer) if writer.wants(Feature.FILTERS) else None
    projection = write_projection(writer, table) if writer.wants(Feature.PROJECTIONS) else None
    return filtered, projection


def write_projection(writer: Writer, table: Table) -> str:
    """Draw paths with distinct first attributes."""
    names = dict.fromkeys(
        writer.pick(table.keys.names) if writer.chance() else writer.attribute()
        for _ in range(writer.pick((1, 2, 3)))
    )
    return ", ".join(writer.path(name, Feature.PROJECTIONS_OF_PATHS) for name in names)


def draw_limit(writer: Writer) -> int | None:
    """Draw a page size."""
    return writer.pick((1, 2, 3, 100)) if writer.wants(Feature.PAGES) else None


def draw_select(writer: Writer, index: Index | None, *, projected: bool) -> Select | None:
    """Draw a Select."""
    if not writer.wants(Feature.SELECT):
        return None
    choices: list[Select] = ["SPECIFIC_ATTRIBUTES"] if projected else ["COUNT", "ALL_ATTRIBUTES"]
    if index is not None and not projected:
        choices.append("ALL_PROJECTED_ATTRIBUTES")
    return writer.pick(choices)


def draw_consistency(writer: Writer, index: Index | None) -> bool | None:
    """Draw ConsistentRead, which a global index does not support."""
    strong = index is None or not index.is_global
    return writer.pick((None, False, True) if strong else (None, False))
