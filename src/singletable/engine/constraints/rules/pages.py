"""The rules of the operations that read items in pages."""

from __future__ import annotations

from singletable.engine.constraints.rules.members import (
    ATTRIBUTES_TO_GET,
    CAPACITY,
    CONSISTENT,
    NAMES,
    OPERATOR,
    PROJECTION,
    TABLE,
    VALUES,
)
from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.rules.words import COMPARISON_OPERATOR, SELECT
from singletable.engine.constraints.shape import (
    Attributes,
    Flag,
    List,
    Map,
    Member,
    Number,
    Struct,
    Text,
    required,
)
from singletable.engine.constraints.wording import PAGES as ANSWERS
from singletable.operations import Condition, Query, Scan

CONDITIONS = Map(
    Struct(
        Condition,
        (
            Member("attribute_value_list", List(Attributes())),
            required("comparison_operator", COMPARISON_OPERATOR),
        ),
    )
)
SELECTED = Member("select", SELECT)
INDEX = Member("index_name", Text(3, 255, pattern="last"))
LIMIT = Member("limit", Number(1))
START = Member("exclusive_start_key", Attributes())
FILTER = Member("filter_expression", Text())

QUERY = Struct(
    Query,
    (
        SELECTED,
        INDEX,
        CAPACITY,
        Member("query_filter", CONDITIONS),
        TABLE,
        OPERATOR,
        ATTRIBUTES_TO_GET,
        LIMIT,
        Member("key_conditions", CONDITIONS),
        START,
        CONSISTENT,
        Member("scan_index_forward", Flag()),
        Member("key_condition_expression", Text()),
        FILTER,
        PROJECTION,
        VALUES,
        NAMES,
    ),
)
SCAN = Struct(
    Scan,
    (
        SELECTED,
        INDEX,
        Member("total_segments", Number(1, 1_000_000)),
        CAPACITY,
        TABLE,
        OPERATOR,
        Member("scan_filter", CONDITIONS),
        Member("segment", Number(0, 999_999)),
        LIMIT,
        ATTRIBUTES_TO_GET,
        START,
        FILTER,
        PROJECTION,
        VALUES,
        NAMES,
        CONSISTENT,
    ),
)

PAGES = (Rule(QUERY, ANSWERS), Rule(SCAN, ANSWERS))
