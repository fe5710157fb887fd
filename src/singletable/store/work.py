"""Everything a store can be asked, once for both faces: the work itself, and what it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from singletable.retry import NextItems, Steps
from singletable.schema import Collection, Condition, Edit, ItemKey, Path, Selection, UniqueValue
from singletable.store import batch, changes, items, pages, transaction
from singletable.store.calls import (
    CallShape,
    about_addresses,
    about_all,
    about_collection,
    about_items,
    about_selection,
    about_unique,
    about_update,
    observed,
    observers_of,
)
from singletable.store.changes import Changes
from singletable.store.context import Context
from singletable.store.items import State
from singletable.store.pages import Page
from singletable.store.projected import check_whole
from singletable.store.reading import Reading
from singletable.store.validation import addresses_of, check_amount, check_several

E = TypeVar("E")
K = TypeVar("K", bound=Collection)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Work(Generic[R]):
    """Steps to take, and the question they answer, put together if somebody observes."""

    steps: Steps[R]
    question: Callable[[], CallShape]


@dataclass(frozen=True, slots=True)
class Series(Generic[R]):
    """Work that gives some more each time, until it gives nothing."""

    more: NextItems[R]
    limit: int | None
    question: Callable[[], CallShape]

    def after(self, given: int) -> Work[list[R]] | None:
        """The next of it, when so many were given; None if no more are wanted."""
        if self.limit is not None and given >= self.limit:
            return None
        left = None if self.limit is None else self.limit - given
        return Work(self.more(left), self.question)


def told(context: Context, work: Work[R], *, continued: bool) -> Steps[R]:
    """The steps of a work; the store's observers are told of them."""
    observers = observers_of(context.observers)
    if not observers:
        return work.steps
    return observed(work.steps, work.question(), observers, continued=continued)


def get(context: Context, address: ItemKey[E], *, consistent: bool) -> Work[E | None]:
    """The item at an address."""
    steps = items.get(context, address, consistent=consistent)
    return Work(steps, lambda: about_addresses("get", address, consistent=consistent))


def find(context: Context, taken: UniqueValue[E]) -> Work[E | None]:
    """The item that has a unique value."""
    steps = items.find(context, taken)
    return Work(steps, lambda: about_unique(taken))


def create(context: Context, item: E, if_: Condition[E] | None) -> Work[E]:
    """Store an item that is not there yet."""
    return Work(
        items.create(context, item, if_), lambda: about_items("create", item, kind="create")
    )


def put(context: Context, item: E, if_: Condition[E] | None) -> Work[E]:
    """Store an item in place of the one with its key, if there is one."""
    return Work(
        items.put(context, item, if_, must_exist=False),
        lambda: about_items("put", item, kind="put"),
    )


def replace(context: Context, item: E, if_: Condition[E] | None) -> Work[E]:
    """Store an item in place of one that is there."""
    return Work(
        items.put(context, item, if_, must_exist=True),
        lambda: about_items("replace", item, kind="put"),
    )


def update(
    context: Context,
    address: ItemKey[E],
    edits: Sequence[Edit[E]],
    if_: Condition[E] | None,
    returning: State,
) -> Work[E]:
    """Change some fields of an item that is there."""
    return Work(
        items.update(context, address, edits, if_, returning), lambda: about_update(address, edits)
    )


def delete(context: Context, address: ItemKey[E], if_: Condition[E] | None) -> Work[E | None]:
    """Remove an item and give back what was there."""
    steps = items.delete(context, address, if_)
    return Work(steps, lambda: about_addresses("delete", address, kind="delete"))


def get_many(
    context: Context, addresses: Iterable[ItemKey[E]], *, consistent: bool
) -> Work[list[E | None]]:
    """The items at some addresses, in their order."""
    asked = addresses_of(addresses)
    return Work(
        batch.get_many(context, asked, consistent=consistent),
        lambda: about_addresses("get_many", *asked, consistent=consistent),
    )


