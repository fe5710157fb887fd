"""A range of values as a range of texts in one key attribute.

DynamoDB allows one clause for a sort key, so both ends go into one BETWEEN, and both are included.
`BALLOT#` and `BALLOT$` enclose every text that begins with `BALLOT#`, for `$` follows `#`, and no
key is `BALLOT$` itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

from singletable.errors import InvalidValue
from singletable.expressions import KeyClause
from singletable.schema.column import TextColumn
from singletable.schema.escape import AFTER_DIVIDER, DIVIDER
from singletable.schema.template import Value
from singletable.values import AttributeValue

Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "between", "begins_with"]
Clause: TypeAlias = tuple[KeyClause, str | None]

_FLIPPED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Bounded(Protocol):
    """How a value is bounded."""

    @property
    def comparison(self) -> Comparison:
        """The comparison."""
        ...

    @property
    def bounds(self) -> tuple[object, ...]:
        """What it is compared with."""
        ...


def span_clause(
    column: TextColumn, values: Mapping[str, object], range_: Bounded | None
) -> Clause | None:
    """The clause for the values that are given and the range of the next; None if all is asked."""
    template = column.template
    beginning = template.beginning(values)
    following = template.next_value(values)
    if following is None:
        return _clause(column, "=", beginning), None
    if range_ is None:
        return (_clause(column, "begins_with", beginning), None) if beginning else None
    at, value = following
    if range_.comparison == "begins_with":
        prefix = beginning + template.prefix_text(at, value, range_.bounds[0])
        return (_clause(column, "begins_with", prefix), None) if prefix else None
    return _ranged(column, beginning, at, value, range_)


def _ranged(column: TextColumn, beginning: str, at: int, value: Value, range_: Bounded) -> Clause:
    if not value.form.ordered:
        raise InvalidValue(
            f"{column.template.owner}.{value.field} has no stated order in the key "
            f"{column.template}: ask for one value with eq(), or declare it with ordered()."
        )
    comparison, bounds = range_.comparison, range_.bounds
    if value.form.descending:
        comparison, bounds = _FLIPPED.get(comparison, comparison), bounds[::-1]
    first = beginning + column.template.value_text(at, value, bounds[0])
    ends = at == len(column.template.segments) - 1
    # All texts with exactly this value lie from `first` to `last`.
    last = first if ends else first + AFTER_DIVIDER
    low, high = beginning, _end(beginning)
    match comparison:
        case ">":
            above = first + "\0" if ends else last
            if not column.fits(above):
                return _from(column, first, high), first
            return _from(column, above, high), None
        case ">=":
            return _from(column, first, high), None
        case "<=":
            return _to(column, low, last), None
        case "<":
            if not low:
                return _clause(column, "<", first), None
            return _to(column, low, first), first if ends else None
        case "between" | "begins_with":
            second = beginning + column.template.value_text(at, value, bounds[1])
            if first > second:
                raise InvalidValue(
                    f"{column.template.owner}.{value.field}: between({range_.bounds[0]!r}, "
                    f"{range_.bounds[1]!r}) has the higher value first."
                )
            return _clause(
                column, "BETWEEN", first, second if ends else second + AFTER_DIVIDER
            ), None


def _from(column: TextColumn, low: str, high: str) -> KeyClause:
    return _clause(column, "BETWEEN", low, high) if high else _clause(column, ">=", low)


def _to(column: TextColumn, low: str, high: str) -> KeyClause:
    return _clause(column, "BETWEEN", low, high) if low else _clause(column, "<=", high)


def _end(beginning: str) -> str:
    """What follows every text that begins so, and is no key itself; empty if nothing is fixed."""
    return beginning.removesuffix(DIVIDER) + AFTER_DIVIDER if beginning else ""


def _clause(
    column: TextColumn,
    comparator: Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"],
    *texts: str,
) -> KeyClause:
    values: tuple[AttributeValue, ...] = tuple({"S": column.checked(text)} for text in texts)
    return KeyClause(column.attribute.name, comparator, values)
