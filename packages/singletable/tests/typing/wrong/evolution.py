"""Old names and types that do not fit the field."""

from __future__ import annotations

from datetime import datetime

from singletable.schema import Attr, Entity, Key, Table, attr


class Order(Entity, table=Table("orders")):
    """Functions that return another type than the field's."""

    number: Attr[str] = attr()
    placed: Attr[datetime] = attr(old_types={int: str})  # error: dict-item | reportAssignmentType
    total: Attr[int] = attr(default=0, old_types={str: len, bytes: str})  # error: dict-item | reportAssignmentType
    lines: Attr[list[str]] = attr(old_names="Lines")  # error: call-overload | reportArgumentType
    notes: Attr[str] = attr(old_types={int: 5})  # error: dict-item | reportArgumentType

    key = Key(pk=("ORDER", number), sk="ORDER")
