"""Operations that read items in pages."""

from __future__ import annotations

from msgspec import Raw, field

from singletable.operations.operation import Operation, Shape
from singletable.operations.shapes import (
    Condition,
    ConditionalOperator,
    ConsumedCapacity,
    ReturnConsumedCapacity,
    Select,
)
from singletable.values import AttributeValue, Item, item_from_json


class PageOutput(Shape, frozen=True):
    """Items in order, and where to go on if there may be more."""

    count: int
    scanned_count: int
    raw_items: list[Raw] | None = field(name="Items", default=None)
    last_evaluated_key: Item | None = None
    consumed_capacity: ConsumedCapacity | None = None

    @property
    def items(self) -> list[Item]:
        """The items, decoded anew at each call; none if only their number was asked for."""
        return [item_from_json(raw) for raw in self.raw_items or ()]


class Query(Operation[PageOutput], frozen=True):
    """Ask for the items of one partition, in the order of their sort key."""

    table_name: str
    index_name: str | None = None
    select: Select | None = None
    attributes_to_get: list[str] | None = None
    limit: int | None = None
    consistent_read: bool | None = None
    key_conditions: dict[str, Condition] | None = None
    query_filter: dict[str, Condition] | None = None
    conditional_operator: ConditionalOperator | None = None
    scan_index_forward: bool | None = None
    exclusive_start_key: Item | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    projection_expression: str | None = None
    filter_expression: str | None = None
    key_condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None


class Scan(Operation[PageOutput], frozen=True):
    """Ask for all items, in no order that means anything."""

    table_name: str
    index_name: str | None = None
    attributes_to_get: list[str] | None = None
    limit: int | None = None
    select: Select | None = None
    scan_filter: dict[str, Condition] | None = None
    conditional_operator: ConditionalOperator | None = None
    exclusive_start_key: Item | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    total_segments: int | None = None
    segment: int | None = None
    projection_expression: str | None = None
    filter_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    consistent_read: bool | None = None
