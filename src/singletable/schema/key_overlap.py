"""Whether two entities of a table could be given the same key.

Values never contain a raw `#`, so two templates can make the same text only if they have as many
segments, and each pair of segments could be equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product, takewhile

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
    """Refuse the newest entity if an item of it could take another's place."""
    own = _primary_keys(newest)
    for one, twin in [
        *combinations(own, 2),
        *product(own, [key for model in others for key in _primary_keys(model)]),
    ]:
        if _meet(one, twin):
            raise DeclarationError(
                f"{one} and {twin} could be the same key in table {table.name!r}: {_shown(one)} "
                f"and {_shown(twin)}. One item would replace the other. Let a text in one of the "
                "keys tell them apart."
            )
    for other in others:
        for access in newest.indexes.values():
            for same in other.indexes.values():
                if access.index is same.index and _meet(access, same):
                    warn(
                        f"{access} and {same} could be the same in {access.index!r}: "
                        f"{_shown(access)}. A query for one reads past the items of the other."
                    )
    _mark_followed([*others, newest])


def _primary_keys(model: Model) -> list[ResolvedKey]:
    """The keys under which the entity has items: its own, and those of its markers."""
    return [model.key, *(marker.access for marker in model.uniques.values())]


def _meet(one: ResolvedKey, other: ResolvedKey) -> bool:
    return _meet_in(one.columns, other.columns)


def _meet_in(one: Sequence[Column], other: Sequence[Column]) -> bool:
    return all(_could_be_equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))


def _could_be_equal(one: Column, other: Column) -> bool:
    if isinstance(one, TextColumn) and isinstance(other, TextColumn):
        return len(one.template.segments) == len(other.template.segments) and _agree(
            one.template, other.template
        )
    return one.attribute.type == other.attribute.type


def _agree(one: KeyTemplate, other: KeyTemplate) -> bool:
    """Whether the segments they both have could be equal."""
    return all(
        _segments_agree(mine, theirs)
        for mine, theirs in zip(one.segments, other.segments, strict=False)
    )


def _segments_agree(one: Segment, other: Segment) -> bool:
    match one, other:
        case FixedSegment(text), FixedSegment(same):
            return text == same
        case (FixedSegment(text), ShardSegment(shards)) | (
            ShardSegment(shards),
            FixedSegment(text),
        ):
            return text in shards.suffixes
        case (
            FixedSegment(text),
            FieldSegment(_, form) | RepeatedSegment(FieldSegment(_, form)),
        ) | (
            FieldSegment(_, form) | RepeatedSegment(FieldSegment(_, form)),
            FixedSegment(text),
        ):
            return form.could_be(unescape(text))
        case _:
            return True


def _mark_followed(models: Sequence[Model]) -> None:
    """Let a last value be escaped as an inner one where longer keys begin as its key does.

    Only sort keys sort, and only those of one partition sort beside each other.
    """
    keys = [
        access for model in models for access in (*_primary_keys(model), *model.indexes.values())
    ]
    for one, other in combinations(keys, 2):
        if one.index is not other.index or not _meet_in(one.pk, other.pk):
            continue
        for mine, theirs in zip(one.sk, other.sk, strict=True):
            if isinstance(mine, TextColumn) and isinstance(theirs, TextColumn):
                _mark(*sorted([mine.template, theirs.template], key=lambda t: len(t.segments)))


def _mark(shorter: KeyTemplate, longer: KeyTemplate) -> None:
    if len(shorter.segments) < len(longer.segments) and _agree(shorter, longer):
        shorter.followed = True


def _shown(access: ResolvedKey) -> str:
    texts = [
        str(column.template) if isinstance(column, TextColumn) else f"{{{column.field}}}"
        for column in access.columns
    ]
    return " / ".join(texts)


def has_overlapping_range(access: ResolvedKey, model: Model) -> bool:
    """Whether items of other entities may lie between those that the key selects."""
    for entity in model.table.entities:
        other = MODELS[entity]
        keys = _primary_keys(other)
        if access.index is not None:
            keys = [one for one in other.indexes.values() if one.index is access.index]
        for key in keys:
            itself = other is model and key.name == access.name
            if not itself and _may_mingle(access, key):
                return True
    return False


def may_share_partition(access: ResolvedKey, model: Model) -> bool:
    """Whether items of the entity may lie in the partitions that a key asks for."""
    keys = [model.key]
    if access.index is not None:
        keys = [one for one in model.indexes.values() if one.index is access.index]
    return any(_meet_in(access.pk, key.pk) for key in keys)


def _may_mingle(access: ResolvedKey, other: ResolvedKey) -> bool:
    """Whether the other's items may be in the same partition, and begin as this one's do."""
    for mine, theirs in zip(access.pk, other.pk, strict=True):
        if not _could_be_equal(mine, theirs):
            return False
    for mine, theirs in zip(access.sk, other.sk, strict=False):
        if isinstance(mine, TextColumn) and isinstance(theirs, TextColumn):
            fixed = list(takewhile(_is_fixed, mine.template.segments))
            whole = len(fixed) == len(mine.template.segments)
            if len(theirs.template.segments) < len(fixed) + (not whole):
                return False
            if whole and len(theirs.template.segments) != len(fixed):
                return False
            return all(
                _segments_agree(one, twin)
                for one, twin in zip(fixed, theirs.template.segments, strict=False)
            )
    return True


def _is_fixed(segment: Segment) -> bool:
    return isinstance(segment, FixedSegment)
