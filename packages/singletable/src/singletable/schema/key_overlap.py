"""Check whether entities of a table could have the same key, or keys in the same range.

A template is a regular expression: fixed texts, and values of one length or without the texts that
end them. Two templates are compared character by character, as the product of two automata.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product, takewhile
from typing import Any, TypeAlias

from singletable.errors import DeclarationError
from singletable.schema.checks import warn
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    KeyTemplate,
    RepeatedSegment,
    Segment,
    ShardSegment,
    escape,
    width_of,
)
from singletable.schema.model import MODELS, Model
from singletable.schema.resolved_key import Column, ResolvedKey, TextColumn
from singletable.schema.table import Table


def check_overlaps(table: Table, others: Sequence[Model], newest: Model) -> None:
    """Raise if an item of the newest entity could have the key of another item.

    Warn if the two could only share a key in an index.
    """
    own = _primary_keys(newest)
    for key, other_key in [
        *combinations(own, 2),
        *product(own, [key for model in others for key in _primary_keys(model)]),
    ]:
        if _may_equal(key.columns, other_key.columns):
            raise DeclarationError(
                f"{key} and {other_key} could be the same key in table {table.name!r}: "
                f"{_describe(key)} and {_describe(other_key)}. One item would overwrite the other"
                f"{'' if newest.tag is None else ', whatever their type tags'}. "
                "Add a text that tells them apart to one of the keys."
            )
    for other in others:
        for key in newest.indexes.values():
            for other_key in other.indexes.values():
                if key.index is other_key.index and _may_equal(key.columns, other_key.columns):
                    warn(
                        f"{key} and {other_key} could be the same key in {key.index!r}: "
                        f"{_describe(key)}. A query of one also reads the items of the other."
                    )
    _mark_prefixes(others, newest)


def _primary_keys(model: Model) -> list[ResolvedKey]:
    """Return the keys of the entity's items, and of its markers."""
    return [model.key, *(unique.access for unique in model.uniques.values())]


def _may_equal(columns: Sequence[Column], others: Sequence[Column]) -> bool:
    return all(_columns_may_equal(one, other) for one, other in zip(columns, others, strict=True))


def _columns_may_equal(one: Column, other: Column) -> bool:
    if not isinstance(one, TextColumn) or not isinstance(other, TextColumn):
        return one.attribute.type == other.attribute.type
    ends, other_ends = _ends_beside(one.template, other.template)
    return _may_meet(_patterns(one.template, ends), _patterns(other.template, other_ends))


@dataclass(frozen=True, slots=True)
class _Values:
    """Texts of some characters (None: any) with one length (None: any) and without the `ends`."""

    characters: frozenset[str] | None
    width: int | None
    ends: frozenset[str]


# One of several texts, or values.
_Pattern: TypeAlias = frozenset[str] | _Values
_ANYTHING = _Values(None, None, frozenset())
# Stands for any character that no text contains.
_OTHER = "\uffff"


def _patterns(
    template: KeyTemplate, ends: Sequence[set[str]] | None = None, count: int | None = None
) -> list[_Pattern]:
    """Return the patterns of the first `count` segments, with the separators before them."""
    patterns: list[_Pattern] = []
    for segment, own in zip(template.segments[:count], ends or template.ends, strict=False):
        if patterns and template.separator:
            patterns.append(frozenset({template.separator}))
        match segment:
            case FixedSegment(text):
                patterns.append(frozenset({text}))
            case ShardSegment(shards):
                patterns.append(frozenset(shards.suffixes))
            case FieldSegment(_, form) | RepeatedSegment(FieldSegment(_, form)):
                escaped = {escape(one, last=last) for one in form.choices for last in (True, False)}
                choices = frozenset(escaped if template.separator else form.choices)
                patterns.append(choices or _Values(form.characters, form.width, frozenset(own)))
    return patterns


def _may_meet(one: Sequence[_Pattern], other: Sequence[_Pattern]) -> bool:
    """Return whether some text matches both."""
    start = (0, ""), (0, "")
    seen, found = {start}, [start]
    while found:
        (at, text), (other_at, other_text) = found.pop()
        if at == len(one) and other_at == len(other):
            return True
        following: list[tuple[tuple[int, str], tuple[int, str]]] = []
        if at < len(one) and _is_whole(one[at], text):
            following.append(((at + 1, ""), (other_at, other_text)))
        if other_at < len(other) and _is_whole(other[other_at], other_text):
            following.append(((at, text), (other_at + 1, "")))
        if at < len(one) and other_at < len(other):
            first, second = one[at], other[other_at]
            for char in _alphabet(first, text) | _alphabet(second, other_text):
                longer, other_longer = _extend(first, text, char), _extend(second, other_text, char)
                if longer is not None and other_longer is not None:
                    following.append(((at, longer), (other_at, other_longer)))
        found += [pair for pair in following if pair not in seen]
        seen.update(following)
    return False


def _is_whole(pattern: _Pattern, text: str) -> bool:
    if isinstance(pattern, frozenset):
        return text in pattern
    return bool(text) if pattern.width is None else len(text) == pattern.width


def _alphabet(pattern: _Pattern, text: str) -> set[str]:
    """Return the characters that may follow the text, with one for all that make no difference."""
    if isinstance(pattern, frozenset):
        return {one[len(text)] for one in pattern if one.startswith(text) and one != text}
    return {_OTHER, *"".join(pattern.ends), *(pattern.characters or ())}


