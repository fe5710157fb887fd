"""Build an entity from each group of items: its name, fields and keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from dynamodb_engine.values import AttributeValue
from singletable.schema import Table
from singletable_design.introspection.entity_builder import EntityBuilder
from singletable_design.introspection.field_types import (
    GENERIC_LABELS,
    DataclassRegistry,
    FieldType,
    infer_type,
    is_common_label,
)
from singletable_design.introspection.item_groups import SEPARATORS, ItemGroup, KeyShape
from singletable_design.introspection.keys import (
    LabelFields,
    build_index_keys,
    build_primary_key,
    index_only_attributes,
    verbatim_key,
)
from singletable_design.introspection.names import (
    is_generic_attribute,
    pascal_case,
    singular,
    snake_case,
    unused_name,
)
from singletable_design.introspection.spec import EntitySpec, FieldPart, FieldSpec, Role

TTL_NAMES = (
    "ttl",
    "time_to_live",
    "expires",
    "expires_at",
    "expiry",
    "expiration",
    "expiration_time",
)
_VERSIONS = ("version", "_version", "lock_version", "lockVersion", "_v")
# Shorter words in keys are abbreviations, and poor names.
MIN_WORD = 3


def build_entities(
    table: Table, groups: Sequence[ItemGroup], tag: str | None, records: DataclassRegistry
) -> list[EntitySpec]:
    """Build an entity for each group.

    Entities are built twice: the names that some have for a value in keys are used by the others.
    """
    names = name_entities(table, groups, records.taken)
    records.taken |= {*names}
    label_fields = _fields_by_label(
        [
            _build_entity(table, group, name, tag, DataclassRegistry(), {})
            for group, name in zip(groups, names, strict=True)
        ]
    )
    return [
        _build_entity(table, group, name, tag, records, label_fields)
        for group, name in zip(groups, names, strict=True)
    ]


def _fields_by_label(entities: Sequence[EntitySpec]) -> LabelFields:
    """Return the stored fields by the label before them in keys."""
    label_fields: dict[str, list[str]] = defaultdict(list)
    for entity in entities:
        stored = {field.name for field in entity.fields if field.stored}
        for parts in (entity.key.pk, entity.key.sk or ()):
            # A field at the beginning of the partition key has no label.
            for word, part in pairwise(("", *parts) if parts is entity.key.pk else parts):
                if isinstance(word, str) and isinstance(part, FieldPart) and part.field in stored:
                    label = word.strip(SEPARATORS)
                    if label or not word:
                        label_fields[label].append(part.field)
    return label_fields


def _build_entity(
    table: Table,
    group: ItemGroup,
    name: str,
    tag: str | None,
    records: DataclassRegistry,
    label_fields: LabelFields,
) -> EntitySpec:
    tag = tag if group.tag is not None else None
    names = [one.name for one in table.key_attributes]
    separators = dict(zip(names, group.separators, strict=False))
    builder = EntityBuilder(table, group.items, tag, records, separators, group.concatenated)
    skipped = {one.name for one in table.key_attributes} | index_only_attributes(builder)
    for attribute in dict.fromkeys(name for item in group.items for name in item):
        if attribute not in skipped and attribute != builder.tag:
            _add_field(builder, attribute)
    key = (
        verbatim_key(builder)
        if group.raw_reason
        else build_primary_key(builder, group.pk, group.sk, label_fields)
    )
    if group.raw_reason:
        builder.notes.append(f"The key attributes are declared as fields: {group.raw_reason}")
    indexes = build_index_keys(builder, key)
    return EntitySpec(
        name,
        None if builder.tag is None or group.tag is None else (builder.tag, group.tag),
        _sorted_fields(builder, key.pk, key.sk or ()),
        key,
        tuple(indexes),
        items=group.items,
        notes=tuple(builder.notes),
    )


def _add_field(builder: EntityBuilder, attribute: str) -> None:
    """Add a field for an attribute of the items."""
    values = [_without_null(value) for value in builder.attribute_values(attribute)]
    there = [value for value in values if value is not None]
    if attribute == builder.table.ttl:
        _add_ttl_field(builder, attribute, values, there)
        return
    type_ = infer_type(attribute, there, builder.records) if there else FieldType("Any")
    if len(there) < sum(attribute in item for item in builder.items):
        builder.notes.append(
            f"{attribute!r} is NULL in some items; when they are written, it is omitted instead."
        )
    optional = len(there) < len(values) and type_.text != "Any"
    is_version = attribute in _VERSIONS and type_.text == "int" and not optional
    # A number that never changes is not a lock version; it may be the version of a format.
    is_version = (
        is_version and len({one["N"] for one in there}) > 1 and "version" not in builder.fields
    )
    name = "version" if is_version else snake_case(attribute)
    role: Role | None = "version" if is_version else None
    builder.add(FieldSpec(name, attribute, type_, optional=optional, role=role), values)


def _add_ttl_field(
    builder: EntityBuilder,
    attribute: str,
    values: Sequence[AttributeValue | None],
    there: Sequence[AttributeValue],
) -> None:
    if not there or not all("N" in one and one["N"].isdigit() for one in there):
        builder.notes.append(
            f"{attribute!r} is the table's TTL attribute, but some items have no integer there. "
            "It is preserved, but no field is declared for it."
        )
        return
    plain = snake_case(attribute)
    name = "expires_at" if plain in TTL_NAMES else plain
    optional = len(there) < len(values)
    builder.add(FieldSpec(name, attribute, FieldType("datetime"), optional, role="expires"), values)


def _without_null(value: AttributeValue | None) -> AttributeValue | None:
    return None if value is None or "NULL" in value else value


def _sorted_fields(builder: EntityBuilder, *keys: Sequence[object]) -> tuple[FieldSpec, ...]:
    """Sort the fields: those of the key first, those that the store maintains last."""
    in_key = [part.field for parts in keys for part in parts if isinstance(part, FieldPart)]
    names = dict.fromkeys((*in_key, *builder.fields))
    fields = [builder.fields[name] for name in names]
    return tuple(sorted(fields, key=lambda field: field.role is not None))


def name_entities(table: Table, groups: Sequence[ItemGroup], taken: set[str]) -> list[str]:
    """Return a distinct name for each group, by its type tag or by the words in its keys."""
    names: list[str] = []
    preferred = [_preferred_name(table, group) for group in groups]
    for group, name in zip(groups, preferred, strict=True):
        if preferred.count(name) > 1 and group.tag is None:
            owner = _main_word(group.pk)
            name = name if owner is None or owner == name else f"{owner}{name}"
        names.append(unused_name(name, {*names, *taken}))
    return names


def _preferred_name(table: Table, group: ItemGroup) -> str:
    if group.tag is not None:
        return pascal_case(group.tag)
    owner, own = _main_word(group.pk), _main_word(group.sk)
    if own is None or (own.lower() in GENERIC_LABELS and None not in group.sk):
        return owner or _name_from_attribute(table) or pascal_case(singular(table.name))
    if owner is None or owner == own or None in group.sk:
        return own
    return f"{owner}{own}" if None in group.pk else own


def _main_word(shape: KeyShape) -> str | None:
    """Return the constant that says most: the last one if it follows a value, or the first."""
    words = [text for text in shape if text is not None and len(text) >= MIN_WORD]
    words = words or [text for text in shape if text is not None]
    if not words:
        return None
    last = words[-1] if shape and shape[-1] is not None and None in shape else words[0]
    return pascal_case(last if is_common_label(last) else singular(last))


def _name_from_attribute(table: Table) -> str | None:
    """Return the name in a key attribute such as `customer_id`, or None if it is generic."""
    if is_generic_attribute(table.pk.name) or table.sk is not None:
        return None
    plain = pascal_case(table.pk.name).removesuffix("Id").removesuffix("ID")
    return plain or None
