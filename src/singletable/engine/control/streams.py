"""Streams: whether changes are streamed, and under which label."""

from __future__ import annotations

from datetime import UTC, datetime

from singletable.engine.table_record import TableRecord
from singletable.errors import ValidationError
from singletable.operations import StreamSpecification
from singletable.values import INVALID


def check_stream_at_creation(stream: StreamSpecification | None) -> None:
    """Raise unless a view is named for a stream that is enabled, and for no other."""
    if stream is None:
        return
    if stream.stream_enabled and stream.stream_view_type is None:
        raise ValidationError(
            f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required"
        )
    if not stream.stream_enabled and stream.stream_view_type is not None:
        raise ValidationError(
            f"{INVALID}Table is being created with a stream disabled, "
            "UpdateViewType should not be specified"
        )


def check_stream(stream: StreamSpecification | None) -> None:
    """Raise unless a view is named to enable a stream, and not to disable one."""
    if stream is None:
        return
    if stream.stream_enabled and stream.stream_view_type is None:
        raise ValidationError(
            f"{INVALID}If stream is being enabled then UpdateViewType is required"
        )
    if not stream.stream_enabled and stream.stream_view_type is not None:
        raise ValidationError(
            f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
        )


def check_stream_changes(record: TableRecord, stream: StreamSpecification | None) -> None:
    """Raise unless the stream is enabled where there is none, or disabled where there is one."""
    if stream is None or stream.stream_enabled == (record.stream is None):
        return
    refusal = (
        "Table already has an enabled stream" if record.stream else "Table has no stream to disable"
    )
    raise ValidationError(f"{refusal}: TableName: {record.name}")


def stream_label(now: float) -> str:
    """The moment a stream was enabled, which names it."""
    moment = datetime.fromtimestamp(now, UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="milliseconds")
