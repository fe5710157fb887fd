"""Check whether entities of a table could have the same key, or keys in the same range.

Values never contain a raw `#`, so two templates can render the same text only if they have the same
number of segments and each pair of segments could be equal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, product, takewhile
from typing import Any

from singletable.errors import DeclarationError
from singletable.schema.checks import warn
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    KeyTemplate,
    RepeatedSegment,
    Segment,
    ShardSegment,
    unescape,
)
from singletable.schema.model import MODELS, Model
from singletable.schema.resolved_key import Column, ResolvedKey, TextColumn
from singletable.schema.table import Table


def check_overlaps(table: Table, others: Sequence[Model], newest: Model) -> None:
    """Raise if an item of the newest entity could have the key of another item.

    Warn if the two could only share a key in an index.
    """
    own = _primary_keys(newest)
    _check_old_keys(newest)
    for key, other_key in [
        *(pair for pair in combinations(own, 2) if not _are_formats(newest, *pair)),
        *product(own, [key for model in others for key in _primary_keys(model)]),
    ]:
        if _may_equal(key.columns, other_key.columns):
            raise DeclarationError(
                f"{key} and {other_key} could be the same key in table {table.name!r}: "
                f"{_describe(key)} and {_describe(other_key)}. One item would overwrite the other. "
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
    _mark_prefixes([*others, newest])


def _primary_keys(model: Model) -> list[ResolvedKey]:
    """Return the keys of the entity's items: its own, old ones, and those of its markers."""
    return [model.key, *model.old_keys, *(unique.access for unique in model.uniques.values())]


def _are_formats(model: Model, one: ResolvedKey, other: ResolvedKey) -> bool:
    """Return whether both are formats of the primary key."""
    return all(any(key is own for own in (model.key, *model.old_keys)) for key in (one, other))


def _check_old_keys(model: Model) -> None:
    """Raise if an old key of one item could be the new key of another."""
    for one, other in combinations((model.key, *model.old_keys), 2):
        if all(map(_formats_may_equal, one.columns, other.columns)):
            raise DeclarationError(
                f"{one} and {other} could be the same key of different items: {_describe(one)} and "
                f"{_describe(other)}. Add a text that tells them apart to the new key, or move the "
                "items with a migration (Rewrite)."
            )


def _formats_may_equal(one: Column, other: Column) -> bool:
    if not isinstance(one, TextColumn) or not isinstance(other, TextColumn):
        return _columns_may_equal(one, other)
    segments, others = one.template.segments, other.template.segments
    return len(segments) == len(others) and all(
        _segments_may_equal(first, second) and not _have_other_width(first, second)
        for first, second in zip(segments, others, strict=True)
    )


def _have_other_width(one: Segment, other: Segment) -> bool:
    """Return whether both are padded numbers of different widths."""
    if not isinstance(one, FieldSegment) or not isinstance(other, FieldSegment):
        return False
    widths, others = one.encoding.widths, other.encoding.widths
    return widths is not None and others is not None and not set(widths) & set(others)


def _may_equal(columns: Sequence[Column], others: Sequence[Column]) -> bool:
    return all(_columns_may_equal(one, other) for one, other in zip(columns, others, strict=True))


def _columns_may_equal(one: Column, other: Column) -> bool:
    if isinstance(one, TextColumn) and isinstance(other, TextColumn):
        same_length = len(one.template.segments) == len(other.template.segments)
        return same_length and _common_segments_may_equal(one.template, other.template)
    return one.attribute.type == other.attribute.type


def _common_segments_may_equal(one: KeyTemplate, other: KeyTemplate) -> bool:
    return all(map(_segments_may_equal, one.segments, other.segments))


def _segments_may_equal(one: Segment, other: Segment) -> bool:
    if isinstance(other, FixedSegment) and not isinstance(one, FixedSegment):
        one, other = other, one
    match one, other:
        case FixedSegment(text), FixedSegment(other_text):
            return text == other_text
        case FixedSegment(text), ShardSegment(shards):
            return text in shards.suffixes
        case FixedSegment(text), FieldSegment(_, encoding) | RepeatedSegment(
            FieldSegment(_, encoding)
        ):
            return encoding.matches(unescape(text))
        case _:
            return True


def _mark_prefixes(models: Sequence[Model]) -> None:
    """Escape a last value like an inner one where longer sort keys start like its key.

    Only the sort keys of one partition are sorted relative to each other.
    """
    keys = [
        (model, key) for model in models for key in (*_primary_keys(model), *model.indexes.values())
    ]
    for (model, one), (_, other) in combinations(keys, 2):
        if one.index is not other.index or not _may_equal(one.pk, other.pk):
            continue
        if _are_formats(model, one, other):
            continue  # an old key is written as it was before there was a new one
        for column, other_column in zip(one.sk, other.sk, strict=True):
            if isinstance(column, TextColumn) and isinstance(other_column, TextColumn):
                templates = [column.template, other_column.template]
                shorter, longer = sorted(templates, key=lambda template: len(template.segments))
                if len(shorter.segments) < len(longer.segments) and _common_segments_may_equal(
                    shorter, longer
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
            itself = other is model and (
                key.name == selected.name or _are_formats(model, selected, key)
            )
            if not itself and _may_be_in_range(selected, key):
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
        segments, others = column.template.segments, other_column.template.segments
        given = list(
            takewhile(
                lambda one: (
                    isinstance(one, FixedSegment)
                    or (isinstance(one, FieldSegment) and one.field in values)
                ),
                segments,
            )
        )
        if not all(map(_segments_may_equal, given, others)):
            return False
        if len(given) == len(segments):
            return len(others) == len(given) or (whole and len(others) > len(given))
        return len(others) > len(given)
    return True


def may_share_partition(selected: ResolvedKey, model: Model) -> bool:
    """Return whether items of the entity may be in the partitions that a key selects."""
    keys = [model.key, *model.old_keys]
    if selected.index is not None:
        keys = [key for key in model.indexes.values() if key.index is selected.index]
    return any(_may_equal(selected.pk, key.pk) for key in keys)


def _may_be_in_range(selected: ResolvedKey, other: ResolvedKey) -> bool:
    """Return whether the other's items may be in the same partition, with the same prefix."""
    if not _may_equal(selected.pk, other.pk):
        return False
    for column, other_column in zip(selected.sk, other.sk, strict=False):
        if isinstance(column, TextColumn) and isinstance(other_column, TextColumn):
            segments, others = column.template.segments, other_column.template.segments
            fixed = list(takewhile(lambda one: isinstance(one, FixedSegment), segments))
            only_fixed = len(fixed) == len(segments)
            if len(others) < len(fixed) + (not only_fixed):
                return False
            if only_fixed and len(others) != len(fixed):
                return False
            return all(map(_segments_may_equal, fixed, others))
    return True
