"""Members that several operations have."""

from __future__ import annotations

from singletable.engine.constraints.rules.words import (
    CONDITIONAL_OPERATOR,
    RETURN_CONSUMED_CAPACITY,
    RETURN_ITEM_COLLECTION_METRICS,
    RETURN_ON_FAILURE,
)
from singletable.engine.constraints.shape import (
    Attributes,
    Flag,
    List,
    Map,
    Member,
    TableName,
    Text,
    required,
)

# Any name of one character or more is looked up; AWS then says that there is no such table.
TABLE = required("table_name", TableName(least=1))
KEY = required("key", Attributes())

CAPACITY = Member("return_consumed_capacity", RETURN_CONSUMED_CAPACITY)
METRICS = Member("return_item_collection_metrics", RETURN_ITEM_COLLECTION_METRICS)
OLD_ON_FAILURE = Member("return_values_on_condition_check_failure", RETURN_ON_FAILURE)
OPERATOR = Member("conditional_operator", CONDITIONAL_OPERATOR)
CONSISTENT = Member("consistent_read", Flag())

ATTRIBUTES_TO_GET = Member("attributes_to_get", List(Text(), least=1, most=255))
CONDITION = Member("condition_expression", Text())
PROJECTION = Member("projection_expression", Text())
NAMES = Member("expression_attribute_names", Map(Text()))
VALUES = Member("expression_attribute_values", Attributes())
