"""Whether a change suits the table as it is: how it is billed, and that something changes."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.engine.control.encryption import check_encryption_changes
from singletable.engine.control.index_actions import Action
from singletable.engine.control.on_demand import check_limits
from singletable.engine.control.states import billing_mode
from singletable.engine.control.streams import check_stream_changes
from singletable.engine.control.throughput import MAX_UNITS, NOT_ON_DEMAND, check_differs
from singletable.engine.control.warm import check_warm, check_warm_at_creation
from singletable.engine.table_record import TableRecord
from singletable.errors import ValidationError
from singletable.operations import (
    BillingMode,
    CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction,
    UpdateGlobalSecondaryIndexAction,
    UpdateTable,
)
from singletable.values import INVALID

BLOCKED = (
    "This operation cannot be performed with given input values. "
    "Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate"
)


def check_suits(record: TableRecord, request: UpdateTable, actions: Sequence[Action]) -> None:
    """Raise ValidationError unless the table can be changed so."""
    mode = request.billing_mode or billing_mode(record)
    if mode == "PAY_PER_REQUEST" and request.provisioned_throughput is not None:
        raise ValidationError(NOT_ON_DEMAND)
    for action in actions:
        _check_action(record, action, mode)
    if mode == "PROVISIONED" and billing_mode(record) != mode:
        _check_every_index_provisioned(record, actions)
    check_limits(request.on_demand_throughput, mode)
    check_warm(request.warm_throughput, record)
    if request.provisioned_throughput is not None:
        check_differs(record, request.provisioned_throughput)
    check_stream_changes(record, request.stream_specification)
    check_encryption_changes(record, request.sse_specification)


def _check_action(record: TableRecord, action: Action, mode: BillingMode) -> None:
    match action:
        case CreateGlobalSecondaryIndexAction():
            _check_create(action, mode)
        case UpdateGlobalSecondaryIndexAction():
            _check_update(record, action, mode)
        case DeleteGlobalSecondaryIndexAction():
            return


def _check_create(action: CreateGlobalSecondaryIndexAction, mode: BillingMode) -> None:
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
    check_warm_at_creation(action.warm_throughput, mode, units, f"index {name}")


def _check_update(
    record: TableRecord, action: UpdateGlobalSecondaryIndexAction, mode: BillingMode
) -> None:
    name, units = action.index_name, action.provisioned_throughput
    index = next(index for index in record.global_indexes if index.name == name)
    if units is not None and max(units.read_capacity_units, units.write_capacity_units) > MAX_UNITS:
        raise ValidationError(BLOCKED)
    asked = (units, action.on_demand_throughput, action.warm_throughput)
    nothing = all(change is None for change in asked)
    if mode == "PAY_PER_REQUEST" and (units is not None or nothing):
        raise ValidationError(
            f"{INVALID}The only Updates for index: {name} when TableThroughputMode is "
            "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
        )
    if mode == "PROVISIONED" and nothing:
        raise ValidationError(f"{INVALID}ProvisionedThroughput must be specified for index: {name}")
    check_limits(action.on_demand_throughput, mode, name)
    check_warm(action.warm_throughput, index, f"index {name}")
    if units is not None:
        check_differs(index, units)


def _check_every_index_provisioned(record: TableRecord, actions: Sequence[Action]) -> None:
    given = {
        action.index_name
        for action in actions
        if isinstance(action, UpdateGlobalSecondaryIndexAction)
        and action.provisioned_throughput is not None
    }
    missing = [index.name for index in record.global_indexes if index.name not in given]
    if missing:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput must be specified for index: {','.join(missing)}"
        )
