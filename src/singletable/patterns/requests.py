"""List the requests that an access pattern sends, for docs, cost estimates and IAM policies.

A write of several items is one transaction: the markers of unique values and the counters are
written together with the item. Key conditions are shown with templates instead of values:
`PK = ELECTION#{election} and SK begins with BALLOT#`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from singletable.patterns.pattern import FeedPattern, Pattern, ReadPattern
from singletable.schema import Index, Model, ResolvedKey, Selection, Table, model_of
from singletable.schema.key_template import FieldSegment
from singletable.schema.resolved_key import Column, TextColumn
from singletable.store import EntityAccess
from singletable.store.plan import (
    may_read_before_update,
    reads_before_delete,
    reads_before_put,
)

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

_COMPARISONS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request, or one action of a transaction, that a pattern sends to DynamoDB.

    `access` is the key that it uses, `subject` the entity or marker, and `edited_fields` the fields
    that it changes. An action of a transaction is `in_transaction`. A `conditional` request is sent
    only for some values, and a `consistent` one is always strongly consistent.
    """

    action: Action
    table: Table
    access: ResolvedKey
    condition: str
    subject: str
    entity: type
    edited_fields: frozenset[str] = frozenset()
    in_transaction: bool = False
    conditional: bool = False
    consistent: bool = False

    @property
    def index(self) -> Index | None:
        """The index that the request reads, or None for the table."""
        return self.access.index

    @property
    def is_read(self) -> bool:
        """Whether the request reads."""
        return self.action in ("GetItem", "Query", "Scan", "GetRecords")


def planned_requests(pattern: Pattern) -> tuple[PlannedRequest, ...]:
    """Return the requests that a call of the pattern sends, in order."""
    sample = pattern.sample if isinstance(pattern, ReadPattern) else None
    requests = [request for access in pattern.accesses for request in _requests(access, sample)]
    if isinstance(pattern, ReadPattern) and pattern.collection is not None:
        return tuple(requests[:1])  # one query reads the items of all entities
    if isinstance(pattern, FeedPattern):
        return tuple({request.table: request for request in reversed(requests)}.values())[::-1]
    in_transaction = sum(not request.is_read for request in requests) > 1
    return tuple(
        replace(request, in_transaction=in_transaction and not request.is_read)
        for request in requests
    )


def _requests(access: EntityAccess, sample: object) -> list[PlannedRequest]:
    model = model_of(access.entity)
    match access.kind:
        case "get":
            return [_on_item("GetItem", model)]
        case "find":
            marker = model.uniques[access.key_name]
            gets = [_on_marker("GetItem", model, marker.access), _on_item("GetItem", model)]
            return [replace(request, consistent=True) for request in gets]
        case "query":
            selection = cast("Selection[Any]", sample)
            return [_request("Query", model, selection.access, selection_condition(selection))]
        case "collect":
            # The key of the entity by which the partition is named; others may name it differently.
            selection = cast("Selection[Any]", sample)
            return [_request("Query", model, selection.access, collection_condition(selection))]
        case "scan":
            return [_request("Scan", model, model.key, "everything")]
        case "feed":
            return [_request("GetRecords", model, model.key, "the stream")]
        case "create":
            return [_on_item("PutItem", model), *_side_writes(model, "create")]
        case "put":
            read = _read_first(model, needed=reads_before_put(model))
            markers = [_read_marker(model, marker.access) for marker in model.uniques.values()]
            return [*read, *markers, _on_item("PutItem", model), *_side_writes(model, "change")]
        case "update":
            edited = set(access.edited_fields) or set(model.fields)
            read = _read_first(model, needed=may_read_before_update(model, edited))
            update = replace(_on_item("UpdateItem", model), edited_fields=frozenset(edited))
            return [*read, update, *_side_writes(model, "change", edited)]
        case "delete":
            read = _read_first(model, needed=reads_before_delete(model))
            return [*read, _on_item("DeleteItem", model), *_side_writes(model, "delete")]
        case "check":
            return [_on_item("ConditionCheckItem", model)]


