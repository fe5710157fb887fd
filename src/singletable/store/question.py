"""What is asked of a store, as a value: so that a call can be recognized, counted and priced.

It says which items a call is about and how they are found, never their values: two calls of one
access pattern are the same question.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from singletable.schema import Collection, Edit, ItemKey, Selection, UniqueValue, model_of

Kind: TypeAlias = Literal[
    "get", "find", "query", "collect", "create", "put", "update", "delete", "check", "scan", "feed"
]


class Named(Protocol):
    """An access pattern, of which a store knows the name alone."""

    @property
    def id(self) -> str:
        """The name by which it is known among all catalogs."""
        ...


@dataclass(frozen=True, slots=True)
class EntityAccess:
    """One thing that a call does to items of one entity.

    `access` names the key that a query goes by, or the unique value of a look-up; `given` are the
    fields whose values it is called with, and `ranged` the one that is bounded. `edited` are the
    fields that an update changes.
    """

    kind: Kind
    entity: type
    access: str = ""
    given: tuple[str, ...] = ()
    ranged: str | None = None
    edited: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CallShape:
    """A call of a store's method, without the values it was called with.

    `patterns` are the access patterns that its arguments were made by.
    """

    verb: str
    touches: tuple[EntityAccess, ...]
    patterns: frozenset[str] = frozenset()
    consistent: bool = False


def about_items(verb: str, *items: object, kind: Kind) -> CallShape:
    """A call that stores items."""
    touches = dict.fromkeys(EntityAccess(kind, type(item)) for item in items)
    return CallShape(verb, tuple(touches))


def about_addresses(
    verb: str, *addresses: ItemKey[Any], kind: Kind = "get", consistent: bool = False
) -> CallShape:
    """A call that goes to items by their keys."""
    touches = dict.fromkeys(EntityAccess(kind, address.entity) for address in addresses)
    return CallShape(verb, tuple(touches), _patterns(addresses), consistent)


def about_update(address: ItemKey[Any], edits: Iterable[Edit[Any]]) -> CallShape:
    """A call that changes fields of an item."""
    return CallShape("update", (update_touch(address, edits),), _patterns([address]))


def about_unique(taken: UniqueValue[Any]) -> CallShape:
    """A call that finds the owner of a unique value."""
    touch = EntityAccess(
        "find", taken.entity, taken.unique, model_of(taken.entity).uniques[taken.unique].fields
    )
    return CallShape("find", (touch,), _patterns([taken]), consistent=True)


def about_selection(verb: str, selection: Selection[Any], *, consistent: bool = False) -> CallShape:
    """A call that queries."""
    return CallShape(verb, (query_touch(selection),), _patterns([selection]), consistent)


def about_collection(
    kind: type[Collection], selection: Selection[Any], *, consistent: bool
) -> CallShape:
    """A call that reads items of several entities by one query."""
    return CallShape(
        "collect", collect_touches(kind, selection), _patterns([selection]), consistent
    )


def about_all(verb: str, *entities: type, kind: Kind) -> CallShape:
    """A call that reads whatever there is."""
    return CallShape(verb, tuple(EntityAccess(kind, entity) for entity in entities))


def about_table(verb: str) -> CallShape:
    """A call of an operator, which is about a table and no access pattern."""
    return CallShape(verb, ())


def query_touch(selection: Selection[Any]) -> EntityAccess:
    """What a query does."""
    access = selection.access
    asked = (*access.pk_fields, *access.sk_fields)
    given = tuple(name for name in asked if name in selection.values)
    ranged = None
    if selection.range is not None:
        ranged = next(name for name in access.sk_fields if name not in selection.values)
    return EntityAccess("query", selection.entity, access.name, given, ranged)


def collect_touches(kind: type[Collection], selection: Selection[Any]) -> tuple[EntityAccess, ...]:
    """What reading a collection does: the partition is read whole."""
    access = selection.access
    return tuple(
        EntityAccess("collect", entity, access.name, access.pk_fields) for entity in kind.entities()
    )


def update_touch(address: ItemKey[Any], edits: Iterable[Edit[Any]]) -> EntityAccess:
    """What an update does."""
    edited = frozenset(edit.field for edit in edits)
    return EntityAccess("update", address.entity, edited=edited)


def _patterns(
    made: Iterable[ItemKey[Any] | Selection[Any] | UniqueValue[Any]],
) -> frozenset[str]:
    return frozenset(one.pattern for one in made if one.pattern is not None)
