"""The values that a partition key may have, as patterns of IAM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from singletable.schema import Access
from singletable.schema.key_template import Fixed, Repeated, Segment, Sharded, Value
from singletable.schema.resolved_key import Column, FieldColumn, TextColumn

ANYTHING = "*"
# A policy may hold characters up to here.
_LAST = "\u00ff"


def partition_patterns(access: Access, variables: Mapping[str, str]) -> tuple[str, ...]:
    """A pattern for each partition key attribute; `variables` are written for fields."""
    return tuple(_of_column(column, variables) for column in access.pk)


def without_covered(patterns: Iterable[str]) -> list[str]:
    """The patterns, in order, without those that another one includes."""
    given = sorted(set(patterns))
    return [one for one in given if not any(_covers(other, one) for other in given)]


def _covers(one: str, other: str) -> bool:
    beginning = one.removesuffix("*")
    return (
        one != other
        and one.endswith("*")
        and "*" not in beginning
        and (other.startswith(beginning))
    )


def _of_column(column: Column, variables: Mapping[str, str]) -> str:
    match column:
        case FieldColumn(field=field):
            return variables.get(field, ANYTHING)
        case TextColumn(template=template):
            return "#".join(_of_segment(segment, variables) for segment in template.segments)


def _of_segment(segment: Segment, variables: Mapping[str, str]) -> str:
    match segment:
        case Fixed(text):
            return _literal(text)
        case Value(field) | Repeated(Value(field)):
            return variables.get(field, ANYTHING)
        case Sharded(shards):
            return f"{_literal(shards.prefix)}{ANYTHING}"


def _literal(text: str) -> str:
    """The text where `*`, `?` and `$` stand for themselves."""
    return "".join(
        f"${{{sign}}}" if sign in "*?$" else sign if sign <= _LAST else ANYTHING for sign in text
    )
