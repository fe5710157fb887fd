"""What must wait until another change is made, in AWS's words. Without delays nothing ever does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from singletable.engine.control.index_actions import Action, makes_or_unmakes
from singletable.engine.control.states import (
    IN_USE,
    indexes_shown,
    is_changing,
    table_status,
)
from singletable.engine.table_record import Changing, TableRecord
from singletable.errors import ResourceInUse
from singletable.operations import UpdateTable

Asked: TypeAlias = Changing | Literal["INDEX", "ON_DEMAND"]

# What is said while a change of one kind is under way, to whoever asks for one of another …
DURING: dict[tuple[Changing, Asked], str] = {
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
# … and to everyone else.
OTHERWISE: dict[Changing, str] = {
    "IOPS": "Table IOPS are currently being updated. Table: {name}",
    "WARM": "Table IOPS are currently being updated. Table: {name}",
    "STREAM": "A stream status change is currently in progress. "
    "Table: {name} Stream: {stream} Operation: {operation}",
    "CLASS": "Can't update table class when a table class update is in progress. "
    "Table: {name} TableClassUpdateInProgress: {table_class}",
    "SSE": "Server-Side Encryption is still being updated",
}


def check_table_is_free(
    record: TableRecord, request: UpdateTable, actions: Sequence[Action], now: float
) -> None:
    """Raise ResourceInUse if the table must be left alone until another change is made."""
    for asked in _asked(request, actions):
        if is_changing(record, now) and record.changing is not None:
            _check_change(record, record.changing, asked)
        _check_indexes(record, asked, now)
    if request.deletion_protection_enabled is not None and table_status(record, now) != "ACTIVE":
        raise ResourceInUse(
            "Table needs to be in ACTIVE status to modify deletion protection setting."
        )


def check_table_may_go(record: TableRecord, now: float) -> None:
    """Raise ResourceInUse if the table cannot be deleted until a change is made."""
    if any(
        index.deleted_by is not None or max(index.created_by, index.updated_by) > now
        for index in indexes_shown(record, now)
    ):
        raise ResourceInUse(
            f"{IN_USE}Cannot delete table while indexes are being created, updated, or deleted."
        )
    if is_changing(record, now) and record.changing == "STREAM":
        raise ResourceInUse(f"{IN_USE}Cannot delete table while stream is being enabled/disabled.")
    if is_changing(record, now):
        raise ResourceInUse(f"{IN_USE}Table: {record.name} is in the process of being updated.")


def _asked(request: UpdateTable, actions: Sequence[Action]) -> Iterator[Asked]:
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
    if any(map(makes_or_unmakes, actions)):
        yield "INDEX"


def _check_change(record: TableRecord, changing: Changing, asked: Asked) -> None:
    text = DURING.get((changing, asked))
    if text is None:
        if asked == "ON_DEMAND":
            return
        text = OTHERWISE[changing]
    raise ResourceInUse(
        IN_USE
        + text.format(
            name=record.name,
            stream=record.stream_label,
            operation="DISABLE" if record.stream is None else "ENABLE",
            table_class=record.table_class,
        )
    )


def _check_indexes(record: TableRecord, asked: Asked, now: float) -> None:
    indexes = indexes_shown(record, now)
    made = ", ".join(i.name for i in indexes if i.deleted_by is None and i.created_by > now)
    unmade = ", ".join(i.name for i in indexes if i.deleted_by is not None)
    if asked == "IOPS" and (made or unmade):
        fate = "created" if made else "deleted"
        raise ResourceInUse(
            f"{IN_USE}Can't change table IOPS when an index is being {fate}. "
            f"Table: {record.name} Indexes: [{made or unmade}]"
        )
    if asked == "ON_DEMAND" and unmade:
        raise ResourceInUse(
            f"{IN_USE}OnDemandThroughput cannot be updated while index deletion is in progress "
            f"for indexes: [{unmade}]"
        )
