"""Verify generated source: execute it, then decode and encode every item with it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from dynamodb_engine.values import AttributeValue, Item, type_of
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema import DeclarationWarning, model_of

# The module name of generated classes; no module of this name can be imported.
MODULE_NAME = "singletable introspection"


def run_source(source: str, names: dict[str, Any]) -> None:
    """Execute a piece of generated source in the namespace `names`."""
    names["__name__"] = MODULE_NAME
    code = compile(source, "<introspection>", "exec", dont_inherit=True)
    with warnings.catch_warnings():
        # Entities may overlap in an index; the existing table already has that.
        warnings.simplefilter("ignore", DeclarationWarning)
        exec(code, names)


def find_mismatch(entity: type, items: Sequence[Item]) -> str | None:
    """Return why the entity does not decode and encode the items unchanged, or None."""
    model = model_of(entity)
    keys = [one.name for one in model.table.all_key_attributes()]
    for item in items:
        try:
            if not model.matches(item):
                return f"{_key_of(item, keys[:2])} does not match the entity"
            again = model.item(model.values(item))
        except (ItemMismatch, InvalidValue) as problem:
            return f"{_key_of(item, keys[:2])}: {problem}"
        for name in keys:
            if again.get(name) != item.get(name):
                return (
                    f"singletable would write {name} as {_value_text(again.get(name))}, but the "
                    f"table has {_value_text(item.get(name))}."
                )
        changed = _first_difference(item, again)
        if changed is not None:
            return f"{_key_of(item, keys[:2])}: {changed!r} would be written differently"
    return None


def produces_markers(entity: type, items: Sequence[Item], markers: Sequence[Item]) -> bool:
    """Return whether the newest unique constraint of the entity writes these markers."""
    model = model_of(entity)
    unique = list(model.uniques.values())[-1]
    keys = [one.name for one in model.table.key_attributes]
    made: list[Item] = []
    for item in items:
        key = unique.key(model.values(item))
        if key is not None:
            made.append(unique.item(key, {name: item[name] for name in keys}, item))
    return all(marker in made for marker in markers)


def _first_difference(item: Item, again: Item) -> str | None:
    """Return the first attribute that differs; a NULL may be absent."""
    for name in {**item, **again}:
        was, now = item.get(name), again.get(name)
        if was is not None and "NULL" in was and now is None:
            continue
        if was is None or now is None or not _are_equal(was, now):
            return name
    return None


def _are_equal(was: AttributeValue, now: AttributeValue) -> bool:
    """Return whether two values are equal: numbers numerically, sets in any order."""
    if type_of(was) != type_of(now):
        return False
    match was:
        case {"N": number}:
            return Decimal(number) == Decimal(now["N"])
        case {"NS": numbers}:
            return {*map(Decimal, numbers)} == {*map(Decimal, now["NS"])}
        case {"SS": texts}:
            return {*texts} == {*now["SS"]}
        case {"BS": texts}:
            return {*texts} == {*now["BS"]}
        case {"L": members}:
            others = now["L"]
            return len(members) == len(others) and all(map(_are_equal, members, others))
        case {"M": members}:
            held = cast(Mapping[str, AttributeValue], now["M"])
            return members.keys() == held.keys() and all(
                _are_equal(value, held[name]) for name, value in members.items()
            )
        case _:
            return was == now


def _value_text(value: AttributeValue | None) -> str:
    return "nothing" if value is None else repr(next(iter(value.values())))


def _key_of(item: Item, keys: Sequence[str]) -> str:
    return " / ".join(_value_text(item[name]).strip("'") for name in keys if name in item)
