"""Validate CreateTable and UpdateTable, in the order in which AWS checks them.

The order matters: a request that is wrong in several ways is rejected for the first of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.control import settings
from dynamodb_engine.engine.control.capacity import (
    MAX_UNITS,
    UNITS_NOT_ALLOWED,
    billing_mode,
    check_index_throughput,
    check_initial_limits,
    check_initial_warm_throughput,
    check_limits,
    check_table_throughput,
    check_throughput_bounds,
    check_throughput_changes,
    check_warm_throughput,
)
from dynamodb_engine.engine.control.indexes import (
    IndexAction,
    check_definitions_unique,
    check_definitions_used,
    check_global_key,
    check_local_key,
    check_new_index,
    check_projection,
    check_table_key,
    index_actions,
    is_create_or_delete,
)
from dynamodb_engine.engine.control.state import MAX_GLOBAL_INDEXES
from dynamodb_engine.engine.table_record import TableRecord
from dynamodb_engine.errors import UnknownOperation, ValidationError
from dynamodb_engine.values import INVALID

MAX_LOCAL_INDEXES = 5
NO_SORT_KEY = (
    f"{INVALID}Table KeySchema does not have a range key, "
    "which is required when specifying a LocalSecondaryIndex"
)
UNUSED_DEFINITIONS = (
    f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes "
    "defined in AttributeDefinitions"
)
NOTHING_REQUESTED = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
    "OnDemandThroughput, WarmThroughput or TableClass is required"
)
# The fields of UpdateTable that change something.
CHANGES = (
    "provisioned_throughput",
    "billing_mode",
    "stream_specification",
    "global_secondary_index_updates",
    "sse_specification",
    "deletion_protection_enabled",
    "on_demand_throughput",
    "warm_throughput",
    "table_class",
)
# Changes that exclude all others; of several, AWS names the first of these.
EXCLUSIVE = {
    "sse_specification": "Server-Side Encryption modification must be the only operation in "
    "the request",
    "table_class": "TableClass modification must be the only operation in the request",
    "deletion_protection_enabled": "DeletionProtection modification must be the only operation "
    "in the request",
    "warm_throughput": "WarmThroughput must be the only operation in the request",
}
# Changes that exclude each other. "index" stands for creating or deleting an index.
INCOMPATIBLE = (
    (
        {"index", "provisioned_throughput"},
        "You cannot create or delete index while updating table IOPS",
    ),
    (
        {"index", "stream_specification"},
        "You cannot create or delete index while changing stream status",
    ),
    (
        {"stream_specification", "provisioned_throughput"},
        "You cannot modify stream status while updating table IOPS",
    ),
)
BLOCKED = (
    "This operation cannot be performed with given input values. "
    "Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate"
)


def check_create_table(request: ops.CreateTable) -> None:
    """Raise unless the request is valid on its own."""
    if request.resource_policy:
        raise UnknownOperation.unsupported("ResourcePolicy of CreateTable")
    check_table_throughput(request)
    check_definitions_unique(request.attribute_definitions)
    check_table_key(request.key_schema, request.attribute_definitions)
    _check_index_keys(request)
    names: set[str] = set()
    _check_local_indexes(request.local_secondary_indexes or (), names)
    _check_global_indexes(request, request.global_secondary_indexes or (), names)
    mode = request.billing_mode or "PROVISIONED"
    check_initial_limits(request.on_demand_throughput, mode)
    check_initial_warm_throughput(request.warm_throughput, mode, request.provisioned_throughput)
    settings.check_stream(request.stream_specification, is_new=True)
    settings.check_encryption(request.sse_specification)
    settings.check_tags(request.tags or ())


def _check_index_keys(request: ops.CreateTable) -> None:
    local_indexes, global_indexes = (
        request.local_secondary_indexes,
        request.global_secondary_indexes,
    )
    keys, definitions = request.key_schema, request.attribute_definitions
    if local_indexes is None and global_indexes is None:
        if len(keys) != len(definitions):
            raise ValidationError(UNUSED_DEFINITIONS)
        return
    if local_indexes == []:
        raise ValidationError(f"{INVALID}List of LocalSecondaryIndexes is empty")
    if local_indexes and len(keys) < 2:
        raise ValidationError(NO_SORT_KEY)
    for local_index in local_indexes or ():
        check_local_key(local_index, keys, definitions)
    if global_indexes == []:
        raise ValidationError(f"{INVALID}List of GlobalSecondaryIndexes is empty")
    for global_index in global_indexes or ():
        check_global_key(global_index, definitions)
    indexes = [index.key_schema for index in (*(local_indexes or ()), *(global_indexes or ()))]
    check_definitions_used([keys, *indexes], definitions)


def _check_local_indexes(indexes: Sequence[ops.LocalSecondaryIndex], names: set[str]) -> None:
    for index in indexes:
        check_projection(index.projection)
        _check_new_name(index.index_name, names)
    if len(indexes) > MAX_LOCAL_INDEXES:
        raise ValidationError(
            f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of "
            f"{MAX_LOCAL_INDEXES}"
        )


def _check_global_indexes(
    request: ops.CreateTable, indexes: Sequence[ops.GlobalSecondaryIndex], names: set[str]
) -> None:
    mode = request.billing_mode or "PROVISIONED"
    for index in indexes:
        name, units = index.index_name, index.provisioned_throughput
        check_projection(index.projection)
        check_index_throughput(index, mode)
        check_initial_limits(index.on_demand_throughput, mode, name)
        check_initial_warm_throughput(index.warm_throughput, mode, units, f"index {name}")
        _check_new_name(name, names)
    if len(indexes) > MAX_GLOBAL_INDEXES:
        raise ValidationError(
            f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of "
            f"{MAX_GLOBAL_INDEXES}"
        )


def _check_new_name(name: str, names: set[str]) -> None:
    if name in names:
        raise ValidationError(f"{INVALID}Duplicate index name: {name}")
    names.add(name)


def check_update_table(request: ops.UpdateTable) -> None:
    """Raise ValidationError unless the request is valid for some table."""
    requested = [name for name in CHANGES if getattr(request, name) is not None]
    if request.global_secondary_index_updates == [] and len(requested) > 1:
        raise ValidationError(f"{INVALID}List of GlobalSecondaryIndexUpdates is empty")
    if not requested or request.global_secondary_index_updates == []:
        raise ValidationError(NOTHING_REQUESTED)
    _check_new_throughput(request)
    actions = index_actions(request)
    _check_combination(requested, actions)
    settings.check_stream(request.stream_specification)
    settings.check_encryption(request.sse_specification)
    for action in actions:
        if isinstance(action, ops.CreateGlobalSecondaryIndexAction):
            check_new_index(action, request.attribute_definitions)


def _check_new_throughput(request: ops.UpdateTable) -> None:
    units = request.provisioned_throughput
    if request.billing_mode == "PAY_PER_REQUEST" and units is not None:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput cannot be specified when BillingMode is "
            "PAY_PER_REQUEST"
        )
    if request.billing_mode == "PROVISIONED" and units is None:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
        )
    if units is not None:
        check_throughput_bounds(units)


def _check_combination(requested: Collection[str], actions: Sequence[IndexAction]) -> None:
    exclusive = EXCLUSIVE
    if any(isinstance(action, ops.CreateGlobalSecondaryIndexAction) for action in actions):
        exclusive = EXCLUSIVE | {
            "warm_throughput": "Create global secondary index cannot be specified when updating "
            "WarmThroughput"
        }
    for name, rejection in exclusive.items():
        if name in requested and len(requested) > 1:
            raise ValidationError(INVALID + rejection)
    if "on_demand_throughput" in requested and set(requested) - {
        "on_demand_throughput",
        "billing_mode",
    }:
        raise ValidationError(
            f"{INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable "
            "request"
        )
    changes = {*requested, "index"} if any(map(is_create_or_delete, actions)) else {*requested}
    for pair, rejection in INCOMPATIBLE:
        if pair <= changes:
            raise ValidationError(INVALID + rejection)


def check_update_of_table(
    record: TableRecord, request: ops.UpdateTable, actions: Sequence[IndexAction]
) -> None:
    """Raise ValidationError unless the change suits the table's billing mode and settings."""
    mode = request.billing_mode or billing_mode(record)
    if mode == "PAY_PER_REQUEST" and request.provisioned_throughput is not None:
        raise ValidationError(UNITS_NOT_ALLOWED)
    for action in actions:
        _check_action(record, action, mode)
    if mode == "PROVISIONED" and billing_mode(record) != mode:
        _check_every_index_provisioned(record, actions)
    check_limits(request.on_demand_throughput, mode)
    check_warm_throughput(request.warm_throughput, record)
    if request.provisioned_throughput is not None:
        check_throughput_changes(record, request.provisioned_throughput)
    settings.check_stream_changes(record, request.stream_specification)
    settings.check_encryption_changes(record, request.sse_specification)