def _extend(pattern: _Pattern, text: str, char: str) -> str | None:
    """Return what to remember of the longer text; None if it does not match."""
    longer = text + char
    if isinstance(pattern, frozenset):
        return longer if any(one.startswith(longer) for one in pattern) else None
    if pattern.width is not None:
        fits = pattern.characters is None or char in pattern.characters
        return f"{text}{_OTHER}" if fits and len(text) < pattern.width else None
    if longer.endswith(tuple(pattern.ends)):
        return None
    starts = (longer[at:] for at in range(1 if text else 0, len(longer)))
    return _OTHER + next((t for t in starts if any(e.startswith(t) for e in pattern.ends)), "")


def _ends_beside(one: KeyTemplate, other: KeyTemplate) -> tuple[list[set[str]], list[set[str]]]:
    """Return the texts that end the values of each template, those of the other included.

    The last common value ends where the text that follows it in either begins.
    """
    ends = [*map(set, one.ends)], [*map(set, other.ends)]
    if one.separator or other.separator:
        return ends
    at = _count_common_segments(one, other)
    if at and width_of(one.segments[at - 1]) is None:
        both = one.ends[at - 1] | other.ends[at - 1]
        for own in ends:
            own[at - 1] |= both
    return ends


def _count_common_segments(one: KeyTemplate, other: KeyTemplate) -> int:
    """Return how many segments of two templates are the same, up to the names of their fields."""
    pairs = zip(one.segments, other.segments, strict=False)
    return len(list(takewhile(lambda pair: _kind(pair[0]) == _kind(pair[1]), pairs)))


def _kind(segment: Segment) -> object:
    if isinstance(segment, FieldSegment | RepeatedSegment):
        return width_of(segment)
    return segment


def _mark_prefixes(others: Sequence[Model], newest: Model) -> None:
    """Tell templates about other keys that start like theirs.

    A value of `concat` must not contain the text that follows it in the other key. The last value
    of a sort key is escaped like an inner one where a longer key continues it; only the sort keys
    of one partition are sorted relative to each other.
    """
    own = [*_primary_keys(newest), *newest.indexes.values()]
    keys = [key for other in others for key in (*_primary_keys(other), *other.indexes.values())]
    for one, other in [*combinations(own, 2), *product(own, keys)]:
        if one.index is other.index:
            _mark_columns(one.pk, other.pk, is_sorted=False)
            if _may_equal(one.pk, other.pk):
                _mark_columns(one.sk, other.sk, is_sorted=True)


def _mark_columns(columns: Iterable[Column], others: Iterable[Column], *, is_sorted: bool) -> None:
    for one, other in zip(columns, others, strict=True):
        if not isinstance(one, TextColumn) or not isinstance(other, TextColumn):
            continue
        one.template.ends, other.template.ends = _ends_beside(one.template, other.template)
        shorter, longer = sorted([one.template, other.template], key=lambda it: len(it.segments))
        count = len(shorter.segments)
        if (
            is_sorted
            and count < len(longer.segments)
            and shorter.separator == longer.separator
            and _may_meet(_patterns(shorter), _patterns(longer, count=count))
        ):
            shorter.followed = True


def _describe(key: ResolvedKey) -> str:
    texts = [
        str(column.template) if isinstance(column, TextColumn) else f"{{{column.field}}}"
        for column in key.columns
    ]
    return " / ".join(texts)


def has_overlapping_range(selected: ResolvedKey, model: Model) -> bool:
    """Return whether items of other entities may be among those that the key selects."""
    for entity in model.table.entities:
        other = MODELS[entity]
        keys = _primary_keys(other)
        if selected.index is not None:
            keys = [key for key in other.indexes.values() if key.index is selected.index]
        for key in keys:
            itself = other is model and key.name == selected.name
            in_partition = _may_equal(selected.pk, key.pk)
            if not itself and in_partition and _has_prefix(selected, key, (), whole=False):
                return True
    return False


def entities_in_range(
    selected: ResolvedKey, model: Model, values: Collection[str], *, whole: bool = False
) -> list[type[Any]]:
    """Return the entities with items among those that a query reads; `values` are its fields.

    With `whole`, it reads all that begins with these values: a collection, not one entity.
    """
    return [
        entity
        for entity in model.table.entities
        if any(
            _may_equal(selected.pk, key.pk) and _has_prefix(selected, key, values, whole=whole)
            for key in _keys_beside(selected, MODELS[entity])
        )
    ]


def _keys_beside(selected: ResolvedKey, model: Model) -> list[ResolvedKey]:
    if selected.index is None:
        return [model.key]
    return [key for key in model.indexes.values() if key.index is selected.index]


def _has_prefix(
    selected: ResolvedKey, other: ResolvedKey, values: Collection[str], *, whole: bool
) -> bool:
    """Return whether the other's sort keys may start with the values of a query."""
    if whole and not any(name in values for name in selected.sk_fields):
        return True
    for column, other_column in zip(selected.sk, other.sk, strict=False):
        if not isinstance(column, TextColumn) or not isinstance(other_column, TextColumn):
            return True
        template = column.template
        given = takewhile(
            lambda one: (
                isinstance(one, FixedSegment)
                or (isinstance(one, FieldSegment) and one.field in values)
            ),
            template.segments,
        )
        count = len(list(given))
        prefix, others = _patterns(template, count=count), _patterns(other_column.template)
        separator = [frozenset({template.separator})] if prefix and template.separator else []
        is_complete = count == len(template.segments)
        return (is_complete and _may_meet(prefix, others)) or (
            (whole or not is_complete) and _may_meet([*prefix, *separator, _ANYTHING], others)
        )
    return True


def may_share_partition(selected: ResolvedKey, model: Model) -> bool:
    """Return whether items of the entity may be in the partitions that a key selects."""
    keys = [model.key]
    if selected.index is not None:
        keys = [key for key in model.indexes.values() if key.index is selected.index]
    return any(_may_equal(selected.pk, key.pk) for key in keys)