def _side_writes(
    model: Model, change: Literal["create", "change", "delete"], edited: set[str] | None = None
) -> list[PlannedRequest]:
    """Return the writes of markers and counters; `edited` are the fields of an update."""
    conditional = change == "change"
    requests: list[PlannedRequest] = []
    for marker in model.uniques.values():
        attributes = set(marker.copies.values())
        copied = {name for name, field in model.fields.items() if field.attribute in attributes}
        is_moved = edited is None or edited & set(marker.fields)
        is_rewritten = is_moved or (edited is not None and edited & copied)
        if change != "delete" and is_rewritten:
            requests.append(_on_marker("PutItem", model, marker.access, conditional=conditional))
        if change != "create" and is_moved:
            action: Action = "PutItem" if marker.keep_released else "DeleteItem"
            requests.append(_on_marker(action, model, marker.access, conditional=conditional))
    counters = [
        _on_item("UpdateItem", model_of(count.entity), conditional=conditional)
        for count in model.counts.values()
        if edited is None or edited & set(count.fields)
    ]
    return requests + counters


def _read_first(model: Model, *, needed: bool) -> list[PlannedRequest]:
    return [replace(_on_item("GetItem", model), consistent=True)] if needed else []


def _read_marker(model: Model, access: ResolvedKey) -> PlannedRequest:
    """Return the read that checks whether an unchanged value has its marker."""
    return replace(_on_marker("GetItem", model, access, conditional=True), consistent=True)


def _on_item(action: Action, model: Model, *, conditional: bool = False) -> PlannedRequest:
    request = _request(action, model, model.key, full_key_condition(model.key))
    return replace(request, conditional=conditional)


def _on_marker(
    action: Action, model: Model, access: ResolvedKey, *, conditional: bool = False
) -> PlannedRequest:
    request = _request(action, model, access, full_key_condition(access))
    return replace(request, subject=f"marker of {access}", conditional=conditional)


def _request(action: Action, model: Model, access: ResolvedKey, condition: str) -> PlannedRequest:
    return PlannedRequest(action, model.table, access, condition, model.name, model.entity)


def full_key_condition(access: ResolvedKey) -> str:
    """Return the condition on the whole key."""
    return " and ".join(f"{one.attribute.name} = {key_template(one)}" for one in access.columns)


def partition_condition(access: ResolvedKey) -> str:
    """Return the condition on the partition key."""
    return " and ".join(f"{one.attribute.name} = {key_template(one)}" for one in access.pk)


def selection_condition(selection: Selection[Any]) -> str:
    """Return the key condition of a query."""
    access = selection.access
    clauses = [partition_condition(access)]
    for column in access.sk:
        clause = _sort_key_clause(column, selection)
        if clause is None:
            break
        clauses.append(f"{column.attribute.name} {clause}")
        if any(name not in selection.values for name in column.parameters):
            break
    return " and ".join(clauses)


def collection_condition(selection: Selection[Any]) -> str:
    """Return the key condition of a query for a collection."""
    if selection.range is not None:
        return selection_condition(selection)
    clauses = [partition_condition(selection.access)]
    for column in selection.all_entities().narrowed_columns():
        name, template = column.attribute.name, key_template(column)
        given = [f"{{{one}}}" for one in column.parameters if one in selection.values]
        if isinstance(column, TextColumn) and given:
            end = template.rindex(given[-1]) + len(given[-1])
            clauses.append(f"{name} between {template[:end]} and {template[:end]}$")
        else:
            clauses.append(f"{name} = {template}")
    return " and ".join(clauses)


def key_template(column: Column) -> str:
    """Return the template of a key attribute, or the field in braces."""
    return str(column.template) if isinstance(column, TextColumn) else f"{{{column.field}}}"


def _sort_key_clause(column: Column, selection: Selection[Any]) -> str | None:
    missing = [name for name in column.parameters if name not in selection.values]
    if not missing:
        return f"= {key_template(column)}"
    prefix = _template_prefix(column, missing[0])
    if selection.range is None:
        return f"begins with {prefix}" if prefix else None
    bound = f"{prefix}{{{missing[0]}}}"
    match selection.range.comparison:
        case "between":
            return f"between {prefix}{{low}} and {prefix}{{high}}"
        case "begins_with":
            return f"begins with {bound}"
        case comparison:
            return f"{_COMPARISONS[comparison]} {bound}"


def _template_prefix(column: Column, field: str) -> str:
    """Return the template up to a field, with the separator before it."""
    if not isinstance(column, TextColumn):
        return ""
    texts = str(column.template).split("#")
    for at, segment in enumerate(column.template.segments):
        if isinstance(segment, FieldSegment) and segment.field == field:
            return "".join(f"{text}#" for text in texts[:at])
    return ""
