"""Which indexes may be made, changed and unmade now: they must be there, and one at a time."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.engine.control.declaration import MAX_GLOBAL
from singletable.engine.control.index_actions import Action, makes_or_unmakes
from singletable.engine.control.states import IN_USE, index_status, indexes_shown, is_allocating
from singletable.engine.table_record import IndexRecord, TableRecord
from singletable.errors import LimitExceeded, ResourceInUse, ResourceNotFound, ValidationError
from singletable.operations import (
    CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction,
    UpdateGlobalSecondaryIndexAction,
)

LIMIT = "Subscriber limit exceeded: "
ONE_ONLINE = f"{LIMIT}Only 1 online index can be created or deleted simultaneously per table"
TOO_MANY = f"{LIMIT}Number of global secondary indexes exceeds per-table limit of {MAX_GLOBAL}"


def check_actions(record: TableRecord, actions: Sequence[Action], now: float) -> None:
    """Raise unless every action can be taken now; none is taken if one cannot."""
    if sum(map(makes_or_unmakes, actions)) > 1:
        raise LimitExceeded(ONE_ONLINE)
    for action in actions:
        match action:
            case CreateGlobalSecondaryIndexAction():
                _check_create(record, action.index_name, now)
            case UpdateGlobalSecondaryIndexAction():
                _check_update(record, _existing(record, action.index_name, "update"), now)
            case DeleteGlobalSecondaryIndexAction():
                _check_delete(record, _existing(record, action.index_name, "delete"), now)


def _existing(record: TableRecord, name: str, action: str) -> IndexRecord:
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
    if len(record.global_indexes) >= MAX_GLOBAL:
        raise LimitExceeded(TOO_MANY)


def _check_update(record: TableRecord, index: IndexRecord, now: float) -> None:
    where = f"Table: {record.name} Index: {index.name}"
    match index_status(record, index, now):
        case "DELETING":
            raise ResourceInUse(f"{IN_USE}Index is being deleted. {where}")
        case "UPDATING":
            raise ResourceInUse(f"{IN_USE}Index is being updated. {where}")
        case "CREATING":
            if is_allocating(index, now):
                raise ResourceInUse(
                    f"{IN_USE}Index is being created but is not backfilling yet. {where}"
                )
        case "ACTIVE":
            return


def _check_delete(record: TableRecord, index: IndexRecord, now: float) -> None:
    where = f"Table: {record.name} Index: {index.name}"
    if index.deleted_by is not None:
        raise ResourceInUse(f"{IN_USE}Index is being deleted. {where}")
    if is_allocating(index, now):
        raise ResourceInUse(
            f"{IN_USE}Index creation is in resource allocation phase. Retry deletion during "
            f"backfilling phase or when the index is active. {where}"
        )
    _check_one_online(record, now, besides=index.name)


def _check_one_online(record: TableRecord, now: float, besides: str | None = None) -> None:
    for index in indexes_shown(record, now):
        status = index_status(record, index, now)
        if index.name != besides and status in ("CREATING", "DELETING"):
            raise LimitExceeded(ONE_ONLINE)
