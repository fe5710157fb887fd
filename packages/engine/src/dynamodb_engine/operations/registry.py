"""The registry of operations: one entry each, with the facts that several modules need.

From an entry follow the target header on the wire, the handler in the engine, the permission that
a policy must grant, the faults that can be injected, whether a lost request is retried, and the
type of the response. ARCHITECTURE.md says what else a new operation needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.base import Operation
from dynamodb_engine.operations.touches import READS, touches

# What an operation is about: items; the table named by `table_name` or `resource_arn`; that table,
# or every table if none is named; the list of tables; the stream named by `stream_arn` or by
# `shard_iterator`; or the account.
Scope: TypeAlias = Literal["items", "table", "any table", "tables", "stream", "account"]

# Whether a request that may have been applied is safe to send again. A put is, unless its condition
# would then be evaluated against what it wrote itself, and a transaction if it has a client token.
Idempotent: TypeAlias = Literal["always", "without condition", "with token", "never"]

# DynamoDB Streams is a service of its own on the wire, but not in policies. Operations that AWS
# does not have get a namespace of their own in both.
Service: TypeAlias = Literal["dynamodb", "dynamodbstreams", "singletable"]

# Faults of some operations only; the others (throttling, unavailability, internal errors) can
# happen to every operation of DynamoDB.
SpecificFault: TypeAlias = Literal["conflict", "in_progress", "unprocessed"]


@dataclass(frozen=True, slots=True)
class OperationSpec:
    """The facts about one operation."""

    request: type[Operation[Any]]
    scope: Scope
    writes: bool = False
    idempotent: Idempotent = "always"
    faults: tuple[SpecificFault, ...] = ()
    service: Service = "dynamodb"

    @property
    def name(self) -> str:
        """The name in AWS's manual: PutItem."""
        return self.request.__name__

    @property
    def action(self) -> str:
        """The permission that a policy grants: dynamodb:PutItem."""
        namespace = "singletable" if self.service == "singletable" else "dynamodb"
        return f"{namespace}:{self.name}"

    @property
    def output(self) -> type[Any]:
        """The type of the result, which the class of the request declares."""
        # `class GetItem(Operation[GetItemOutput])`
        *_, base = vars(self.request)["__orig_bases__"]
        (output,) = get_args(base)
        return output  # type: ignore[no-any-return]


OPERATIONS: dict[type[Operation[Any]], OperationSpec] = {
    spec.request: spec
    for spec in (
        OperationSpec(ops.GetItem, "items"),
        OperationSpec(
            ops.PutItem, "items", writes=True, idempotent="without condition", faults=("conflict",)
        ),
        OperationSpec(
            ops.UpdateItem, "items", writes=True, idempotent="never", faults=("conflict",)
        ),
        OperationSpec(
            ops.DeleteItem, "items", writes=True, idempotent="never", faults=("conflict",)
        ),
        OperationSpec(ops.Query, "items"),
        OperationSpec(ops.Scan, "items"),
        OperationSpec(ops.BatchGetItem, "items", faults=("unprocessed",)),
        OperationSpec(ops.BatchWriteItem, "items", writes=True, faults=("unprocessed",)),
        OperationSpec(ops.TransactGetItems, "items", faults=("conflict",)),
        OperationSpec(
            ops.TransactWriteItems,
            "items",
            writes=True,
            idempotent="with token",
            faults=("conflict", "in_progress"),
        ),
        OperationSpec(
            ops.ExecuteStatement, "items", writes=True, idempotent="never", faults=("conflict",)
        ),
        OperationSpec(ops.BatchExecuteStatement, "items", writes=True, idempotent="never"),
        OperationSpec(
            ops.ExecuteTransaction,
            "items",
            writes=True,
            idempotent="with token",
            faults=("conflict", "in_progress"),
        ),
        OperationSpec(ops.CreateTable, "table", writes=True),
        OperationSpec(ops.DescribeTable, "table"),
        OperationSpec(ops.UpdateTable, "table", writes=True),
        OperationSpec(ops.DeleteTable, "table", writes=True),
        OperationSpec(ops.ListTables, "tables"),
        OperationSpec(ops.UpdateTimeToLive, "table", writes=True),
        OperationSpec(ops.DescribeTimeToLive, "table"),
        OperationSpec(ops.UpdateContinuousBackups, "table", writes=True),
        OperationSpec(ops.DescribeContinuousBackups, "table"),
        OperationSpec(ops.EnableKinesisStreamingDestination, "table", writes=True),
        OperationSpec(ops.DisableKinesisStreamingDestination, "table", writes=True),
        OperationSpec(ops.UpdateKinesisStreamingDestination, "table", writes=True),
        OperationSpec(ops.DescribeKinesisStreamingDestination, "table"),
        OperationSpec(ops.TagResource, "table", writes=True),
        OperationSpec(ops.UntagResource, "table", writes=True),
        OperationSpec(ops.ListTagsOfResource, "table"),
        OperationSpec(ops.DescribeLimits, "account"),
        OperationSpec(ops.DescribeEndpoints, "account"),
        OperationSpec(ops.ListStreams, "account", service="dynamodbstreams"),
        OperationSpec(ops.DescribeStream, "stream", service="dynamodbstreams"),
        OperationSpec(ops.GetShardIterator, "stream", service="dynamodbstreams"),
        OperationSpec(ops.GetRecords, "stream", service="dynamodbstreams"),
        OperationSpec(ops.ReadChanges, "any table", service="singletable"),
        OperationSpec(ops.SweepExpired, "any table", writes=True, service="singletable"),
    )
}
# Statements of PartiQL read or write: see `is_write`.
_STATEMENTS = (ops.ExecuteStatement, ops.BatchExecuteStatement, ops.ExecuteTransaction)
ITEM_READS = tuple(s.request for s in OPERATIONS.values() if s.scope == "items" and not s.writes)


def is_write(operation: Operation[Any]) -> bool:
    """Return whether a request may write: PartiQL reads if each of its statements is a SELECT."""
    spec = OPERATIONS.get(type(operation))
    if spec is None or not isinstance(operation, _STATEMENTS):
        return spec is not None and spec.writes
    return any(touch.access not in READS for touch in touches(operation))