def _check_action(record: TableRecord, action: IndexAction, mode: ops.BillingMode) -> None:
    match action:
        case ops.CreateGlobalSecondaryIndexAction():
            _check_create_index(action, mode)
        case ops.UpdateGlobalSecondaryIndexAction():
            _check_update_index(record, action, mode)
        case ops.DeleteGlobalSecondaryIndexAction():
            return


def _check_create_index(
    action: ops.CreateGlobalSecondaryIndexAction, mode: ops.BillingMode
) -> None:
    name, units = action.index_name, action.provisioned_throughput
    if mode == "PAY_PER_REQUEST" and units is not None:
        raise ValidationError(
            f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for "
            f"index: {name} when BillingMode is PAY_PER_REQUEST"
        )
    if mode == "PROVISIONED" and units is None:
        raise ValidationError(
            f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for "
            f"index: {name}"
        )
    check_limits(action.on_demand_throughput, mode, name)
    check_initial_warm_throughput(action.warm_throughput, mode, units, f"index {name}")


def _check_update_index(
    record: TableRecord, action: ops.UpdateGlobalSecondaryIndexAction, mode: ops.BillingMode
) -> None:
    name, units = action.index_name, action.provisioned_throughput
    index = next(index for index in record.global_indexes if index.name == name)
    if units is not None and max(units.read_capacity_units, units.write_capacity_units) > MAX_UNITS:
        raise ValidationError(BLOCKED)
    changes = (units, action.on_demand_throughput, action.warm_throughput)
    changes_nothing = all(change is None for change in changes)
    if mode == "PAY_PER_REQUEST" and (units is not None or changes_nothing):
        raise ValidationError(
            f"{INVALID}The only Updates for index: {name} when TableThroughputMode is "
            "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
        )
    if mode == "PROVISIONED" and changes_nothing:
        raise ValidationError(f"{INVALID}ProvisionedThroughput must be specified for index: {name}")
    check_limits(action.on_demand_throughput, mode, name)
    check_warm_throughput(action.warm_throughput, index, f"index {name}")
    if units is not None:
        check_throughput_changes(index, units)


def _check_every_index_provisioned(record: TableRecord, actions: Sequence[IndexAction]) -> None:
    provisioned = {
        action.index_name
        for action in actions
        if isinstance(action, ops.UpdateGlobalSecondaryIndexAction)
        and action.provisioned_throughput is not None
    }
    missing = [index.name for index in record.global_indexes if index.name not in provisioned]
    if missing:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput must be specified for index: {','.join(missing)}"
        )
