"""What a query gives: instances, pages with a cursor, fields, collections of several entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from singletable.expressions import value_at
from singletable.schema import Collection, Condition, Model, Path, Selection, model_of
from singletable.store.alive import is_alive
from singletable.store.batch import get_items
from singletable.store.context import Context
from singletable.store.cursor import seal, unseal
from singletable.store.items import instance_of
from singletable.store.plan import key_of
from singletable.store.reading import Reading, projected
from singletable.store.steps import Steps
from singletable.values import Item

E = TypeVar("E")
C = TypeVar("C", bound=Collection)


@dataclass(frozen=True, slots=True)
class PageOf(Generic[E]):
    """Some items, and a cursor for those after them; no cursor after the last."""

    items: list[E]
    cursor: str | None


def some_items(reading: Reading[E], most: int | None) -> Steps[list[E]]:
    """The next instances; none at the end."""
    items = yield from reading.next_items(most)
    return cast("list[E]", [instance_of(reading.model, item) for item in items])


def page(reading: Reading[E], size: int, cursor: str | None) -> Steps[PageOf[E]]:
    """One page of so many items, beginning where the cursor says."""
    secret = reading.context.secret
    if cursor is not None:
        reading.go_to(unseal(secret, reading, cursor))
    items: list[Item] = []
    while len(items) < size:
        more = yield from reading.next_items(size - len(items))
        if not more:
            break
        items += more
    at_end = seal(secret, reading)
    following = yield from reading.next_items(1)
    found = cast("list[E]", [instance_of(reading.model, item) for item in items])
    return PageOf(found, at_end if following else None)


def fetched(context: Context, reading: Reading[E], most: int | None) -> Steps[list[E]]:
    """The next instances, read whole from the table by the keys that an index has."""
    found = yield from reading.next_items(most)
    if not found:
        return []
    keys = [key_of(reading.model, item) for item in found]
    items = yield from get_items(context, reading.model.table, keys, consistent=False)
    now = context.clock()
    alive = [item for item in items if item is not None and is_alive(reading.model, item, now)]
    if not alive:
        # All of them are gone since: go on, for an empty answer would mean the end.
        return (yield from fetched(context, reading, most))
    return cast("list[E]", [instance_of(reading.model, item) for item in alive])


def picked(model: Model, paths: Sequence[Path[Any, Any]], item: Item) -> tuple[Any, ...]:
    """What an item holds at some places; None, or a field's default, where it holds nothing."""
    values: list[object] = []
    for path in paths:
        held = value_at(path.place(), item)
        if held is not None:
            values.append(path.codec().decode(held))
            continue
        field = model.fields[path.field]
        whole = len(path.place()) == 1 and field.default is not None
        values.append(field.default() if whole and field.default is not None else None)
    return tuple(values)


def reading_of(
    context: Context,
    selection: Selection[E],
    paths: Sequence[Path[Any, Any]],
    where: Condition[E] | None,
    *,
    reverse: bool,
) -> Reading[E]:
    """A query that asks for some places, and for the keys by which it goes on."""
    reading = Reading(context, selection, where, reverse=reverse)
    asked = {path.place(): None for path in paths}
    whole = {place[0] for place in asked}
    names = reading.key_names()
    if reading.model.tag is not None:
        names.append(reading.model.tag[0])
    keys = {(name,): None for name in names if name not in whole}
    reading.paths = (*asked, *keys)
    return reading


def some_picked(
    reading: Reading[Any], paths: Sequence[Path[Any, Any]], most: int | None
) -> Steps[list[tuple[Any, ...]]]:
    """What the next items hold at some places."""
    items = yield from reading.next_items(most)
    return [picked(reading.model, paths, item) for item in items]


def collect(
    context: Context,
    kind: type[C],
    selection: Selection[Any],
    *,
    consistent: bool,
) -> Steps[C]:
    """All items of a partition, sorted into the members of a collection."""
    models = [model_of(entity) for entity in kind.entities()]
    found: dict[type, list[object]] = {model.entity: [] for model in models}
    reading = Reading(context, selection.whole_partition(), consistent=consistent, several=True)
    now = context.clock()
    while items := (yield from reading.next_items(None)):
        for item in items:
            for model in models:
                if model.matches(item):
                    if is_alive(model, item, now):
                        found[model.entity].append(instance_of(model, item))
                    break
    return kind.of(found)


def check_whole(reading: Reading[Any]) -> None:
    """Refuse to make whole items of what an index has only in part."""
    projected(reading.model, reading.selection)
