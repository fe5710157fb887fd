"""What callers give to a store, looked at before anything is asked of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar

from singletable import expressions
from singletable.errors import DeclarationError, InvalidValue
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
from singletable.schema.fields import Attr, NestedPath
from singletable.schema.model import MODELS

E = TypeVar("E")


def model_of_item(item: object) -> Model:
    """What an instance's entity declares."""
    if not isinstance(item, Entity) and type(item) not in MODELS:
        name = item.__name__ if isinstance(item, type) else None
        raise InvalidValue(
            "expected an item, an instance of an entity, but got "
            + (f"the class {name}. Make an item of it: {name}(…)." if name else f"{_shown(item)}.")
        )
    return model_of(type(item))


def check_address(address: object) -> None:
    """Refuse what is not the address of an item."""
    if isinstance(address, ItemKey):
        return
    if isinstance(address, Entity):
        name = type(address).__name__
        raise InvalidValue(
            f"expected an address, but got an item of {name}. Its address is "
            f"{name}.key(…), or key_of(item)."
        )
    raise InvalidValue(f"expected an address, as Entity.key(…) gives, but got {_shown(address)}.")


def addresses_of(addresses: Iterable[ItemKey[E]]) -> list[ItemKey[E]]:
    """The addresses, each looked at."""
    check_several("addresses", addresses)
    listed = list(addresses)
    for address in listed:
        check_address(address)
    return listed


def check_several(what: str, given: object) -> None:
    """Refuse one thing where several are expected."""
    if isinstance(given, ItemKey | Entity | str) or not isinstance(given, Iterable):
        raise InvalidValue(f"expected several {what}, in a list, but got {_shown(given)}.")  # pyright: ignore[reportUnknownArgumentType]


def check_table(table: object) -> None:
    """Refuse what is not a table, as its name is not."""
    if not isinstance(table, Table):
        raise InvalidValue(f"expected a Table as it is declared, but got {table!r}.")


def check_item(item: object) -> None:
    """Refuse what is not an item as it is stored."""
    if not isinstance(item, dict):
        raise InvalidValue(
            "expected an item as it is stored, such as {'PK': {'S': '…'}}, but got "
            f"{_shown(item)}."
        )


def check_selection(selection: object) -> None:
    """Refuse what a query cannot ask for."""
    if isinstance(selection, Selection):
        return
    if isinstance(selection, ItemKey):
        raise InvalidValue(
            f"{selection} is the address of one item. Read it with get(), or query its partition "
            "with key.partition(…)."
        )
    raise InvalidValue(
        "expected what a query asks for, as Entity.key.partition(…) or Entity.index(…) gives, but "
        f"got {_shown(selection)}."
    )


def check_taken(taken: object) -> None:
    """Refuse what is no unique value."""
    if not isinstance(taken, UniqueValue):
        raise InvalidValue(
            f"expected a unique value, as Entity.unique(…) gives, but got {_shown(taken)}."
        )


def check_collection(kind: object) -> None:
    """Refuse what is no class of collections."""
    if isinstance(kind, type) and issubclass(kind, Collection):
        return
    raise InvalidValue(f"expected a class of Collection, but got {str(kind)[:100]!r}.")  # pyright: ignore[reportUnknownArgumentType]


def check_amount(name: str, amount: object) -> None:
    """Refuse a number of items that is none."""
    if amount is None and name == "limit":
        return
    if not isinstance(amount, int) or isinstance(amount, bool) or amount < 1:
        raise InvalidValue(f"{name}: expected a whole number from 1 on, but got {amount!r}.")


def node_of(model: Model, condition: Condition[Any] | None) -> expressions.Condition | None:
    """The condition in DynamoDB's language; it must be about fields of this entity."""
    if condition is None:
        return None
    if not isinstance(condition, Condition):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValue(
            f"expected a condition on {model.name}, as {model.name}.field == value gives, but got "
            f"{_shown(condition)}."
        )
    for path in condition.fields:
        check_path(model, path)
    return condition.node()


def check_path(model: Model, path: object, *, in_key: bool = False) -> None:
    """Refuse the way to a value that items of this entity do not have."""
    root = path._root if isinstance(path, NestedPath) else path  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(root, Attr):
        raise InvalidValue(f"expected a field of {model.name}, but got {_shown(path)}.")  # pyright: ignore[reportUnknownArgumentType]
    if model.fields.get(root.name) is not root:
        _not_a_field(model, path)  # pyright: ignore[reportUnknownArgumentType]
    if not root.stored and not in_key:
        raise InvalidValue(
            f"{path} stands in the key alone (key_only=True), where no condition can look."
        )


def check_edits(model: Model, shown: object, edits: Iterable[Edit[Any]]) -> None:
    """Refuse changes that an item of this entity cannot have."""
    listed = list(edits)
    if not listed:
        raise InvalidValue(f"{shown}: an update needs at least one change.")
    for edit in listed:
        if not isinstance(edit, Edit):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValue(
                f"{shown}: expected changes, as {model.name}.field.set(…) gives, but got "
                f"{_shown(edit)}. A condition is given as if_=…."
            )
        field = model.fields.get(edit.field)
        if field is None or not f"{edit.shown}.".replace("[", ".").startswith(f"{field}."):
            _not_a_field(model, edit.shown)
        if edit.field in model.key.fields:
            raise InvalidValue(
                f"{edit.shown} is part of the primary key, which never changes. In a transaction, "
                "create an item with the new key and delete this one."
            )
        if field.role in ("version", "updated"):
            raise InvalidValue(f"{edit.shown} is set by the store with every write.")


def models_of(entities: Iterable[object]) -> list[Model]:
    """What some entities declare; at least one."""
    found = [model_of(one) if isinstance(one, type) else _no_entity(one) for one in entities]
    if not found:
        raise InvalidValue("expected at least one entity, but got none.")
    return found


def _not_a_field(model: Model, path: object) -> NoReturn:
    raise InvalidValue(
        f"{path} is not a field of {model.name}, which has {', '.join(model.fields)}."
    )


def _no_entity(given: object) -> NoReturn:
    raise DeclarationError(f"expected an entity, a class, but got {_shown(given)}.")


def _shown(value: object) -> str:
    return f"{str(value)[:100]!r} ({type(value).__name__})" if value is not None else "None"
