"""Decode stored items, and index entries that contain only some of their attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from dynamodb_engine import expressions
from dynamodb_engine.expressions import condition_paths, value_at
from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import DecryptionFailed, InvalidValue, ItemMismatch
from singletable.schema import Index, Model, Path, ResolvedKey

NO_VALUES: Mapping[str, object] = {}

R = TypeVar("R")
T = TypeVar("T")
# Called with the error of an item that is then skipped.
OnMismatch: TypeAlias = Callable[[ItemMismatch], object]


def decode_item(model: Model, item: Item, *, check_indexes: bool = True) -> Any:
    """Return the instance; raise ItemMismatch if the item is of another entity.

    Without `check_indexes` it may have other index keys than it would be written with.
    """
    if model.tag is not None:
        tag = item.get(model.tag[0])
        if tag is not None and tag.get("S") != model.tag[1]:
            raise ItemMismatch(
                f"expected an item tagged {model.tag[0]} = {model.tag[1]!r}, but got {tag}.",
                model.name,
                _table_key(model, item),
            )
    try:
        return model.instance(item, check_indexes=check_indexes)
    except ItemMismatch as error:
        error.key = _table_key(model, item)
        raise


def decode_result(model: Model, item: Item, done: str) -> Any:
    """Return the item that a write returned; an error says that the write is `done`."""
    try:
        return decode_item(model, item)
    except ItemMismatch as error:
        error.item = item
        error.add_note(f"The item was {done}. Its attributes are in the error's `item`.")
        raise


def decode_each(
    decode: Callable[[T], R], items: Iterable[T], on_mismatch: OnMismatch | None
) -> list[R]:
    """Return the decoded items; with `on_mismatch`, report and skip items that do not fit."""
    if on_mismatch is None:
        return [decode(item) for item in items]
    decoded: list[R] = []
    for item in items:
        try:
            decoded.append(decode(item))
        except ItemMismatch as error:
            on_mismatch(error)
    return decoded


def _table_key(model: Model, item: Item) -> Item | None:
    """Return the key attributes of a stored item, for an error."""
    names = [attribute.name for attribute in model.table.key_attributes]
    return {name: item[name] for name in names if name in item} or None


def decode_fields(
    model: Model, item: Item, names: Iterable[str], key_values: Mapping[str, object] = NO_VALUES
) -> dict[str, object]:
    """Return the values of these fields.

    Fields that are stored only in a key come from `key_values`, or else from the parsed key.
    """
    values: dict[str, object] = {}
    for name in names:
        field = model.fields[name]
        value = item.get(field.attribute)
        if not field.stored:
            known = name in key_values
            values[name] = key_values[name] if known else model.key_only_value(name, item)
        elif value is not None:
            values[name] = _decode_value(model, item, field, value)
        elif field.role == "version":
            values[name] = 0
        else:
            values[name] = None if field.default is None else field.default()
    return values


def decode_paths(
    model: Model, paths: Sequence[tuple[Path[Any, Any], ResolvedKey | None]], item: Item
) -> tuple[Any, ...]:
    """Return the values at some paths; a path with a key is parsed from that key."""
    values: list[object] = []
    for path, key in paths:
        place = path.document_path()
        if path.field in model.index_only:
            values.append(model.key_only_value(path.field, item))
        elif key is not None:
            values.append((key.parse(item) or {})[path.field])
        elif len(place) == 1:
            values.append(decode_fields(model, item, [path.field])[path.field])
        else:
            value = value_at(place, item)
            values.append(None if value is None else _decode_value(model, item, path, value))
    return tuple(values)


def _decode_value(model: Model, item: Item, path: Path[Any, Any], value: AttributeValue) -> object:
    """Return the value at a path; raise ItemMismatch that names the path and the item."""
    try:
        attribute = model.fields[path.field].attribute
        if attribute in model.encrypted:
            value = model.decrypted(item)[attribute]
        return path.codec().decode(value)
    except DecryptionFailed as error:
        error.key = _table_key(model, item)
        raise
    except ItemMismatch as error:
        place = f"{path}{error.path}"
        raise type(error)(error.text, place, _table_key(model, item)) from None


def projected_attributes(model: Model, index: Index | None) -> set[str] | None:
    """Return the attributes that an index contains, or None if it contains all."""
    if index is None or index.projection == "ALL":
        return None
    projected = set(() if index.projection == "KEYS_ONLY" else index.projection)
    return projected | {one.name for one in (*model.table.key_attributes, *index.pk, *index.sk)}


def is_projected(model: Model, index: Index | None, attribute: str) -> bool:
    """Return whether an index contains an attribute."""
    projected = projected_attributes(model, index)
    return projected is None or attribute in projected


def key_with_field(model: Model, access: ResolvedKey, name: str) -> ResolvedKey | None:
    """Return the key to parse a field from if the index does not contain it, or None."""
    field = model.fields[name]
    if field.stored and is_projected(model, access.index, field.attribute):
        return None
    if name in model.index_only:
        is_there = is_projected(model, access.index, model.attribute_of(name))
        return model.index_only[name].access if is_there else None
    return next((key for key in (model.key, access) if name in key.recoverable_fields), None)


def missing_fields(model: Model, index: Index | None) -> list[str]:
    """Return the fields that an index does not contain."""
    projected = projected_attributes(model, index)
    if projected is None:
        return []
    return [
        name
        for name, field in model.fields.items()
        if (field.stored or name in model.index_only) and model.attribute_of(name) not in projected
    ]


def check_whole(model: Model, access: ResolvedKey) -> None:
    """Raise if an index does not contain whole items."""
    check_version_projected(model, access)
    if missing := missing_fields(model, access.index):
        keys = {*model.key.fields, *access.fields}
        # The values of key fields can be read from the keys, as select() does.
        absent = [name for name in missing if name not in keys] or missing
        raise InvalidValue(
            f"{access}: {access.index!r} does not contain {', '.join(absent)}, so it cannot "
            f"return whole items of {model.name}. Read the fields that it contains with select() "
            "or page(…, fields=(…)), or read the items from the table with hydrate() or page(…, "
            "hydrate=True)."
        )


def check_version_projected(model: Model, access: ResolvedKey) -> None:
    """Raise if an index does not contain the schema version of its items."""
    attribute = model.versions.attribute
    if attribute and not is_projected(model, access.index, attribute):
        raise InvalidValue(
            f"{access}: {access.index!r} does not contain {attribute}, so the schema "
            "version of its items is unknown. Project it, or read the items from the table with "
            "hydrate() or page(…, hydrate=True)."
        )


def upgraded_entry(model: Model, access: ResolvedKey, entry: Item) -> Item:
    """Return an item from the table or an index in the current schema version.

    Raises ItemMismatch if the index contains only some attributes of an item of another version.
    """
    versions = model.versions
    if versions.is_current(entry):
        return entry
    if projected_attributes(model, access.index) is None:
        return versions.upgraded(entry)
    raise ItemMismatch(
        f"the item has schema version {versions.number_of(entry)}, and {access.index!r} does not "
        f"contain the attributes to upgrade it to version {versions.current}. Read the items from "
        "the table with hydrate() or page(…, hydrate=True).",
        model.name,
        _table_key(model, entry),
    )


def check_where(model: Model, access: ResolvedKey, where: expressions.Condition) -> None:
    """Raise if a condition tests attributes that the index does not contain."""
    check_version_projected(model, access)
    projected = projected_attributes(model, access.index)
    tested = {str(path[0]) for path in condition_paths(where)}
    missing = [] if projected is None else sorted(tested - projected)
    if missing:
        raise InvalidValue(
            f"{access}: {access.index!r} does not contain {', '.join(missing)}, so where=… cannot "
            "test it. Project it, or read the items from the table with hydrate()."
        )


def check_selectable(model: Model, access: ResolvedKey, paths: Sequence[Path[Any, Any]]) -> None:
    """Raise if neither the index nor its keys contain one of the fields."""
    for path in paths:
        field = model.fields[path.field]
        if (
            not is_projected(model, access.index, field.attribute)
            and key_with_field(model, access, path.field) is None
        ):
            raise InvalidValue(
                f"{access}: {access.index!r} does not contain {field}. Project it, or read the "
                "items from the table with hydrate()."
            )
