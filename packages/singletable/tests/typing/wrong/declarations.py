"""Declarations that type checkers reject."""

from __future__ import annotations

from datetime import datetime

from singletable.schema import Attr, Entity, Index, Key, Table, attr, ordered, sequence
from singletable.schema.count import Count
from tests.typing.declared import Election, Stage, votes

index = Index("by_name", pk="GSI1PK", sk="GSI1SK")


class Wrong(Entity, table=votes):
    """Fields whose declaration and type differ."""

    text: Attr[str] = attr()
    number: Attr[int] = attr(default="one")  # error: arg-type | reportAssignmentType
    words: Attr[list[str]] = attr(factory=set[str])  # error: arg-type | reportAssignmentType
    checked: Attr[int] = attr(default=1, check=len)  # error: arg-type | reportArgumentType
    stage: Attr[Stage] = attr()
    time: Attr[datetime] = attr(time_format="iso")  # error: call-overload | reportArgumentType

    key = Key(pk=("A", text), sk=("B", ordered(stage, ["open"])))  # error: arg-type, misc | reportArgumentType
    indexed = Key(pk=("A", text)).on("by_name")  # error: arg-type | reportArgumentType
    when = Key(pk=("A", text)).on(index, when=text)  # error: arg-type | reportArgumentType
    low = Key(pk=("A", text)).on(index, when=number > "x")  # error: operator | reportOperatorIssue
    counts = Count(Election, Election.name, key=(text,))  # error: arg-type | reportArgumentType
    last: Attr[int] = sequence(Election.name, key=(text,))  # error: arg-type | reportArgumentType
    next: Attr[int] = sequence(Election.ballots, key=text)  # error: arg-type | reportArgumentType
    other = Count(Election, "ballots", key=(text,))  # error: arg-type | reportArgumentType


class NoTable(Entity, table="votes"):  # error: arg-type | reportArgumentType, reportGeneralTypeIssues
    """A table is passed as a Table, not by name."""


Table("x", indexes=["by_name"])  # error: list-item | reportArgumentType
Index("x", pk=1)  # error: arg-type | reportArgumentType
