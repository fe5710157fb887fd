"""What a table is to be beside its declaration, where somebody cares."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.operations.shapes import StreamViewType, TableClass


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Settings that are made, and compared, only if they are given."""

    deletion_protection: bool | None = None
    stream: StreamViewType | None = None
    table_class: TableClass | None = None
