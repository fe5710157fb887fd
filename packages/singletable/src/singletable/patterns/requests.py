"""List the requests that an access pattern sends, for docs, cost estimates and IAM policies.

A write of several items is one transaction: the markers of unique values and the counters are
written together with the item. Key conditions are shown with templates instead of values:
`PK = ELECTION#{election} and SK begins with BALLOT#`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, cast

from singletable.patterns.pattern import FeedPattern, Pattern, ReadPattern, WritePattern
from singletable.schema import (
    Counter,
    Index,
    Model,
    ResolvedKey,
    Selection,
    Table,
    UniqueConstraint,
    may_share_partition,
    model_of,
)
from singletable.schema.resolved_key import Column, TextColumn
from singletable.store import EntityAccess, update_effects
from singletable.store.batch import is_batchable
from singletable.store.decoder import missing_fields
from singletable.store.side_writes import marker_fields

Action: TypeAlias = Literal[
    "GetItem",
    "BatchGetItem",
    "Query",
    "Scan",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "ConditionCheckItem",
    "BatchWriteItem",
    "GetRecords",
]

# Whether a request is always sent, for some values, or never.
_Need: TypeAlias = Literal["always", "if needed", False]

# The entity with a counter, the fields with the key of its item, and the amount that is added.
_CounterId: TypeAlias = tuple[type, tuple[str, ...], int]

_COMPARISONS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request, or one action of a transaction, that a pattern sends to DynamoDB.

    `access` is the key that it uses, `subject` the entity or marker, and `edited_fields` the fields
    that it changes. An action of a transaction is `in_transaction`. A `conditional` request is sent
    only for some values, and a `consistent` one is always strongly consistent. An `alternative` is
    sent instead of the write of the same item. A `likely` request is part of a typical call: one
    that finds the item, and changes the fields that the pattern declares to new values. `values`
    are optional unique or counted values, by entity and name of the constraint or count: the
    request is sent if the item has one of them, or always if there are none.
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
    alternative: bool = False
    likely: bool = True
    values: tuple[tuple[type, str], ...] = ()

    @property
    def index(self) -> Index | None:
        """The index that the request reads, or None for the table."""
        return self.access.index

    @property
    def is_read(self) -> bool:
        """Whether the request reads."""
        return self.action in ("GetItem", "BatchGetItem", "Query", "Scan", "GetRecords")


def planned_requests(
    pattern: Pattern, models: Mapping[type, Model] | None = None
) -> tuple[PlannedRequest, ...]:
    """Return the requests that a call of the pattern sends, in order.

    `models` replaces the models of entities that are written, as if they were declared so.
    """
    sample = pattern.sample if isinstance(pattern, ReadPattern) else None
    if isinstance(pattern, WritePattern):
        is_single = pattern.expected.items <= 1
        return _write_requests(pattern.accesses, models or {}, is_single=is_single)
    requests = [request for access in pattern.accesses for request in _reads(access, sample)]
    if isinstance(pattern, ReadPattern) and pattern.collection is not None:
        return tuple(requests[:1])  # one query reads the items of all entities
    if need := hydration(pattern):
        get = _on_item("BatchGetItem", model_of(pattern.accesses[0].entity))
        requests.append(replace(get, conditional=need == "if needed"))
    if isinstance(pattern, FeedPattern):
        return tuple({request.table: request for request in reversed(requests)}.values())[::-1]
    return tuple(requests)


def hydration(pattern: Pattern) -> _Need:
    """Return whether calls of the pattern get the items of a query from the table, by their keys.

    An index that lacks fields returns whole items only so; others may read what it contains.
    """
    if not isinstance(pattern, ReadPattern) or pattern.accesses[0].kind != "query":
        return False
    selection, declared = cast("Selection[Any]", pattern.sample), pattern.expected.hydrate
    if declared is not None:
        return "always" if declared else False
    model = model_of(selection.entity)
    return "if needed" if missing_fields(model, selection.access.index) else False


def _reads(access: EntityAccess, sample: object) -> list[PlannedRequest]:
    model = model_of(access.entity)
    match access.kind:
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
        case _:
            return [_on_item("GetItem", model)]


@dataclass(slots=True)
class _WritePlan:
    """The requests of one effect, as the store sends them.

    One of the `alternatives` may be sent instead of the write. `number` takes the number of a
    sequence before. `read_after` says that an update reads the item which it returns, because a
    transaction returns none.
    """

    reads: list[PlannedRequest]
    write: PlannedRequest
    markers: list[PlannedRequest] = field(default_factory=list[PlannedRequest])
    counters: dict[_CounterId, PlannedRequest] = field(
        default_factory=dict["_CounterId", PlannedRequest]
    )
    alternatives: list[PlannedRequest] = field(default_factory=list[PlannedRequest])
    number: PlannedRequest | None = None
    read_after: bool = False


def _write_requests(
    effects: tuple[EntityAccess, ...], models: Mapping[type, Model], *, is_single: bool
) -> tuple[PlannedRequest, ...]:
    """Return all reads, then the writes: one request, or the actions of one transaction.

    Only the update of a single item returns it.
    """
    bulk = [
        request
        for effect in effects
        if effect.kind in ("load", "clear")
        for request in _bulk_requests(effect, models)
    ]
    plans = [
        _plan_write(effect, models) for effect in effects if effect.kind not in ("load", "clear")
    ]
    if not plans:
        return tuple(bulk)
    _merge_counters(plans)
    reads = [request for plan in plans for request in plan.reads]
    writes = [
        request
        for plan in plans
        for request in (plan.write, *plan.markers, *plan.counters.values())
    ]
    # An upsert without edits checks that the item exists; alone, it sends an update for that.
    alternatives = [
        replace(request, conditional=True, alternative=True, likely=False)
        for plan in plans
        for request in plan.alternatives
        if len(plans) > 1
        or request.action != "ConditionCheckItem"
        or plan.write.action == "ConditionCheckItem"
    ]
    # Only a transaction has condition checks.
    if len(writes) > 1 or writes[0].action == "ConditionCheckItem":
        writes = [replace(request, in_transaction=True) for request in writes]
        alternatives = [replace(request, in_transaction=True) for request in alternatives]
    returns = is_single and len(plans) == 1 and plans[0].read_after
    after = [_read_after(plans[0])] if returns else []
    numbers = [plan.number for plan in plans if plan.number is not None]
    return (*numbers, *reads, *writes, *alternatives, *after, *bulk)


def _read_after(plan: _WritePlan) -> PlannedRequest:
    side_writes = (*plan.markers, *plan.counters.values())
    return replace(plan.reads[0], likely=any(one.likely for one in side_writes))


def _bulk_requests(effect: EntityAccess, models: Mapping[type, Model]) -> list[PlannedRequest]:
    """Return the requests for each item of a bulk load, or of a partition that is deleted."""
    model = models.get(effect.entity) or model_of(effect.entity)
    if effect.kind == "load":
        read = replace(_on_item("BatchGetItem", model), consistent=True)
        plan = _plan_write(EntityAccess("create", effect.entity), models)
        return [read, *_bulk_writes(plan, model, batched=is_batchable(model))]
    query = _request("Query", model, model.key, partition_condition(model.key))
    requests = [replace(query, consistent=True)]
    for entity in model.table.entities:
        other = models.get(entity) or model_of(entity)
        if may_share_partition(model.key, other):
            plan = _plan_write(EntityAccess("delete", entity), models)
            for counter_id, counter in plan.counters.items():
                # A counter is deleted with its item, if they are in the same transaction.
                owner = model_of(counter.entity)
                if may_share_partition(model.key, owner) and not is_batchable(owner, deletes=True):
                    plan.counters[counter_id] = replace(counter, likely=False)
            batched = is_batchable(other, deletes=True)
            writes = _bulk_writes(plan, other, batched=batched)
            requests += [replace(write, conditional=True) for write in writes]
    return requests


def _bulk_writes(plan: _WritePlan, model: Model, *, batched: bool) -> list[PlannedRequest]:
    if batched:
        return [_on_item("BatchWriteItem", model)]
    writes = [plan.write, *plan.markers, *plan.counters.values()]
    return [replace(write, in_transaction=True) for write in writes]


def _merge_counters(plans: Sequence[_WritePlan]) -> None:
    """Merge the writes of one item, as the store does: a transaction has an item only once.

    Counters of one item have the same key fields. If the pattern also writes the entity with the
    counter, both are taken for one item: a pattern that creates a team and its members writes the
    team once, with its count.
    """
    merged: set[_CounterId] = set()
    own: dict[type, _CounterId] = {}
    for plan in plans:
        for counter_id, counter in list(plan.counters.items()):
            entity, *_ = counter_id
            target = next((one for one in plans if one.write.entity is entity), None)
            if target is not None and own.setdefault(entity, counter_id) == counter_id:
                target.write = _merge(target.write, counter)
                del plan.counters[counter_id]
            elif counter_id in merged:
                del plan.counters[counter_id]
            merged.add(counter_id)


def _merge(write: PlannedRequest, counter: PlannedRequest) -> PlannedRequest:
    match write.action:
        case "UpdateItem":
            return replace(write, edited_fields=write.edited_fields | counter.edited_fields)
        case "ConditionCheckItem":
            return replace(counter, conditional=False, values=())
        case _:
            return write


def _plan_write(effect: EntityAccess, models: Mapping[type, Model]) -> _WritePlan:
    model = models.get(effect.entity) or model_of(effect.entity)
    match effect.kind:
        case "create":
            plan = _WritePlan([], _on_item("PutItem", model))
            _plan_side_writes(plan, model, claims="always")
            plan.number = _take_number(model)
        case "put":
            plan = _WritePlan(
                _read_first(model, needed=update_effects.reads_before_put(model)),
                replace(_on_item("PutItem", model), edited_fields=frozenset(model.fields)),
            )
            plan.reads += [_read_marker(model, marker) for marker in model.uniques.values()]
            if {*model.fields} <= {*model.key.fields}:
                # Nothing of an existing item could change, so a typical put creates one.
                plan.write = _on_item("PutItem", model)
                _plan_side_writes(plan, model, claims="if needed")
                _plan_side_writes(plan, model, releases="if needed", likely=False)
            else:
                _plan_side_writes(
                    plan, model, claims="if needed", releases="if needed", likely=False
                )
        case "update":
            plan = _plan_update(model, effect.edited_fields)
        case "upsert":
            plan = _plan_upsert(model, effect.edited_fields)
        case "modify":
            plan = _plan_write(EntityAccess("put", effect.entity), models)
            plan.reads = [_read(model), *(one for one in plan.reads if one.subject != model.name)]
        case "delete":
            plan = _WritePlan(
                _read_first(model, needed=update_effects.reads_before_delete(model)),
                _on_item("DeleteItem", model),
            )
            _plan_side_writes(plan, model, releases="always")
        case _:
            plan = _WritePlan([], _on_item("ConditionCheckItem", model))
    if model.versions.is_declared and effect.kind != "create":
        _plan_rewrite(plan, model, updates=effect.kind in ("update", "upsert"))
    return plan


def _plan_rewrite(plan: _WritePlan, model: Model, *, updates: bool) -> None:
    """Add the read and the put of an item that has an older schema version."""
    if not any(one.action == "GetItem" and one.access is model.key for one in plan.reads):
        plan.reads.insert(0, replace(_read(model), conditional=True, likely=False))
    if not updates:
        return
    put = replace(_on_item("PutItem", model), edited_fields=frozenset(model.fields))
    plan.alternatives = [put, *(one for one in plan.alternatives if one.action != "PutItem")]
    markers = [_read_marker(model, marker) for marker in model.uniques.values()]
    plan.reads += [replace(marker, likely=False) for marker in markers]
    side_writes = (*plan.markers, *plan.counters.values())
    likely = any(one.likely for one in side_writes)
    plan.markers.clear()
    plan.counters.clear()
    _plan_side_writes(plan, model, claims="if needed", releases="if needed", likely=likely)


def _take_number(model: Model) -> PlannedRequest | None:
    """Return the request that takes the number of a sequence, if there is one."""
    if model.sequence is None:
        return None
    update = _on_item("UpdateItem", model_of(model.sequence.entity))
    return replace(update, edited_fields=frozenset({model.sequence.path.field}))


def _plan_update(model: Model, declared: frozenset[str]) -> _WritePlan:
    """Plan an update of the declared fields, or of any if there are none."""
    edited = update_effects.changed_fields(
        model, declared or set(model.fields) - set(model.key.fields)
    )
    reads: list[PlannedRequest] = []
    if update_effects.reads_before_edits(model, edited, known=False):
        # A call may also edit only some of the fields.
        is_certain = update_effects.reads_before_edits(model, declared, known=True)
        reads = [replace(_read(model), conditional=not is_certain, likely=is_certain)]
    plan = _WritePlan(
        reads, replace(_on_item("UpdateItem", model), edited_fields=frozenset(edited))
    )
    _plan_side_writes(
        plan, model, claims="if needed", releases="if needed", edited=edited, likely=bool(declared)
    )
    plan.read_after = bool(plan.markers or plan.counters)
    return plan


def _plan_upsert(model: Model, declared: frozenset[str]) -> _WritePlan:
    """Plan an upsert: one update, or after reading the item an update or a put."""
    plan = _plan_update(model, declared)
    must_read = reads_before_upsert(model, declared)
    plan.reads = [replace(_read(model), conditional=not must_read, likely=must_read)]
    put = _on_item("PutItem", model)
    if model.role("expires"):  # it may replace an expired item
        put = replace(put, edited_fields=frozenset(model.fields))
    plan.alternatives = [put, _on_item("ConditionCheckItem", model)]
    # An existing item needs those of the declared fields; a new one may need all.
    markers, counters = plan.markers, plan.counters
    plan.markers, plan.counters = [], {}
    _plan_side_writes(plan, model, claims="if needed", releases="if needed", likely=False)
    written = {(one.action, one.access.name): one.values for one in markers if one.likely}
    for at, one in enumerate(plan.markers):
        if (one.action, one.access.name) in written:
            values = written[one.action, one.access.name]
            plan.markers[at] = replace(one, likely=True, values=values)
    plan.counters |= {at: one for at, one in counters.items() if one.likely}
    return plan


def reads_before_upsert(model: Model, edited: frozenset[str]) -> bool:
    """Return whether an upsert of these fields, or of any, always reads the item first.

    The keys of indexes must be known for a new item, and an empty set is not stored.
    """
    if model.uniques or model.counts or model.role("expires"):
        return True
    if not edited:
        return False
    stamp = model.role("updated")
    known = {*model.key.fields, *edited, *([stamp.name] if stamp is not None else [])}
    return not update_effects.all_index_fields(model) <= known or any(
        field.default is None and field.codec().absent_value is not None
        for name, field in model.fields.items()
        if name not in known
    )


def _plan_side_writes(
    plan: _WritePlan,
    model: Model,
    *,
    claims: _Need = False,
    releases: _Need = False,
    edited: set[str] | None = None,
    likely: bool = True,
) -> None:
    """Add the writes of markers and counters; `edited` are the fields of an update.

    An update sets its fields to values, so that a new one is certain, but an old one is not.
    """
    for marker in model.uniques.values():
        optional = model.is_optional(marker.fields)
        values = _optional_values(model, marker)
        if claims and (edited is None or edited & marker_fields(model, marker)):
            request = _on_marker("PutItem", model, marker.access)
            conditional = optional or claims == "if needed"
            claimed = replace(request, values=values if edited is None else ())
            plan.markers.append(replace(claimed, conditional=conditional, likely=likely))
        if releases and (edited is None or edited & set(marker.fields)):
            request = replace(_on_marker("DeleteItem", model, marker.access), values=values)
            conditional = optional or releases == "if needed"
            plan.markers.append(replace(request, conditional=conditional, likely=likely))
    for count in model.counts.values():
        if edited is None or edited & set(count.fields):
            for amount, need in ((1, claims), (-1, releases)):
                if need:
                    update = replace(
                        _on_item("UpdateItem", model_of(count.entity)),
                        edited_fields=frozenset({count.path.field}),
                        conditional=model.is_optional(count.fields) or need == "if needed",
                        likely=likely,
                    )
                    if edited is None or amount < 0:
                        update = replace(update, values=_optional_values(model, count))
                    _plan_counter(plan, (count.entity, count.fields, amount), update)


def _plan_counter(plan: _WritePlan, counter_id: _CounterId, update: PlannedRequest) -> None:
    other = plan.counters.get(counter_id)
    if other is not None:
        values = (*other.values, *update.values) if other.values and update.values else ()
        update = replace(_merge(other, update), values=values)
    plan.counters[counter_id] = update


def _optional_values(
    model: Model, declared: UniqueConstraint | Counter
) -> tuple[tuple[type, str], ...]:
    """Return the constraint or count if its value may be absent: neither reserved nor counted."""
    return ((model.entity, declared.name),) if model.is_optional(declared.fields) else ()


def _read_first(model: Model, *, needed: bool) -> list[PlannedRequest]:
    return [_read(model)] if needed else []


def _read(model: Model) -> PlannedRequest:
    return replace(_on_item("GetItem", model), consistent=True)


def _read_marker(model: Model, marker: UniqueConstraint) -> PlannedRequest:
    """Return the read that checks whether an unchanged value has its marker."""
    read = replace(_on_marker("GetItem", model, marker.access), consistent=True, conditional=True)
    return replace(read, values=_optional_values(model, marker))


def _on_item(action: Action, model: Model) -> PlannedRequest:
    return _request(action, model, model.key, full_key_condition(model.key))


def _on_marker(action: Action, model: Model, access: ResolvedKey) -> PlannedRequest:
    request = _request(action, model, access, full_key_condition(access))
    return replace(request, subject=f"marker of {access}")


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
            prefix = template[:end]
            if column.template.separator:
                clauses.append(f"{name} between {prefix} and {prefix}$")
            else:
                clauses.append(f"{name} begins with {prefix}")
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
    return str(column.template).partition(f"{{{field}}}")[0]
