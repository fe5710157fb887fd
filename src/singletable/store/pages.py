"""What a query gives: instances, pages with a cursor, fields, collections of several entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, TypeVar, cast

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import holds, value_at
from singletable.retry import Steps
from singletable.schema import Collection, Condition, Model, Path, ResolvedKey, Selection, model_of
from singletable.store.batch import get_items
from singletable.store.context import Context
from singletable.store.cursor import query_of, seal, unseal
from singletable.store.held import held
from singletable.store.items import instance_of
from singletable.store.plan import key_of
from singletable.store.projected import check_picked, check_whole, told_by_key
from singletable.store.reading import Reading
from singletable.store.ttl import is_alive
from singletable.store.validation import check_collection, check_path, check_selection
from singletable.store.writes import place_of
from singletable.values import Item

E = TypeVar("E")
C = TypeVar("C", bound=Collection)


@dataclass(frozen=True, slots=True)
class Page(Generic[E]):
    """Some items, and a cursor for those after them; no cursor after the last."""

    items: list[E]
    cursor: str | None


def some_items(reading: Reading[E], most: int | None) -> Steps[list[E]]:
    """The next instances; none at the end."""
    items = yield from reading.next_items(most)
    return cast("list[E]", [instance_of(reading.model, item) for item in items])


def page(reading: Reading[E], size: int, cursor: str | None) -> Steps[Page[E]]:
    """One page of so many items, beginning where the cursor says."""
    secret, query = reading.context.cursor_secret, query_of(reading)
    if cursor is not None:
        reading.go_to(unseal(secret, query, cursor))
    # One more tells whether this page is the last, without another query.
    reading.ahead = 1
    items: list[Item] = []
    while len(items) < size:
        more = yield from reading.next_items(size - len(items))
        if not more:
            break
        items += more
    at_end = seal(secret, query, reading.positions())
    following = yield from reading.next_items(1)
    found = cast("list[E]", [instance_of(reading.model, item) for item in items])
    return Page(found, at_end if following else None)


def fetched(context: Context, reading: Reading[E], most: int | None) -> Steps[list[E]]:
    """The next instances, read whole from the table by the keys that an index has.

    The index follows the table a moment later: what has left the partition since is left out.
    """
    model, name = reading.model, context.table_name(reading.model.table)
    # Those that are gone are skipped: an empty answer would mean the end.
    while found := (yield from reading.next_items(most)):
        keys = [key_of(model, item) for item in found]
        wanted = {place_of(name, key): key for key in keys}
        items = yield from get_items(context, {name: model.table}, wanted, consistent=False)
        now = context.clock()
        there = [(entry, items.get(place_of(name, key_of(model, entry)))) for entry in found]
        whole = [
            instance_of(model, item)
            for entry, item in there
            if item is not None and is_alive(model, item, now) and _still_in(reading, entry, item)
        ]
        if whole:
            return cast("list[E]", whole)
    return []


def _still_in(reading: Reading[Any], entry: Item, item: Item) -> bool:
    """Whether an item is still in the partition of the index where its entry was found."""
    access = reading.selection.access
    if any(item.get(one.attribute.name) != entry[one.attribute.name] for one in access.pk):
        return False
    if any(one.attribute.name not in item for one in access.sk):
        return False
    return reading.where is None or holds(reading.where, item)


def picked(
    model: Model, paths: Sequence[tuple[Path[Any, Any], ResolvedKey | None]], item: Item
) -> tuple[Any, ...]:
    """What an item holds at some places, or what a key tells; None, or a default, where nothing."""
    values: list[object] = []
    for path, key in paths:
        place = path.document_path()
        if key is not None:
            values.append((key.parse(item) or {})[path.field])
        elif len(place) == 1:
            values.append(held(model, item, [path.field])[path.field])
        else:
            value = value_at(place, item)
            values.append(None if value is None else path.codec().decode(value))
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
    if not paths:
        raise InvalidValue("pick() expects at least one field.")
    for path in paths:
        check_path(reading.model, path, in_key=True)
    check_picked(reading.model, selection.access, tuple(paths))
    asked = {
        _projected(path.document_path())
        for path in paths
        if told_by_key(reading.model, selection.access, path.field) is None
    }
    asked |= {(name,) for name in reading.key_names()}
    # What is inside of something that is asked for comes with it.
    reading.paths = tuple(
        sorted(one for one in asked if not any(one[:end] in asked for end in range(1, len(one))))
    )
    return reading


def _projected(place: expressions.Path) -> expressions.Path:
    """The place without its elements of lists: one element alone would come as the first."""
    return tuple(takewhile(lambda step: isinstance(step, str), place))


def some_picked(
    reading: Reading[Any], paths: Sequence[Path[Any, Any]], most: int | None
) -> Steps[list[tuple[Any, ...]]]:
    """What the next items hold at some places."""
    items = yield from reading.next_items(most)
    model, access = reading.model, reading.selection.access
    told = [(path, told_by_key(model, access, path.field)) for path in paths]
    return [picked(model, told, item) for item in items]


def collect(
    context: Context,
    kind: type[C],
    selection: Selection[Any],
    *,
    consistent: bool,
) -> Steps[C]:
    """All items of a partition, sorted into the members of a collection."""
    check_collection(kind)
    check_selection(selection)
    models = [model_of(entity) for entity in kind.entities()]
    for model in models:
        _check_member(kind, model, selection)
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


def _check_member(kind: type[Collection], model: Model, selection: Selection[Any]) -> None:
    asked = model_of(selection.entity)
    if model.table is not asked.table:
        raise InvalidValue(
            f"{kind.__name__}: {model.name} is in {model.table!r}, and the partition in "
            f"{asked.table!r}."
        )
    check_whole(model, selection.access)
