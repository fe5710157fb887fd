"""PartiQL: one statement, a batch of them, or a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Raw, field

from dynamodb_engine.errors import OperationError
from dynamodb_engine.operations.base import Operation, Shape
from dynamodb_engine.operations.items import (
    ConsumedCapacity,
    ItemResponse,
    ReturnConsumedCapacity,
    ReturnOnFailure,
)
from dynamodb_engine.partiql import Statement, bind_statement, parse_statement
from dynamodb_engine.values import AttributeValue, Item, check_value, item_from_json

__all__ = [
    "BatchExecuteStatement",
    "BatchExecuteStatementOutput",
    "BatchStatementError",
    "BatchStatementRequest",
    "BatchStatementResponse",
    "ExecuteStatement",
    "ExecuteStatementOutput",
    "ExecuteTransaction",
    "ExecuteTransactionOutput",
    "ParameterizedStatement",
]


class _StatementRequest:
    """What a statement names; None where it is not well formed, which the driver reports."""

    if TYPE_CHECKING:
        statement: str
        parameters: list[AttributeValue] | None

    @property
    def table_name(self) -> str | None:
        """The table that the statement names."""
        return next(iter(self._source), None)

    @property
    def index_name(self) -> str | None:
        """The index that the statement names."""
        return self._source[1] if len(self._source) > 1 else None

    @property
    def _source(self) -> tuple[str, ...]:
        try:
            return parse_statement(self.statement).source
        except (OperationError, TypeError):
            return ()

    def bind(self) -> Statement | None:
        """Return the statement with its parameters; None if it is invalid."""
        try:
            values = [check_value(value)[0] for value in self.parameters or ()]
            return bind_statement(self.statement, values)
        except (OperationError, TypeError):
            return None


class ExecuteStatementOutput(Shape, frozen=True):
    """The items that were read, or that a write returns; a token if there may be more."""

    raw_items: list[Raw] = field(name="Items")
    next_token: str | None = None
    consumed_capacity: ConsumedCapacity | None = None
    last_evaluated_key: Item | None = None

    @property
    def items(self) -> list[Item]:
        """The items, decoded at each call."""
        return [item_from_json(raw) for raw in self.raw_items]


class ExecuteStatement(_StatementRequest, Operation[ExecuteStatementOutput], frozen=True):
    """Execute a PartiQL statement."""

    statement: str
    parameters: list[AttributeValue] | None = None
    consistent_read: bool | None = None
    next_token: str | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    limit: int | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class BatchStatementRequest(_StatementRequest, Shape, frozen=True):
    """One statement of a batch."""

    statement: str
    parameters: list[AttributeValue] | None = None
    consistent_read: bool | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class BatchStatementError(Shape, frozen=True):
    """Why one statement of a batch failed, and the item if its condition did, on request."""

    code: str
    message: str
    item: Item | None = None


class BatchStatementResponse(Shape, frozen=True):
    """The item that a statement read or returns, or its error."""

    error: BatchStatementError | None = None
    table_name: str | None = None
    raw_item: Raw | None = field(name="Item", default=None)

    @property
    def item(self) -> Item | None:
        """The item, decoded at each call, or None."""
        return None if self.raw_item is None else item_from_json(self.raw_item)


class BatchExecuteStatementOutput(Shape, frozen=True):
    """One response for each statement, in order."""

    responses: list[BatchStatementResponse]
    consumed_capacity: list[ConsumedCapacity] | None = None


class BatchExecuteStatement(Operation[BatchExecuteStatementOutput], frozen=True):
    """Execute up to 25 statements, each on its own."""

    statements: list[BatchStatementRequest]
    return_consumed_capacity: ReturnConsumedCapacity | None = None


class ParameterizedStatement(_StatementRequest, Shape, frozen=True):
    """One statement of a transaction."""

    statement: str
    parameters: list[AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class ExecuteTransactionOutput(Shape, frozen=True):
    """One response for each statement that reads, in order; none for writes."""

    responses: list[ItemResponse]
    consumed_capacity: list[ConsumedCapacity] | None = None


class ExecuteTransaction(Operation[ExecuteTransactionOutput], frozen=True):
    """Execute up to 100 statements, or none of them."""

    transact_statements: list[ParameterizedStatement]
    client_request_token: str | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
