"""A draft put to the proof: it is run, and each item is read and written again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema import DeclarationWarning, model_of
from singletable.values import AttributeValue, Item, type_of

# The name that a draft is run under; it is no module that could be imported.
MODULE = "singletable drafts"


def run(source: str, names: dict[str, Any]) -> None:
    """Run a piece of a draft among the names that earlier ones have left."""
    names["__name__"] = MODULE
    code = compile(source, "<draft>", "exec", dont_inherit=True)
    with warnings.catch_warnings():
        # That two entities may meet in an index was so in the table already.
        warnings.simplefilter("ignore", DeclarationWarning)
        exec(code, names)


def why_not(entity: type, items: Sequence[Item]) -> str | None:
    """Why the entity does not hold the items as they are; None if it does."""
    model = model_of(entity)
    keys = [one.name for one in model.table.all_key_attributes()]
    for item in items:
        try:
            if not model.matches(item):
                return f"{_shown(item, keys[:2])} is not of its shape"
            instance: object = model.instance(item)
            again = model.item(vars(instance))
        except (ItemMismatch, InvalidValue) as problem:
            return f"{_shown(item, keys[:2])}: {problem}"
        for name in keys:
            if again.get(name) != item.get(name):
                return (
                    f"singletable would write {name} as {_plain(again.get(name))}, and the table "
                    f"has {_plain(item.get(name))}."
                )
        changed = _changed(item, again)
        if changed is not None:
            return f"{_shown(item, keys[:2])}: {changed!r} would not be written as it was"
    return None


def makes_markers(entity: type, items: Sequence[Item], markers: Sequence[Item]) -> bool:
    """Whether the newest unique value of the entity gives its items just these markers."""
    model = model_of(entity)
    unique = list(model.uniques.values())[-1]
    keys = [one.name for one in model.table.key_attributes]
    made: list[Item] = []
    for item in items:
        instance: object = model.instance(item)
        key = unique.key(vars(instance))
        if key is not None:
            made.append(unique.item(key, {name: item[name] for name in keys}, item))
    return all(marker in made for marker in markers)


def _changed(item: Item, again: Item) -> str | None:
    """The first attribute that is not the same; one that is null may be absent."""
    for name in {**item, **again}:
        was, now = item.get(name), again.get(name)
        if was is not None and "NULL" in was and now is None:
            continue
        if was is None or now is None or not _same(was, now):
            return name
    return None


def _same(was: AttributeValue, now: AttributeValue) -> bool:
    """Whether two values are equal: numbers as numbers, sets in any order."""
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
            return len(members) == len(others) and all(map(_same, members, others))
        case {"M": members}:
            held = cast(Mapping[str, AttributeValue], now["M"])
            return members.keys() == held.keys() and all(
                _same(value, held[name]) for name, value in members.items()
            )
        case _:
            return was == now


def _plain(held: AttributeValue | None) -> str:
    return "nothing" if held is None else repr(next(iter(held.values())))


def _shown(item: Item, keys: Sequence[str]) -> str:
    return " / ".join(_plain(item[name]).strip("'") for name in keys if name in item)
