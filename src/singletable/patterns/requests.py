"""The requests that a pattern makes, read from the declaration: for documents, prices and policies.

A write that concerns several items is one transaction: markers of unique values and counts are
written with what they belong to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from singletable.patterns.pattern import FeedPattern, Pattern, ReadPattern
from singletable.patterns.words import address_words, partition_words, selection_words
from singletable.schema import Access, Index, Model, Selection, Table, model_of
from singletable.store import EntityAccess
from singletable.store.plan import reads_before_create, reads_before_delete, reads_before_put
from singletable.store.plan_update import may_read

Action: TypeAlias = Literal[
    "GetItem",
    "Query",
    "Scan",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "ConditionCheckItem",
    "GetRecords",
]


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that DynamoDB is asked to do.

    `access` is the key that it goes by, `of` the entity or the marker that it is about, `edited`
    the fields that it changes. `together` says that it is part of a transaction, `perhaps` that it
    depends on the values, `consistent` that it always reads what stands there at the moment.
    """

    action: Action
    table: Table
    access: Access
    condition: str
    of: str
    entity: type
    edited: frozenset[str] = frozenset()
    together: bool = False
    perhaps: bool = False
    consistent: bool = False

    @property
    def index(self) -> Index | None:
        """The index that is read, if one is."""
        return self.access.index

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return self.action in ("GetItem", "Query", "Scan", "GetRecords")


def requests_of(pattern: Pattern) -> tuple[Request, ...]:
    """What a pattern asks of DynamoDB, in the order in which it does."""
    sample = pattern.sample if isinstance(pattern, ReadPattern) else None
    made = [request for touch in pattern.touches for request in _requests(touch, sample)]
    if isinstance(pattern, ReadPattern) and pattern.collects is not None:
        return tuple(made[:1])  # One query brings them all.
    if isinstance(pattern, FeedPattern):
        return tuple({request.table: request for request in reversed(made)}.values())[::-1]
    writes = sum(not request.reads for request in made)
    return tuple(_joined(request, together=writes > 1) for request in made)


def _joined(request: Request, *, together: bool) -> Request:
    return replace(request, together=together and not request.reads)


def _requests(touch: EntityAccess, sample: object) -> list[Request]:
    model = model_of(touch.entity)
    match touch.kind:
        case "get":
            return [_item("GetItem", model)]
        case "find":
            marker = model.uniques[touch.access]
            found = [_marked("GetItem", model, marker.access), _item("GetItem", model)]
            return [replace(request, consistent=True) for request in found]
        case "query":
            return [_query(model, cast("Selection[Any]", sample))]
        case "collect":
            access = model.key if touch.access == model.key.name else model.indexes[touch.access]
            return [
                Request(
                    "Query", model.table, access, partition_words(access), model.name, model.entity
                )
            ]
        case "scan":
            return [Request("Scan", model.table, model.key, "everything", model.name, model.entity)]
        case "feed":
            return [
                Request(
                    "GetRecords", model.table, model.key, "the stream", model.name, model.entity
                )
            ]
        case "create":
            read = _read(model, needed=reads_before_create(model))
            return [*read, _item("PutItem", model), *_companions(model, "take")]
        case "put":
            read = _read(model, needed=reads_before_put(model))
            looks = [_looked(model, marker.access) for marker in model.uniques.values()]
            return [*read, *looks, _item("PutItem", model), *_companions(model, "change")]
        case "update":
            return _update(model, set(touch.edited) or set(model.fields))
        case "delete":
            read = _read(model, needed=reads_before_delete(model))
            return [*read, _item("DeleteItem", model), *_companions(model, "give up")]
        case "check":
            return [_item("ConditionCheckItem", model)]


def _query(model: Model, selection: Selection[Any]) -> Request:
    return _request("Query", model, selection.access, selection_words(selection))


def _update(model: Model, edited: set[str]) -> list[Request]:
    read = _read(model, needed=may_read(model, edited))
    main = replace(_item("UpdateItem", model), edited=frozenset(edited))
    return [*read, main, *_companions(model, "change", edited)]


def _companions(
    model: Model, how: Literal["take", "change", "give up"], edited: set[str] | None = None
) -> list[Request]:
    """What keeps markers and counts right; only some, if only some fields are edited."""
    perhaps = how == "change"
    found: list[Request] = []
    for marker in model.uniques.values():
        copied = set(marker.copies.values())
        takes = edited is None or edited & set(marker.fields)
        copies = {name for name, field in model.fields.items() if field.attribute in copied}
        if how != "give up" and (takes or (edited is not None and edited & copies)):
            found.append(_marked("PutItem", model, marker.access, perhaps=perhaps))
        if how != "take" and takes:
            action: Action = "PutItem" if marker.history else "DeleteItem"
            found.append(_marked(action, model, marker.access, perhaps=perhaps))
    counts = [
        _item("UpdateItem", model_of(count.entity), perhaps=perhaps)
        for count in model.counts.values()
        if edited is None or edited & set(count.fields)
    ]
    return found + counts


def _read(model: Model, *, needed: bool) -> list[Request]:
    return [replace(_item("GetItem", model), consistent=True)] if needed else []


def _looked(model: Model, access: Access) -> Request:
    """Whether a value that stays the same has its marker."""
    return replace(_marked("GetItem", model, access, perhaps=True), consistent=True)


def _item(action: Action, model: Model, *, perhaps: bool = False) -> Request:
    request = _request(action, model, model.key, address_words(model.key))
    return replace(request, perhaps=perhaps)


def _request(action: Action, model: Model, access: Access, condition: str) -> Request:
    return Request(action, model.table, access, condition, model.name, model.entity)


def _marked(action: Action, model: Model, access: Access, *, perhaps: bool = False) -> Request:
    of, words = f"marker of {access}", address_words(access)
    return Request(action, model.table, access, words, of, model.entity, perhaps=perhaps)
