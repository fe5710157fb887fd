"""Operations on many items, all or none of them."""

from __future__ import annotations

from msgspec import Raw, field

from singletable.operations.operation import Operation, Shape
from singletable.operations.shapes import (
    ConsumedCapacity,
    ItemCollectionMetrics,
    ReturnConsumedCapacity,
    ReturnItemCollectionMetrics,
    ReturnOnFailure,
)
from singletable.values import AttributeValue, Item, item_from_json


class Get(Shape, frozen=True):
    """One item to get."""

    table_name: str
    key: Item
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


class TransactGetItem(Shape, frozen=True):
    """One action of a reading transaction."""

    get: Get


class ItemResponse(Shape, frozen=True):
    """An item, if there is one."""

    raw_item: Raw | None = field(name="Item", default=None)

    @property
    def item(self) -> Item | None:
        """The item, decoded anew at each call; None if there is none."""
        return None if self.raw_item is None else item_from_json(self.raw_item)


class TransactGetItemsOutput(Shape, frozen=True):
    """One response for each action, in order."""

    responses: list[ItemResponse]
    consumed_capacity: list[ConsumedCapacity] | None = None


class TransactGetItems(Operation[TransactGetItemsOutput], frozen=True):
    """Ask for up to 100 items as they stood at one moment."""

    transact_items: list[TransactGetItem]
    return_consumed_capacity: ReturnConsumedCapacity | None = None


class ConditionCheck(Shape, frozen=True):
    """A condition that must hold for the transaction to be carried out."""

    table_name: str
    key: Item
    condition_expression: str
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class Put(Shape, frozen=True):
    """An item to store."""

    table_name: str
    item: Item
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class Delete(Shape, frozen=True):
    """An item to remove."""

    table_name: str
    key: Item
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class Update(Shape, frozen=True):
    """An item to change."""

    table_name: str
    key: Item
    update_expression: str
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class TransactWriteItem(Shape, frozen=True):
    """One action of a writing transaction: exactly one field is there."""

    condition_check: ConditionCheck | None = None
    put: Put | None = None
    delete: Delete | None = None
    update: Update | None = None


class TransactWriteItemsOutput(Shape, frozen=True):
    """All actions were carried out."""

    consumed_capacity: list[ConsumedCapacity] | None = None
    item_collection_metrics: dict[str, list[ItemCollectionMetrics]] | None = None


class TransactWriteItems(Operation[TransactWriteItemsOutput], frozen=True):
    """Carry out up to 100 actions, or none of them."""

    transact_items: list[TransactWriteItem]
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    client_request_token: str | None = None
