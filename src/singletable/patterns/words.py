"""A pattern's key condition in words: `PK = ELECTION#{election} and SK begins with BALLOT#`.

It is made of the templates, not of values: the exact request of a call is another matter.
"""

from __future__ import annotations

from typing import Any

from singletable.schema import Access, Selection
from singletable.schema.key_template import Value
from singletable.schema.resolved_key import Column, TextColumn

_COMPARED = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}


def address_words(access: Access) -> str:
    """The condition on a whole key."""
    return " and ".join(f"{one.attribute.name} = {made_of(one)}" for one in access.columns)


def partition_words(access: Access) -> str:
    """The condition on a partition alone."""
    return " and ".join(f"{one.attribute.name} = {made_of(one)}" for one in access.pk)


def selection_words(selection: Selection[Any]) -> str:
    """The condition of a query."""
    access = selection.access
    clauses = [partition_words(access)]
    for column in access.sk:
        clause = _clause(column, selection)
        if clause is None:
            break
        clauses.append(f"{column.attribute.name} {clause}")
        if any(name not in selection.values for name in column.asked):
            break
    return " and ".join(clauses)


def made_of(column: Column) -> str:
    """How a key attribute is written: its template, or its field."""
    return str(column.template) if isinstance(column, TextColumn) else f"{{{column.field}}}"


def _clause(column: Column, selection: Selection[Any]) -> str | None:
    open_ = [name for name in column.asked if name not in selection.values]
    if not open_:
        return f"= {made_of(column)}"
    beginning = _beginning(column, open_[0])
    if selection.range is None:
        return f"begins with {beginning}" if beginning else None
    bounded = f"{beginning}{{{open_[0]}}}"
    match selection.range.comparison:
        case "between":
            return f"between {beginning}{{low}} and {beginning}{{high}}"
        case "begins_with":
            return f"begins with {bounded}"
        case compared:
            return f"{_COMPARED[compared]} {bounded}"


def _beginning(column: Column, field: str) -> str:
    """The template up to a field, its last divider included."""
    if not isinstance(column, TextColumn):
        return ""
    texts = str(column.template).split("#")
    for at, segment in enumerate(column.template.segments):
        if isinstance(segment, Value) and segment.field == field:
            return "".join(f"{text}#" for text in texts[:at])
    return ""