def put_many(context: Context, given: Iterable[object]) -> Work[None]:
    """Store many items, each in place of the one with its key."""
    check_several("items", given)
    listed = list(given)
    return Work(
        batch.put_many(context, listed), lambda: about_items("put_many", *listed, kind="put")
    )


def delete_many(context: Context, addresses: Iterable[ItemKey[Any]]) -> Work[None]:
    """Remove many items, if they are there."""
    asked = addresses_of(addresses)
    return Work(
        batch.delete_many(context, asked),
        lambda: about_addresses("delete_many", *asked, kind="delete"),
    )


def query(
    context: Context,
    selection: Selection[E],
    where: Condition[E] | None,
    limit: int | None,
    *,
    reverse: bool,
    consistent: bool,
) -> Series[E]:
    """The items of a selection, in order."""
    reading = Reading(context, selection, where, reverse=reverse, consistent=consistent)
    check_whole(reading.model, selection.access)
    check_amount("limit", limit)
    return Series(
        lambda most: pages.some_items(reading, most),
        limit,
        lambda: about_selection("query", selection, consistent=consistent),
    )


def hydrate(
    context: Context,
    selection: Selection[E],
    where: Condition[E] | None,
    limit: int | None,
    *,
    reverse: bool,
) -> Series[E]:
    """The items of an index that does not hold them whole."""
    reading = Reading(context, selection, where, reverse=reverse)
    check_amount("limit", limit)
    return Series(
        lambda most: pages.fetched(context, reading, most),
        limit,
        lambda: about_selection("fetch", selection),
    )


def page(
    context: Context,
    selection: Selection[E],
    size: int,
    cursor: str | None,
    where: Condition[E] | None,
    *,
    reverse: bool,
    consistent: bool,
) -> Work[Page[E]]:
    """One page, and a cursor for the next."""
    reading = Reading(context, selection, where, reverse=reverse, consistent=consistent)
    check_whole(reading.model, selection.access)
    check_amount("size", size)
    return Work(
        pages.page(reading, size, cursor),
        lambda: about_selection("page", selection, consistent=consistent),
    )


def count(
    context: Context, selection: Selection[E], where: Condition[E] | None, *, consistent: bool
) -> Work[int]:
    """How many items there are, on all pages."""
    reading = Reading(context, selection, where, consistent=consistent)
    return Work(reading.count(), lambda: about_selection("count", selection, consistent=consistent))


def collect(
    context: Context, kind: type[K], selection: Selection[Any], *, consistent: bool
) -> Work[K]:
    """All items of a partition, of several entities."""
    return Work(
        pages.collect(context, kind, selection, consistent=consistent),
        lambda: about_collection(kind, selection, consistent=consistent),
    )


def select(
    context: Context,
    selection: Selection[E],
    paths: Sequence[Path[E, Any]],
    where: Condition[E] | None,
    limit: int | None,
    *,
    reverse: bool,
) -> Series[tuple[Any, ...]]:
    """Some fields of the items of a selection."""
    reading = pages.reading_of(context, selection, paths, where, reverse=reverse)
    check_amount("limit", limit)
    return Series(
        lambda most: pages.some_picked(reading, paths, most),
        limit,
        lambda: about_selection("pick", selection),
    )


def transact_get(context: Context, addresses: tuple[ItemKey[Any], ...]) -> Work[tuple[Any, ...]]:
    """Items as they stood at one moment."""
    return Work(
        transaction.transact_get(context, addresses),
        lambda: about_addresses("transact_get", *addresses, consistent=True),
    )


def read_changes(
    context: Context, entities: tuple[type[Any], ...], after: int | None, limit: int
) -> Work[Changes[Any]]:
    """What was written after a position of the feed."""
    return Work(
        changes.read_changes(context, entities, after, limit),
        lambda: about_all("changes", *entities, kind="feed"),
    )
