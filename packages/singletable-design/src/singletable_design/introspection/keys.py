"""Infer the primary key of an entity and its keys in indexes: which field each part encodes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dynamodb_engine.values import AttributeValue
from singletable.schema import Index
from singletable.schema.key_template import SEPARATOR, escape, unescape
from singletable.schema.table import KeyAttribute
from singletable_design.introspection import field_types
from singletable_design.introspection.entity_builder import NUMBER_WIDTH, EntityBuilder
from singletable_design.introspection.item_groups import (
    KeyShape,
    KeySplitter,
    find_separators,
    split_key,
)
from singletable_design.introspection.names import (
    is_generic_attribute,
    is_generic_index,
    snake_case,
    unused_name,
)
from singletable_design.introspection.spec import (
    ConcatParts,
    FieldPart,
    FieldSpec,
    IndexCondition,
    KeyPart,
    KeySpec,
    has_typed_shape,
    join_constants,
)

# Fields that follow a label in keys: `{"ELECTION": ["election_name"]}`.
LabelFields = Mapping[str, Sequence[str]]

# The number of values that a template may have.
MAX_VALUES = 4

_FORMAT_NAMES = {
    "time": "time",
    "date": "day",
    "number": "number",
    "uuid": "id",
    "ulid": "id",
    "code": "id",
    "email": "email",
    "address": "ip",
}


def verbatim_key(builder: EntityBuilder) -> KeySpec:
    """Return a key in which each key attribute is one field, written back verbatim."""
    used: set[str] = set()
    pk, *sk = [verbatim_part(builder, key.name, used) for key in builder.table.key_attributes]
    return KeySpec("key", (pk,), tuple(sk) or None)


def verbatim_part(builder: EntityBuilder, attribute: str, used: set[str]) -> FieldPart:
    """Return a key attribute as one field, which is added if the entity lacks it."""
    field = builder.field_stored_in(attribute)
    if field is None:
        values = builder.attribute_values(attribute)
        present = [value for value in values if value is not None]
        type_ = field_types.infer_type(attribute, present, builder.records)
        if type_.text == "datetime" and "N" in present[0]:
            type_ = field_types.FieldType("int")
        name = unused_name(snake_case(attribute), builder.fields)
        optional = len(present) < len(values)
        field = builder.add(FieldSpec(name, attribute, type_, optional=optional), values)
    part = FieldPart(field.name, repeated=field.name in used)
    used.add(field.name)
    return part


def build_primary_key(
    builder: EntityBuilder, pk: KeyShape, sk: KeyShape, label_fields: LabelFields
) -> KeySpec:
    """Return the primary key, made of stored fields and of new fields that only the key stores."""
    used: set[str] = set()
    parts = _build_side(builder, builder.table.pk, pk, label_fields, used)
    if builder.table.sk is None:
        return KeySpec("key", parts, None)
    return KeySpec("key", parts, _build_side(builder, builder.table.sk, sk, label_fields, used))


def _build_side(
    builder: EntityBuilder,
    attribute: KeyAttribute,
    shape: KeyShape,
    label_fields: LabelFields,
    used: set[str],
) -> tuple[KeyPart, ...]:
    if attribute.type != "S":
        return (verbatim_part(builder, attribute.name, used),)
    separator = builder.separators.get(attribute.name, SEPARATOR)
    reason = _why_verbatim(builder, attribute.name, shape, separator)
    if reason is not None:
        builder.notes.append(f"{attribute.name} is declared as one field: {reason}")
        return (verbatim_part(builder, attribute.name, used),)
    if (
        shape == (None,)
        and not is_generic_attribute(attribute.name)
        and builder.find_key_field(_texts_at(builder, attribute.name, 0, separator), "") is None
    ):
        return (verbatim_part(builder, attribute.name, used),)
    parts: list[KeyPart] = []
    columns = [_texts_at(builder, attribute.name, at, separator) for at in range(len(shape))]
    prefixes = [
        "" if constant is not None else _common_prefix(builder, texts, separator)
        for constant, texts in zip(shape, columns, strict=True)
    ]
    verbatim = (
        builder.concatenated
        or separator != SEPARATOR
        or any(prefixes)
        or not all(
            _is_canonical(text, at == len(shape))
            for at, one in enumerate(columns, 1)
            for text in one
        )
    )
    for at, constant in enumerate(shape):
        parts += [separator] if verbatim and at else []
        if constant is not None:
            parts.append(constant)
            continue
        label = prefixes[at].strip("_-") or ((shape[at - 1] or "") if at else "")
        texts = [text.removeprefix(prefixes[at]) for text in columns[at]]
        texts = texts if verbatim else [*map(unescape, texts)]
        parts += [prefixes[at]] if prefixes[at] else []
        first = at == 0 and attribute is builder.table.pk
        part = builder.find_key_field(texts, label)
        if part is None:
            candidates = label_fields.get(label, ()) if label or first else ()
            name = _name_value(attribute.name, texts, label, candidates)
            part = _add_key_only_field(builder, name, texts)
        parts.append(replace(part, repeated=part.field in used))
        used.add(part.field)
    return ConcatParts(join_constants(ConcatParts(parts))) if verbatim else tuple(parts)


def _why_verbatim(
    builder: EntityBuilder, attribute: str, shape: KeyShape, separator: str
) -> str | None:
    """Return why a template would not write the same keys, or None if it would."""
    if shape.count(None) > MAX_VALUES:
        return f"it has more than {MAX_VALUES} values."
    for item in builder.items:
        if not all(split_key(item, attribute, separator)):
            text = item[attribute].get("S", "")
            return f"{text!r} has an empty part, which singletable does not write."
    return None


def _texts_at(builder: EntityBuilder, attribute: str, at: int, separator: str) -> list[str]:
    return [split_key(item, attribute, separator)[at] for item in builder.items]


# A word directly before a value: `id_7`, `ORDER-00090`.
_PREFIX = re.compile("[A-Za-z]+[_-]")


def _common_prefix(builder: EntityBuilder, texts: Sequence[str], separator: str) -> str:
    """Return the word before all values, if a field has these without it, or ""."""
    match = _PREFIX.match(texts[0])
    if match is None or builder.find_key_field(texts, "") is not None:
        return ""
    rest = [text[len(match[0]) :] for text in texts]
    if not all(text.startswith(match[0]) for text in texts) or not all(rest):
        return ""
    # With `#`, `game-7` may as well be the whole value.
    is_number = separator != SEPARATOR and all(map(str.isdecimal, rest))
    return match[0] if is_number or builder.find_key_field(rest, "") is not None else ""


def _add_key_only_field(
    builder: EntityBuilder, name: str, texts: Sequence[str | None]
) -> FieldPart:
    """Add a field that no attribute stores and that is decoded from the key."""
    there = [text for text in texts if text is not None]
    width = field_types.padded_width(there)
    type_ = field_types.infer_text_type(there) if width is None else field_types.FieldType("int")
    values: list[AttributeValue | None] = [
        None if text is None else {"S": text} if width is None else {"N": str(int(text))}
        for text in texts
    ]
    optional = len(there) < len(texts)
    field = builder.add(FieldSpec(name, "", type_, stored=False, optional=optional), values)
    if width is None or width == NUMBER_WIDTH:
        return FieldPart(field.name)
    return FieldPart(field.name, "padded", width)


def _name_value(attribute: str, texts: Sequence[str], label: str, candidates: Sequence[str]) -> str:
    """Name a value as other entities do, or by the label before it, or by its format."""
    text_format = field_types.common_text_format(texts)
    word = snake_case(label) if label else ""
    if candidates:
        name = min(candidates, key=lambda candidate: word not in candidate)
        return name if word in name else f"{word}_{name}"
    if label:
        suffixes = {"email": "email", "time": "time", "date": "day"}
        return f"{word}_{suffixes.get(text_format or '', 'id')}"
    return snake_case(attribute) if text_format is None else _FORMAT_NAMES[text_format]


def index_only_attributes(builder: EntityBuilder) -> set[str]:
    """Return the attributes that exist only as keys of an index."""
    keys = {key.name for key in builder.table.key_attributes}
    return {
        attribute.name
        for index in builder.table.indexes
        for attribute in (*index.pk, *index.sk)
        if attribute.name not in keys
        and attribute.type == "S"
        and len(index.pk) == 1
        and len(index.sk) <= 1
        and (is_generic_attribute(attribute.name) or _is_composed(builder, attribute.name))
    }


def _is_composed(builder: EntityBuilder, attribute: str) -> bool:
    values = builder.attribute_values(attribute)
    texts = [value["S"] for value in values if value is not None and "S" in value]
    return bool(texts) and (
        all(SEPARATOR in text for text in texts) or bool(find_separators(texts))
    )


def build_index_keys(builder: EntityBuilder, key: KeySpec) -> list[KeySpec]:
    """Return a key for each index that contains some of the items."""
    specs: list[KeySpec] = []
    for index in builder.table.indexes:
        names = [attribute.name for attribute in (*index.pk, *index.sk)]
        if not any(all(name in item for name in names) for item in builder.items):
            # No item is in this index, so its attributes are ordinary fields.
            unused = index_only_attributes(builder)
            for name in names:
                if name in unused and any(name in item for item in builder.items):
                    verbatim_part(builder, name, set())
            continue
        fields, values, notes = dict(builder.fields), dict(builder.values), list(builder.notes)
        found = _index_key(builder, index, key)
        if found is None:
            builder.fields, builder.values, builder.notes = fields, values, notes
        spec = found or _verbatim_index_key(builder, index, key)
        taken = {*builder.fields, *(other.name for other in specs)}
        specs.append(replace(spec, name=_name_index_key(index, spec, taken)))
    return specs


def _index_key(builder: EntityBuilder, index: Index, key: KeySpec) -> KeySpec | None:
    """Return the key made of fields, or None if it would index other items or other keys."""
    used: set[str] = set()
    names = {attribute.name for attribute in (*index.pk, *index.sk)}
    indexed = [names <= set(item) for item in builder.items]
    pk = _build_index_side(builder, index.pk, key, indexed, used)
    sk = _build_index_side(builder, index.sk, key, indexed, used) if index.sk else ()
    if pk is None or sk is None or not has_typed_shape(pk) or not has_typed_shape(sk):
        return None
    own = names & index_only_attributes(builder)
    for item, is_indexed in zip(builder.items, indexed, strict=True):
        if not is_indexed and own & set(item):
            return None
    fields = [part.field for part in (*pk, *sk) if isinstance(part, FieldPart)]
    # Items that have all fields of the key and are nevertheless not in the index.
    excluded = [
        not is_indexed and all(builder.values[field][at] is not None for field in fields)
        for at, is_indexed in enumerate(indexed)
    ]
    spec = KeySpec("", pk, sk or None, index.name)
    if not any(excluded):
        return spec
    condition = _find_condition(builder, indexed, excluded)
    return None if condition is None else replace(spec, when=condition)


def _build_index_side(
    builder: EntityBuilder,
    attributes: Sequence[KeyAttribute],
    key: KeySpec,
    indexed: Sequence[bool],
    used: set[str],
) -> tuple[KeyPart, ...] | None:
    if len(attributes) > 1:
        return tuple(verbatim_part(builder, attribute.name, used) for attribute in attributes)
    name = attributes[0].name
    if name == builder.table.pk.name:
        return _reuse_parts(key.pk, used)
    if builder.table.sk is not None and name == builder.table.sk.name:
        return _reuse_parts(key.sk or (), used)
    if name == builder.tag:
        tags = {value["S"] for value in builder.attribute_values(name) if value is not None}
        return tuple(tags) if len(tags) == 1 else None
    if name not in index_only_attributes(builder):
        return (verbatim_part(builder, name, used),)
    return _match_template(builder, name, indexed, used)


def _reuse_parts(parts: Sequence[KeyPart], used: set[str]) -> tuple[KeyPart, ...]:
    """Return the parts of the primary key for the key of an index."""
    reused: list[KeyPart] = []
    for part in parts:
        if isinstance(part, str):
            reused.append(part)
            continue
        reused.append(replace(part, repeated=part.field in used))
        used.add(part.field)
    return ConcatParts(reused) if isinstance(parts, ConcatParts) else tuple(reused)


def _match_template(
    builder: EntityBuilder, attribute: str, indexed: Sequence[bool], used: set[str]
) -> tuple[KeyPart, ...] | None:
    """Return the parts of which an index attribute is composed, or None if none match."""
    there = [item for item, is_indexed in zip(builder.items, indexed, strict=True) if is_indexed]
    splitter = KeySplitter.of([attribute], there)
    rows = [
        splitter.split(item, attribute) if is_indexed else None
        for item, is_indexed in zip(builder.items, indexed, strict=True)
    ]
    separators = {splitter.separator(item, attribute) for item in there}
    widths = {len(row) for row in rows if row is not None}
    if len(widths) != 1 or len(separators) != 1 or not all(all(row) for row in rows if row):
        return None
    (width,), (separator,) = widths, separators
    verbatim = separator != SEPARATOR or not all(
        _is_canonical(text, at == width) for row in rows if row for at, text in enumerate(row, 1)
    )
    parts: list[KeyPart] = []
    for at in range(width):
        stored = [None if row is None else row[at] for row in rows]
        texts = [None if text is None else text if verbatim else unescape(text) for text in stored]
        label = parts[-1] if parts and isinstance(parts[-1], str) else ""
        parts += [separator] if verbatim and at else []
        part = builder.find_key_field(texts, label)
        constants = {text for text in texts if text is not None}
        if part is not None:
            parts.append(replace(part, repeated=part.field in used))
            used.add(part.field)
        elif len(constants) == 1 and field_types.is_word(constant := next(iter(constants))):
            count = f"{len(there):,} of {len(builder.items):,} items"
            if _is_label(builder, attribute, constant, len(there)):
                parts.append(constant)
                builder.notes.append(f"{attribute}: {constant!r} is in {count}.")
            elif not any(isinstance(one, str) and one != separator for one in parts):
                return None
            else:
                builder.notes.append(
                    f"{attribute}: the sample has only {constant!r} there, in {count}, which is "
                    "too few to tell a fixed text from a value. Sample more items, or replace the "
                    "field by the text if it is one."
                )
                parts.append(_add_key_only_field(builder, _value_name(attribute, label), texts))
        elif any(isinstance(one, str) and one != separator for one in parts) and all(constants):
            parts.append(_add_key_only_field(builder, _value_name(attribute, label), texts))
        else:
            return None
    return ConcatParts(join_constants(ConcatParts(parts))) if verbatim else tuple(parts)


# The number of items from which a text that all of them have in a key is a fixed one.
ENOUGH_ITEMS = 20


def _is_label(builder: EntityBuilder, attribute: str, text: str, count: int) -> bool:
    """Return whether a text that all of these keys contain is a constant of the key.

    Otherwise it is a value that the items happen to share. It is a constant if many items have it,
    if it is `ALL`, or if it is in the name of the attribute (`RISK` in riskKey), of a field, of the
    type tag or of the primary key: `USERS` of items with the tag `USER`.
    """
    said = ["ALL", attribute, *builder.fields, *(one["S"] for one in _labels(builder))]
    words = {word for one in said for word in re.findall("[a-z]+", snake_case(one))}
    words |= {word.casefold() for one in said for word in re.findall("[A-Za-z]+", one)}
    word = text.casefold()
    return count >= ENOUGH_ITEMS or word in words or word.removesuffix("s") in words


def _labels(builder: EntityBuilder) -> list[AttributeValue]:
    """Return the primary key and the type tag of an item."""
    item = builder.items[0]
    names = [one.name for one in builder.table.key_attributes]
    names += [] if builder.tag is None else [builder.tag]
    return [item[name] for name in names if "S" in item.get(name, {})]


def _value_name(attribute: str, label: str) -> str:
    return snake_case(label) if label and field_types.is_word(label) else snake_case(attribute)


def _is_canonical(text: str, last: bool) -> bool:
    return bool(text) and escape(unescape(text), last=last) == text


def _find_condition(
    builder: EntityBuilder, indexed: Sequence[bool], excluded: Sequence[bool]
) -> IndexCondition | None:
    """Return a field that has one value in all indexed items, and another in the excluded ones."""
    for name, field in builder.fields.items():
        if not field.stored or field.type.text not in ("str", "bool"):
            continue
        values = builder.values[name]
        inside = [value for value, is_in in zip(values, indexed, strict=True) if is_in]
        outside = [value for value, is_out in zip(values, excluded, strict=True) if is_out]
        first = inside[0]
        if first is None or any(value != first for value in inside) or first in outside:
            continue
        return IndexCondition(name, first["S"] if "S" in first else first["BOOL"])
    return None


def _verbatim_index_key(builder: EntityBuilder, index: Index, key: KeySpec) -> KeySpec:
    """Return a key in which each attribute of the index is one field."""
    used: set[str] = set()
    own = {attribute.name for attribute in builder.table.key_attributes}

    def side(attributes: Sequence[KeyAttribute]) -> tuple[KeyPart, ...]:
        if len(attributes) == 1 and attributes[0].name in own:
            parts = key.pk if attributes[0].name == builder.table.pk.name else key.sk or ()
            return _reuse_parts(parts, used)
        return tuple(verbatim_part(builder, attribute.name, used) for attribute in attributes)

    pk, sk = side(index.pk), side(index.sk)
    names = [attr.name for attr in (*index.pk, *index.sk) if attr.name not in own]
    if any(map(is_generic_attribute, names)):
        builder.notes.append(
            f"{', '.join(names)}: no fields were found that compose these keys of index "
            f"{index.name!r}, so they are declared as fields. Set them when you write an item."
        )
    return KeySpec("", pk, sk or None, index.name)


def _name_index_key(index: Index, key: KeySpec, taken: set[str]) -> str:
    if not is_generic_index(index.name):
        return unused_name(snake_case(index.name), taken)
    parts = (*key.pk, *(key.sk or ()))
    fields = [part.field for part in parts if isinstance(part, FieldPart)]
    word = next((part for part in parts if isinstance(part, str)), index.name)
    short, long = f"by_{(fields or [snake_case(word)])[0]}", f"by_{'_and_'.join(fields[:2])}"
    return long if short in taken and len(fields) > 1 else unused_name(short, taken)
