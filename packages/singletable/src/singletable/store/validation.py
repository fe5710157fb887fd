"""Check the arguments of store calls before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar

from dynamodb_engine import expressions
from singletable.errors import InvalidValue
from singletable.schema import (
    Collection,
    Condition,
    Edit,
    Entity,
    ItemKey,
    Model,
    Selection,
    Table,
    UniqueValue,
    model_of,
)
from singletable.schema.codec.codec import short_repr
from singletable.schema.fields import Attr, NestedPath
from singletable.schema.model import MODELS

E = TypeVar("E")


def model_of_item(item: object) -> Model:
    """Return the model of an item's entity; raise unless it is an instance of one."""
    if not isinstance(item, Entity) and type(item) not in MODELS:
        raise _unexpected("an item, an instance of an entity", item)
    return model_of(type(item))


def lacks_number(model: Model, item: object) -> bool:
    """Return whether the item is to be numbered when it is created."""
    return model.sequence is not None and item.__dict__.get(model.sequence.name) is None


def check_number(model: Model, item: object) -> None:
    """Raise InvalidValue if the item has no number yet, which only a create assigns."""
    if model.sequence is not None and lacks_number(model, item):
        name = model.sequence.name
        raise InvalidValue(
            f"{model.fields[name]} has no value: only create() assigns the next number. To write "
            f"an item from elsewhere, assign its number: item.{name} = …."
        )


def models_of(entities: Iterable[object]) -> list[Model]:
    """Return the models of some entities; raise unless there is at least one."""
    models: list[Model] = []
    for entity in entities:
        if not isinstance(entity, type):
            raise _unexpected("an entity class", entity)
        models.append(model_of(entity))
    if not models:
        raise InvalidValue("expected at least one entity, but got none.")
    return models


# What some arguments are, for errors about others.
_EXPECTED: dict[type, str] = {
    ItemKey: "an item key, such as Entity.key(…) or key_of(item) returns",
    Table: "a declared Table",
    dict: "a stored item, such as {'PK': {'S': '…'}}",
    Selection: "a selection, such as Entity.key.partition(…) returns",
    UniqueValue: "a unique value, such as Entity.unique(…) returns",
}


def check_is(kind: type, value: object) -> None:
    """Raise unless `value` is an instance of `kind`."""
    if not isinstance(value, kind):
        raise _unexpected(_EXPECTED[kind], value)


def check_keys(keys: Iterable[ItemKey[E]]) -> list[ItemKey[E]]:
    """Return the keys as a list; raise unless all are ItemKeys."""
    check_iterable("item keys", keys)
    checked = list(keys)
    for key in checked:
        check_is(ItemKey, key)
    return checked


def check_iterable(what: str, values: object) -> None:
    """Raise if `values` is a single key or item, or not iterable."""
    if isinstance(values, ItemKey | Entity | str) or not isinstance(values, Iterable):
        raise _unexpected(f"a list of {what}", values)  # pyright: ignore[reportUnknownArgumentType]


def check_callback(name: str, callback: object) -> None:
    """Raise unless `callback` is callable or None. It is called after the first writes."""
    if callback is not None and not callable(callback):
        raise _unexpected("a function", callback, name)


def check_collection(collection: object) -> None:
    """Raise unless `collection` is a subclass of Collection."""
    if not (isinstance(collection, type) and issubclass(collection, Collection)):
        raise _unexpected("a Collection class", collection)  # pyright: ignore[reportUnknownArgumentType]


def check_count(name: str, value: object) -> None:
    """Raise unless `value` is a whole number, 1 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _unexpected("a whole number, 1 or more", value, name)


def check_limit(limit: object) -> None:
    """Raise unless `limit` is a whole number of 1 or more, or None."""
    if limit is not None:
        check_count("limit", limit)


def condition_node(model: Model, condition: Condition[Any] | None) -> expressions.Condition | None:
    """Return the condition as an expression; raise unless it is on fields of this entity."""
    if condition is None:
        return None
    if not isinstance(condition, Condition):  # pyright: ignore[reportUnnecessaryIsInstance]
        what = f"a condition on {model.name}, such as {model.name}.field == value"
        raise _unexpected(what, condition)
    for path in condition.fields:
        check_path(model, path)
    return condition.node()


def check_path(model: Model, path: object, *, in_key: bool = False) -> None:
    """Raise unless `path` leads to a field of this entity; with `in_key`, it may be key-only."""
    root = path._root if isinstance(path, NestedPath) else path  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(root, Attr):
        raise _unexpected(f"a field of {model.name}", path)  # pyright: ignore[reportUnknownArgumentType]
    if model.fields.get(root.name) is not root:
        _raise_unknown_field(model, path)  # pyright: ignore[reportUnknownArgumentType]
    if not root.stored and not in_key:
        raise InvalidValue(
            f"{path} is stored only in the key (key_only=True), which conditions cannot test."
        )


def check_edits(model: Model, key: object, edits: Iterable[Edit[Any]]) -> None:
    """Raise unless these edits are possible for items of this entity, and in one update."""
    # The edits by their paths, and by the paths of all values around theirs.
    by_path: dict[expressions.Path, Edit[Any]] = {}
    around: dict[expressions.Path, Edit[Any]] = {}
    for edit in edits:
        if not isinstance(edit, Edit):  # pyright: ignore[reportUnnecessaryIsInstance]
            what = f"edits, such as {model.name}.field.set(…) or *{model.name}.edits(…)"
            raise _unexpected(what, edit, str(key))
        field = model.fields.get(edit.field)
        if field is None or edit.path.root is not field:
            _raise_unknown_field(model, edit.path)
        if edit.field in model.key.fields:
            raise InvalidValue(
                f"{edit.path} is part of the primary key, which cannot change. In a transaction, "
                "create an item with the new key and delete this one."
            )
        if field.role in ("version", "updated"):
            raise InvalidValue(f"{edit.path} is set by the store with every write.")
        path = edit.action.path
        prefixes = [path[:length] for length in range(1, len(path) + 1)]
        outer = next((by_path[one] for one in prefixes if one in by_path), None)
        earlier = around.get(path, outer)
        if earlier is not None:
            both = f"{earlier.path} and {edit.path}, one of which contains the other"
            raise InvalidValue(
                f"{key}: two edits change {edit.path if earlier.action.path == path else both}. "
                "Combine them: an update changes a value once."
            )
        by_path[path] = edit
        around.update(dict.fromkeys(prefixes, edit))


def _raise_unknown_field(model: Model, path: object) -> NoReturn:
    raise InvalidValue(
        f"{path} is not a field of {model.name}, which has {', '.join(model.fields)}."
    )


def _unexpected(what: str, value: object, name: str = "") -> InvalidValue:
    kind = "" if value is None else f" ({type(value).__name__})"
    prefix = f"{name}: " if name else ""
    return InvalidValue(f"{prefix}expected {what}, but got {short_repr(value)}{kind}.")
