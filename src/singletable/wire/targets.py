"""Which operation a request's target header names."""

from __future__ import annotations

from typing import Any

from singletable import operations
from singletable.operations import Operation

VERSION = "DynamoDB_20120810"

# Our own operations travel under a version of their own, so that no client takes them for AWS's.
OWN_VERSION = "SingleTable_1"

_OF_AWS = (
    operations.BatchGetItem,
    operations.BatchWriteItem,
    operations.CreateTable,
    operations.DeleteItem,
    operations.DeleteTable,
    operations.DescribeContinuousBackups,
    operations.DescribeEndpoints,
    operations.DescribeLimits,
    operations.DescribeTable,
    operations.DescribeTimeToLive,
    operations.GetItem,
    operations.ListTables,
    operations.ListTagsOfResource,
    operations.PutItem,
    operations.Query,
    operations.Scan,
    operations.TagResource,
    operations.TransactGetItems,
    operations.TransactWriteItems,
    operations.UntagResource,
    operations.UpdateContinuousBackups,
    operations.UpdateItem,
    operations.UpdateTable,
    operations.UpdateTimeToLive,
)
_OUR_OWN = (operations.ReadChanges, operations.SweepExpired)

# What an operation's result is differs from row to row; whoever executes it knows the type.
TARGETS: dict[str, type[Operation[Any]]] = {
    **{f"{VERSION}.{operation.__name__}": operation for operation in _OF_AWS},
    **{f"{OWN_VERSION}.{operation.__name__}": operation for operation in _OUR_OWN},
}
