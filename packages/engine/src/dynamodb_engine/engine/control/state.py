"""The state of tables and indexes at a given time, and changes that must wait for another one.

A record says until when each change takes; the state follows from the clock. Without delays, every
change is complete at once and nothing here conflicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.control.indexes import IndexAction, is_create_or_delete
from dynamodb_engine.engine.table_record import IndexRecord, PendingChange, TableRecord
from dynamodb_engine.errors import LimitExceeded, ResourceInUse, ResourceNotFound, ValidationError

# A kind of change that a request makes to a table.
ChangeKind: TypeAlias = PendingChange | Literal["INDEX", "ON_DEMAND"]

MAX_GLOBAL_INDEXES = 20
IN_USE = "Attempt to change a resource which is still in use: "
LIMIT = "Subscriber limit exceeded: "
ONE_ONLINE = f"{LIMIT}Only 1 online index can be created or deleted simultaneously per table"
TOO_MANY = (
    f"{LIMIT}Number of global secondary indexes exceeds per-table limit of {MAX_GLOBAL_INDEXES}"
)
# AWS's error while one kind of change is pending and another kind is requested …
CONFLICTS: dict[tuple[PendingChange, ChangeKind], str] = {
    ("IOPS", "INDEX"): "Can't create or delete indexes while table IOPS are being updated. "
    "Table: {name}",
    ("IOPS", "STREAM"): "Can't enable or disable stream while table IOPS are being updated. "
    "Table: {name}",
    ("IOPS", "ON_DEMAND"): "OnDemandThroughput cannot be updated while BillingMode update is in "
    "progress",
    ("STREAM", "IOPS"): "Can't change table IOPS when stream status is being updated. "
    "Table: {name} Stream: {stream} Operation: {operation}",
    ("STREAM", "INDEX"): "Can't create or delete an index when stream status is being updated.",
    ("CLASS", "INDEX"): "Can't create or delete an index when a table class update is in progress.",
}
# … and for all other pairs.
DEFAULT_CONFLICTS: dict[PendingChange, str] = {
    "IOPS": "Table IOPS are currently being updated. Table: {name}",
    "WARM": "Table IOPS are currently being updated. Table: {name}",
    "STREAM": "A stream status change is currently in progress. "
    "Table: {name} Stream: {stream} Operation: {operation}",
    "CLASS": "Can't update table class when a table class update is in progress. "
    "Table: {name} TableClassUpdateInProgress: {table_class}",
    "SSE": "Server-Side Encryption is still being updated",
}


def table_status(record: TableRecord, now: float) -> ops.IndexStatus:
    """Return the status of a table that still exists. It has no more states than an index here."""
    if record.deleted_by is not None:
        return "DELETING"
    if record.created_by > now:
        return "CREATING"
    # A change of encryption leaves the table ACTIVE.
    if is_changing(record, now) and record.changing != "SSE":
        return "UPDATING"
    changes_index = any(
        is_allocating(index, now) or index.deleted_by is not None
        for index in existing_indexes(record, now)
    )
    return "UPDATING" if changes_index else "ACTIVE"


def index_status(record: TableRecord, index: IndexRecord, now: float) -> ops.IndexStatus:
    """Return the status of a global secondary index that still exists."""
    if index.deleted_by is not None:
        return "DELETING"
    if max(record.created_by, index.created_by) > now:
        return "CREATING"
    return "UPDATING" if index.updated_by > now else "ACTIVE"


def is_changing(record: TableRecord, now: float) -> bool:
    """Return whether a change to the table itself, not to an index, is pending."""
    return record.changing is not None and record.updated_by > now


def is_allocating(index: IndexRecord, now: float) -> bool:
    """Return whether resources for a new index are being allocated, before it is backfilled."""
    return index.allocated_by > now


def existing_indexes(record: TableRecord, now: float) -> list[IndexRecord]:
    """Return the global secondary indexes that are not deleted yet."""
    return [i for i in record.global_indexes if i.deleted_by is None or i.deleted_by > now]


def check_settled(record: TableRecord, now: float) -> None:
    """Raise ResourceInUse while the table is being created or deleted."""
    match table_status(record, now):
        case "CREATING":
            raise ResourceInUse(f"{IN_USE}Table is being created: {record.name}")
        case "DELETING":
            raise ResourceInUse(f"{IN_USE}Table is being deleted: {record.name}")
        case "ACTIVE" | "UPDATING":
            return


def check_deletable(record: TableRecord, now: float) -> None:
    """Raise ResourceInUse if the table cannot be deleted because a change is pending."""
    if any(
        index.deleted_by is not None or max(index.created_by, index.updated_by) > now
        for index in existing_indexes(record, now)
    ):
        raise ResourceInUse(
            f"{IN_USE}Cannot delete table while indexes are being created, updated, or deleted."
        )
    if is_changing(record, now) and record.changing == "STREAM":
        raise ResourceInUse(f"{IN_USE}Cannot delete table while stream is being enabled/disabled.")
    if is_changing(record, now):
        raise ResourceInUse(f"{IN_USE}Table: {record.name} is in the process of being updated.")


def check_no_conflict(
    record: TableRecord, request: ops.UpdateTable, actions: Sequence[IndexAction], now: float
) -> None:
    """Raise ResourceInUse if an UpdateTable must wait until a pending change is complete."""
    for kind in _requested_changes(request, actions):
        if is_changing(record, now) and record.changing is not None:
            _check_pending_change(record, record.changing, kind)
        _check_pending_indexes(record, kind, now)
    if request.deletion_protection_enabled is not None and table_status(record, now) != "ACTIVE":
        raise ResourceInUse(
            "Table needs to be in ACTIVE status to modify deletion protection setting."
        )


def _requested_changes(
    request: ops.UpdateTable, actions: Sequence[IndexAction]
) -> Iterator[ChangeKind]:
    if request.billing_mode is not None or request.provisioned_throughput is not None:
        yield "IOPS"
    if request.stream_specification is not None:
        yield "STREAM"
    if request.table_class is not None:
        yield "CLASS"
    if request.sse_specification is not None:
        yield "SSE"
    if request.warm_throughput is not None:
        yield "WARM"
    if request.on_demand_throughput is not None:
        yield "ON_DEMAND"
    if any(map(is_create_or_delete, actions)):
        yield "INDEX"


def _check_pending_change(
    record: TableRecord, pending: PendingChange, requested: ChangeKind
) -> None:
    text = CONFLICTS.get((pending, requested))
    if text is None:
        if requested == "ON_DEMAND":
            return
        text = DEFAULT_CONFLICTS[pending]
    raise ResourceInUse(
        IN_USE
        + text.format(
            name=record.name,
            stream=record.stream_label,
            operation="DISABLE" if record.stream is None else "ENABLE",
            table_class=record.table_class,
        )
    )


def _check_pending_indexes(record: TableRecord, requested: ChangeKind, now: float) -> None:
    indexes = existing_indexes(record, now)
    creating = ", ".join(i.name for i in indexes if i.deleted_by is None and i.created_by > now)
    deleting = ", ".join(i.name for i in indexes if i.deleted_by is not None)
    if requested == "IOPS" and (creating or deleting):
        state = "created" if creating else "deleted"
        raise ResourceInUse(
            f"{IN_USE}Can't change table IOPS when an index is being {state}. "
            f"Table: {record.name} Indexes: [{creating or deleting}]"
        )
    if requested == "ON_DEMAND" and deleting:
        raise ResourceInUse(
            f"{IN_USE}OnDemandThroughput cannot be updated while index deletion is in progress "
            f"for indexes: [{deleting}]"
        )


def check_index_actions(record: TableRecord, actions: Sequence[IndexAction], now: float) -> None:
    """Raise unless every index action is possible now; otherwise none is carried out."""
    if sum(map(is_create_or_delete, actions)) > 1:
        raise LimitExceeded(ONE_ONLINE)
    for action in actions:
        match action:
            case ops.CreateGlobalSecondaryIndexAction():
                _check_create(record, action.index_name, now)
            case ops.UpdateGlobalSecondaryIndexAction():
                _check_update(record, _find_index(record, action.index_name, "update"), now)
            case ops.DeleteGlobalSecondaryIndexAction():
                _check_delete(record, _find_index(record, action.index_name, "delete"), now)


def _find_index(record: TableRecord, name: str, action: str) -> IndexRecord:
    for index in record.global_indexes:
        if index.name == name:
            return index
    if any(index.name == name for index in record.local_indexes):
        raise ValidationError(
            f"Cannot {action} an index that is not a GlobalSecondaryIndex: {name}"
        )
    raise ResourceNotFound(f"Requested resource not found: Index {name} for table {record.name}")


def _check_create(record: TableRecord, name: str, now: float) -> None:
    _check_one_online(record, now)
    if any(index.name == name for index in (*record.local_indexes, *record.global_indexes)):
        raise ValidationError("Attempting to create an index which already exists")
    if len(record.global_indexes) >= MAX_GLOBAL_INDEXES:
        raise LimitExceeded(TOO_MANY)


def _check_update(record: TableRecord, index: IndexRecord, now: float) -> None:
    names = f"Table: {record.name} Index: {index.name}"
    match index_status(record, index, now):
        case "DELETING":
            raise ResourceInUse(f"{IN_USE}Index is being deleted. {names}")
        case "UPDATING":
            raise ResourceInUse(f"{IN_USE}Index is being updated. {names}")
        case "CREATING":
            if is_allocating(index, now):
                raise ResourceInUse(
                    f"{IN_USE}Index is being created but is not backfilling yet. {names}"
                )
        case "ACTIVE":
            return


def _check_delete(record: TableRecord, index: IndexRecord, now: float) -> None:
    names = f"Table: {record.name} Index: {index.name}"
    if index.deleted_by is not None:
        raise ResourceInUse(f"{IN_USE}Index is being deleted. {names}")
    if is_allocating(index, now):
        raise ResourceInUse(
            f"{IN_USE}Index creation is in resource allocation phase. Retry deletion during "
            f"backfilling phase or when the index is active. {names}"
        )
    _check_one_online(record, now, except_for=index.name)


def _check_one_online(record: TableRecord, now: float, except_for: str | None = None) -> None:
    for index in existing_indexes(record, now):
        status = index_status(record, index, now)
        if index.name != except_for and status in ("CREATING", "DELETING"):
            raise LimitExceeded(ONE_ONLINE)
