"""Which state a table or an index is in, told from the clock."""

from __future__ import annotations

from singletable.engine.table_record import IndexRecord, TableRecord
from singletable.errors import ResourceInUse
from singletable.operations import BillingMode, IndexStatus

IN_USE = "Attempt to change a resource which is still in use: "


def table_status(record: TableRecord, now: float) -> IndexStatus:
    """The state of a table that is not gone; here it has no others than an index has."""
    if record.deleted_by is not None:
        return "DELETING"
    if record.created_by > now:
        return "CREATING"
    return "UPDATING" if _is_updating(record, now) else "ACTIVE"


def index_status(record: TableRecord, index: IndexRecord, now: float) -> IndexStatus:
    """The state of a global secondary index that is not gone."""
    if index.deleted_by is not None:
        return "DELETING"
    if max(record.created_by, index.created_by) > now:
        return "CREATING"
    return "UPDATING" if index.updated_by > now else "ACTIVE"


def is_changing(record: TableRecord, now: float) -> bool:
    """Whether a change to the table itself, not to its indexes, is under way."""
    return record.changing is not None and record.updated_by > now


def is_allocating(index: IndexRecord, now: float) -> bool:
    """Whether an index is so new that it is not even being filled."""
    return index.allocated_by > now


def indexes_shown(record: TableRecord, now: float) -> list[IndexRecord]:
    """The global secondary indexes that are not gone."""
    return [i for i in record.global_indexes if i.deleted_by is None or i.deleted_by > now]


def billing_mode(record: TableRecord) -> BillingMode:
    """How the table is billed; PROVISIONED unless something else was asked for."""
    return record.billing_mode or "PROVISIONED"


def check_settled(record: TableRecord, now: float) -> None:
    """Raise ResourceInUse while the table is being created or deleted."""
    match table_status(record, now):
        case "CREATING":
            raise ResourceInUse(f"{IN_USE}Table is being created: {record.name}")
        case "DELETING":
            raise ResourceInUse(f"{IN_USE}Table is being deleted: {record.name}")
        case "ACTIVE" | "UPDATING":
            return


def _is_updating(record: TableRecord, now: float) -> bool:
    # Encryption changes behind the back of an ACTIVE table.
    if is_changing(record, now) and record.changing != "SSE":
        return True
    return any(
        is_allocating(index, now) or index.deleted_by is not None
        for index in indexes_shown(record, now)
    )
