"""Estimate the capacity units that one call of a pattern consumes at its expected load.

The rules are DynamoDB's: a read costs one unit per 4 KB, or half if it is eventually consistent. A
query is rounded up once, a batch for each item. A write costs one unit per 1 KB, and a transaction
doubles that. An index entry costs nothing if it does not change, one write if it appears, changes
or disappears, and two if its key changes; a transaction does not double these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal, cast

from dynamodb_engine.values import Item
from singletable.patterns.expected_load import ItemCount
from singletable.patterns.pattern import Pattern, ReadPattern, ScanPattern, WritePattern
from singletable.patterns.requests import (
    PlannedRequest,
    hydration,
    planned_requests,
    reads_before_upsert,
)
from singletable.patterns.sample_items import entry_size
from singletable.schema import (
    Index,
    Model,
    ResolvedKey,
    Selection,
    counters_of,
    entities_in_range,
    model_of,
)
from singletable.store.batch import is_batchable
from singletable.store.decoder import missing_fields, projected_attributes
from singletable.store.update_effects import reads_before_edits

DEFAULT_ITEM_SIZE = 1024
MARKER_SIZE = 200
READ_BLOCK = 4096
WRITE_BLOCK = 1024
# Of more items, half a block is lost in each shard on average.
_MOST_EXACT = 500


@dataclass(frozen=True, slots=True)
class UnitCost:
    """The units that a request consumes on its table, or on one of its indexes.

    `units` are those of a typical call and `most` those of the most expensive one, both for all
    items of the call. `access` is the key by which the units are spread over partitions, and `how`
    says how the units were computed. `bytes_returned` are those that a typical call receives.
    """

    request: PlannedRequest
    access: ResolvedKey
    kind: Literal["read", "write"]
    units: float
    most: float
    how: str
    bytes_returned: float = 0.0

    @property
    def index(self) -> Index | None:
        """The index that consumes the units, or None for the table."""
        return self.access.index


@dataclass(frozen=True, slots=True)
class Estimate:
    """Capacity units of one call; `assumed` says that the default item size was used."""

    parts: tuple[UnitCost, ...]
    assumed: bool

    @property
    def read(self) -> float:
        """The most read units of a call."""
        return sum(part.most for part in self.parts if part.kind == "read")

    @property
    def write(self) -> float:
        """The most write units of a call."""
        return sum(part.most for part in self.parts if part.kind == "write")

    @property
    def typical_read(self) -> float:
        """The read units of a typical call."""
        return sum(part.units for part in self.parts if part.kind == "read")

    @property
    def typical_write(self) -> float:
        """The write units of a typical call."""
        return sum(part.units for part in self.parts if part.kind == "write")


def estimate(
    pattern: Pattern,
    sizes: Mapping[type, int] | None = None,
    counts: Mapping[type, ItemCount] | None = None,
    *,
    instead: Mapping[Index, Index] | None = None,
    models: Mapping[type, Model] | None = None,
) -> Estimate:
    """Return the units of a call, for items of the expected size and indexes of expected shares.

    `instead` replaces some indexes by others with the same keys and another projection. `models`
    replaces the models of entities that are written, as if they were declared so.
    """
    known = sizes or {}
    assumed = pattern.expected.size is None and any(
        access.entity not in known for access in pattern.accesses
    )
    estimator = _Estimator(pattern, known, counts or {}, instead or {}, models or {})
    return Estimate(tuple(estimator.parts()), assumed)


def items_read(pattern: Pattern, counts: Mapping[type, ItemCount]) -> int:
    """Return the number of items that a query or scan reads, before a filter.

    A scan without a declared number reads all items of its table.
    """
    expected = pattern.expected
    if isinstance(pattern, ScanPattern) and expected.items_read == 1:
        entities = pattern.tables[0].entities
        return max(sum(counts[one].items for one in entities if one in counts), 1)
    return expected.items_read


class _Estimator:
    def __init__(
        self,
        pattern: Pattern,
        sizes: Mapping[type, int],
        counts: Mapping[type, ItemCount],
        instead: Mapping[Index, Index],
        models: Mapping[type, Model],
    ) -> None:
        self._pattern = pattern
        self._expected = pattern.expected
        self._sizes = sizes
        self._counts = counts
        self._instead = instead
        self._models = models
        self._requests = planned_requests(pattern, models)
        writes = [one for one in self._requests if one.in_transaction and one.likely]
        # A typical call may leave out all but one write, which is then no transaction, unless
        # there are several items.
        is_transaction = (
            sum(not one.values for one in writes) > 1
            or any(one.action == "ConditionCheckItem" for one in writes)
            or self._writes_items_together
            # What a batch cannot delete from a partition is deleted in transactions.
            or any(one.kind == "clear" for one in pattern.accesses)
        )
        # The share of the calls that are a transaction; optional values are independent.
        self._transactions = 1.0
        if not is_transaction:
            self._transactions -= math.prod(1 - self._presence(one) for one in writes if one.values)
        # Entities of which any field may be updated or upserted.
        self._any_field = {
            one.entity: one.kind
            for one in pattern.accesses
            if one.kind in ("update", "upsert") and not one.edited_fields
        }
        # The items of a transaction are divided among its effects; each writes at least one.
        effects = len(pattern.accesses) if isinstance(pattern, WritePattern) else 1
        self._items_of_effect = max(pattern.expected.items / effects, 1.0)
        if effects == 1:
            self._items_of_effect = pattern.expected.items

    def parts(self) -> list[UnitCost]:
        parts: list[UnitCost] = []
        least: dict[ResolvedKey, float] = {}
        for request in self._requests:
            if request.is_read:
                parts.append(self._read(request))
                continue
            written = self._write(request)
            most = sum(part.most for part in written)
            if request.alternative:  # count what it costs more than the write that it replaces
                more = max(0.0, most - least[request.access])
                parts.append(UnitCost(request, request.access, "write", 0, more, "not typical"))
                continue
            least[request.access] = min(most, least.get(request.access, most))
            parts += written
        return parts

    def _model(self, entity: type) -> Model:
        return self._models.get(entity) or model_of(entity)

    @property
    def _writes_items_together(self) -> bool:
        """Whether a call writes several items in a transaction, because a batch cannot."""
        pattern = self._pattern
        if not isinstance(pattern, WritePattern) or len(pattern.accesses) != 1:
            return False
        access = pattern.accesses[0]
        match access.kind:
            case "load":
                return not is_batchable(self._model(access.entity))
            case "create" | "update" | "upsert":
                return pattern.expected.items > 1
            case "put":
                return pattern.expected.items > 1 and not is_batchable(self._model(access.entity))
            case _:
                return False

    def _index(self, access: ResolvedKey) -> Index | None:
        return None if access.index is None else self._instead.get(access.index, access.index)

    def _size(self, entity: type) -> int:
        # The size of a pattern is that of the items that it declares, not of their counters.
        declared = any(
            one.entity is entity or one.kind in ("clear", "scan") for one in self._pattern.accesses
        )
        size = self._expected.size if declared else None
        return size or self._sizes.get(entity, DEFAULT_ITEM_SIZE)

    def _presence(self, request: PlannedRequest) -> float:
        """Return the share of the items that have the value on which a request depends."""
        shares = [
            self._counts[entity].shares.get(name, 1.0) if entity in self._counts else 1.0
            for entity, name in request.values
        ]
        return max(shares, default=1.0)

    def _read(self, request: PlannedRequest) -> UnitCost:
        # What an index lacks is read without consistency.
        consistent = request.consistent or (
            self._expected.consistent
            and not hydration(self._pattern)
            and (
                request.index is None or not missing_fields(model_of(request.entity), request.index)
            )
        )
        units, most, how, returned = self._read_units(request)
        factor = 1.0 if consistent else 0.5
        if not consistent and units:
            how += ", halved because eventually consistent"
        share = self._read_share(request)
        typical = units * factor * share
        if 0 < share < 1:
            how += f", for {share:.0%} of the items"
        elif not share:
            how = f"not in a typical call; at most {how}"
        returned *= share
        return UnitCost(request, request.access, "read", typical, most * factor, how, returned)

    def _read_share(self, request: PlannedRequest) -> float:
        """Return the share of the items of a typical call that are read."""
        reads = [one for one in self._requests if one.is_read and one.access is request.access]
        kind = self._any_field.get(request.entity)
        model = self._model(request.entity)
        if (
            request.likely
            or kind is None
            or request.access is not model.key
            or request is not reads[0]
        ):
            return self._presence(request) if request.likely else 0.0
        # Edits of any fields change keys for half of the items.
        others = frozenset(rewritten_fields(model))
        choices = (others, others | keys_only_fields(model))
        if kind == "upsert":
            return sum(reads_before_upsert(model, one) for one in choices) / 2
        return sum(reads_before_edits(model, one, known=True) for one in choices) / 2

    def _read_units(self, request: PlannedRequest) -> tuple[float, float, str, float]:
        """Return the strongly consistent units of a typical read, the most, why, and the bytes."""
        if request.action == "GetRecords":
            return 0.0, 0.0, "streams are charged per request", 0.0
        items = self._expected.items
        if request.action in ("GetItem", "BatchGetItem"):
            size = MARKER_SIZE if _is_marker(request) else self._size(request.entity)
            most, count = items, self._items_of_effect
            if _is_marker(request) and isinstance(self._pattern, ReadPattern):
                most = count = 1
            blocks = read_units(size)
            if not items and request.action == "GetItem":
                return 1.0, 1.0, "1 unit, although there is no item", 0.0
            if self._pattern.accesses[0].kind == "load":
                how = f"{_times(count, 'item')}1 unit, because there is none yet"
                return count, most * blocks, how, 0.0
            how = f"{_times(count, 'item')}{_rounded(size, read_units(size), '4 KB')}"
            return count * blocks, most * blocks, how, float(count * size)
        items = items_read(self._pattern, self._counts)
        entities = self._entities(request)
        others = self._others(request, entities)
        items += others
        index = self._index(request.access)
        entries = {one: entry_size(one, index, self._size(one)) for one in entities}
        partitions = partitions_read(self._pattern, request)
        largest, average = max(entries.values()), self._average(entries)
        # A query with a limit reads as many items from each shard.
        most = partitions * read_units(items * largest)
        markers = self._marker_bytes(entities) if request.action == "Scan" else 0
        typical = (
            sharded_blocks(items, average, partitions)
            if partitions > 1
            else read_units(round(items * average) + markers)
        )
        how = f"{items:,} items × {average:,.0f} bytes, rounded up to 4 KB"
        if others:
            how += f"; {others:,} of them are of other entities, whose keys begin alike"
        if partitions > 1:
            how += f" in each of {partitions} shards"
        if self._expected.scanned is not None:
            how += f"; the filter returns {self._expected.items:,} of them"
        share = 1.0
        if others or self._expected.scanned is not None:
            share = self._expected.items / max(items, 1)
        # A scan reads items of all sizes, not only the largest.
        worst = typical if request.action == "Scan" else max(most, typical)
        return float(typical), float(worst), how, items * average * share

    def _entities(self, request: PlannedRequest) -> list[type]:
        """Return the entities that a request reads; a collection and a scan have several."""
        if isinstance(self._pattern, ReadPattern) and self._pattern.collection is not None:
            return self._pattern.collection.entities()
        if isinstance(self._pattern, ScanPattern) and self._expected.size is None:
            return list(request.table.entities)
        if isinstance(self._pattern, WritePattern):  # a partition that is deleted
            return list({one.entity: None for one in self._requests if not one.is_read})
        return [request.entity]

    def _others(self, request: PlannedRequest, entities: list[type]) -> int:
        """Add the other entities in the range of a query; return how many items it reads of them.

        That is known by the numbers of all items, unless the pattern declares what it scans.
        """
        counts = self._counts
        if request.action != "Query" or not isinstance(self._pattern, ReadPattern):
            return 0
        own = sum(counts[one].items for one in entities if one in counts)
        if self._expected.scanned is not None or not own:
            return 0
        selection = cast("Selection[Any]", self._pattern.sample)
        in_range = entities_in_range(
            request.access,
            model_of(request.entity),
            selection.values,
            whole=self._pattern.collection is not None,
        )
        others = [one for one in in_range if one not in entities and one in counts]
        entities += others
        return round(self._expected.items * sum(counts[one].items for one in others) / own)

    def _marker_bytes(self, entities: Sequence[type]) -> int:
        """Return the bytes of the markers of unique values, which a scan reads, too."""
        counted = [self._model(one) for one in entities if one in self._counts]
        markers = sum(markers_of(one, self._counts[one.entity]) for one in counted)
        return round(markers) * MARKER_SIZE if self._expected.items_read == 1 else 0

    def _average(self, entries: Mapping[type, int]) -> float:
        """Return the average size, by the number of items of each entity where it is known."""
        weights = {one: self._counts[one].items if one in self._counts else 0 for one in entries}
        total = sum(weights.values())
        if not total and isinstance(self._pattern, ReadPattern) and self._pattern.collection:
            # Lists are taken to be equally long; a member that is no list has one item.
            lists = self._pattern.collection.list_entities()
            rest = max(self._expected.items - len(entries) + len(lists), 0)
            weights = {one: -(-rest // len(lists)) if one in lists else 1 for one in entries}
            total = sum(weights.values())
        if not total:
            return max(entries.values())
        return sum(size * weights[one] for one, size in entries.items()) / total

    def _write(self, request: PlannedRequest) -> list[UnitCost]:
        items, marker = self._items(request), _is_marker(request)
        size = MARKER_SIZE if marker else self._size(request.entity)
        blocks = write_units(size)
        share = self._share(request)
        # A number of a sequence is taken before the transaction.
        may_double = request.in_transaction or (
            self._writes_items_together and request.entity is self._pattern.accesses[0].entity
        )
        presence = self._presence(request)
        share *= presence
        # What is written because of an optional value is written with the item.
        doubled = (1.0 if request.values else self._transactions) if may_double else 0.0
        typical = blocks * items * share * (1 + doubled)
        how = f"{_times(items, 'item')}{_rounded(size, write_units(size), '1 KB')}"
        if doubled:
            how += ", doubled in a transaction"
        if 0 < doubled < 1:
            how += f" for {doubled:.0%} of the calls"
        if not request.likely:
            typical, how = 0.0, f"not in a typical call; at most {how}"
        elif share < 1:
            how += f", for {share:.0%} of the items"
            how += ", which have the value" if presence < 1 else ""
        most = blocks * self._expected.items * (2 if may_double else 1)
        parts = [UnitCost(request, request.access, "write", typical, most, how)]
        if request.action == "ConditionCheckItem" or marker:
            return parts
        model = self._model(request.entity)
        for access in model.indexes.values():
            parts += self._entry(request, model, access, size, share)
        return parts

    def _items(self, request: PlannedRequest) -> float:
        """Return how many items a request writes; a transaction writes a counter once."""
        kinds = {one.kind for one in self._pattern.accesses if one.entity is request.entity}
        one_by_one = {"load", "clear", "delete", "modify"}
        effects = {one.kind for one in self._pattern.accesses}
        is_counter = not kinds and request.action == "UpdateItem" and request.in_transaction
        if is_counter and not effects <= one_by_one:
            return min(self._items_of_effect, 1)
        return self._items_of_effect

    def _share(self, request: PlannedRequest) -> float:
        """Return the share of a partition's items that are of this entity, if it is deleted."""
        if not isinstance(self._pattern, WritePattern) or self._pattern.accesses[0].kind != "clear":
            return 1.0
        entities = {one.entity for one in self._requests if not one.is_read}
        weights = {one: self._counts[one].items if one in self._counts else 1 for one in entities}
        return weights[request.entity] / max(sum(weights.values()), 1)

    def _entry(
        self, request: PlannedRequest, model: Model, access: ResolvedKey, size: int, share: float
    ) -> list[UnitCost]:
        """Return the units of an index entry, by how many times it is written."""
        index = self._index(access)
        entry = entry_size(model.entity, index, size)
        any_field = model.entity in self._any_field
        writes, most, why = _entry_writes(request, model, access, index, any_field=any_field)
        if not most:
            return []
        count = self._counts.get(model.entity)
        present = 1.0 if count is None else count.shares.get(access.name, 1.0)
        blocks, items = write_units(entry), self._items(request)
        how = f"{why}: {_times(items, 'entry')}{_rounded(entry, write_units(entry), '1 KB')}"
        # Entries that appear or disappear are those of the items that are edited.
        if why not in (_APPEARS, _NEW_BY_DEFAULT) and present < 1:
            how += f", for {present:.0%} of the items, which are in the index"
        else:
            present = 1.0
        typical = blocks * items * writes * present * share if request.likely else 0.0
        most *= blocks * self._expected.items
        return [UnitCost(request, access, "write", typical, most, how)]


_APPEARS = "the entry appears or disappears"
_NEW_BY_DEFAULT = "one write of the entry, which a new item has by default"


def _entry_writes(
    request: PlannedRequest,
    model: Model,
    access: ResolvedKey,
    index: Index | None,
    *,
    any_field: bool,
) -> tuple[float, int, str]:
    """Return how often an index entry is written typically and at most, and why."""
    if not request.edited_fields:  # a new item or a deleted one
        is_new = request.action == "PutItem" and includes_defaults(model, access)
        return 1, 1, _NEW_BY_DEFAULT if is_new else "one write of the entry"
    tested = _fields_of(model, {path[0] for path in access.condition_paths})
    # The primary key of an item does not change.
    edited = request.edited_fields - set(model.key.fields)
    moves = bool(edited & set(access.fields))
    if any_field or request.edited_fields >= set(model.fields) or request.action == "PutItem":
        if request.action == "PutItem" and access.shards is not None and access.shards.by is None:
            moved = 1 - 1 / access.shards.count
            writes = 2 * moved if _has_keys_only(model, access) else 1 + moved
            return writes, 2, f"a put chooses another shard for {moved:.0%} of the items"
        stamp = model.role("updated")
        if stamp is not None and stamp.name in access.fields:
            return 2, 2, "its key has the time of the write, so the entry is deleted and written"
        if {*rewritten_fields(model)} & {*access.fields}:
            return 2, 2, "all fields are in index keys, so the entry is deleted and written"
        most = 2 if moves else 1
        if _has_keys_only(model, access):
            if not keys_only_fields(model) & set(access.fields):
                return 0, most, "the entry has keys only, which do not change"
            return 1, most, "two writes of the entry for half of the items, whose keys change"
        return 1, most, "the entry changes, its key stays"
    if moves:
        return 2, 2, "its key changes, so the old entry is deleted and a new one written"
    if edited & tested:
        return 1, 1, _APPEARS
    if edited & _projected_fields(model, index):
        return 1, 1, "the entry changes, its key stays"
    return 0, 0, "nothing in the entry changes"


def _has_keys_only(model: Model, access: ResolvedKey) -> bool:
    fields = {*model.key.fields, *access.fields}
    return not _projected_fields(model, access.index) - fields


def keys_only_fields(model: Model) -> set[str]:
    """Return the fields that are only in keys of KEYS_ONLY indexes.

    The estimate assumes that a put changes these keys for half of the items, and no other keys.
    """
    keys = model.indexes.values()
    found = {name for key in keys if _has_keys_only(model, key) for name in key.fields}
    others = {name for key in keys if not _has_keys_only(model, key) for name in key.fields}
    tested = _fields_of(model, {path[0] for key in keys for path in key.condition_paths})
    stored = {name for name in found if model.fields[name].role is None}
    return stored - others - tested - set(model.key.fields)


def editable_fields(model: Model) -> list[str]:
    """Return the fields that an application may set: neither keys nor those that the store sets."""
    counters = {path.field for path in counters_of(model.entity)}
    return [
        name
        for name, field in model.fields.items()
        if name not in model.key.fields and field.role in (None, "expires") and name not in counters
    ]


def rewritten_fields(model: Model) -> list[str]:
    """Return the fields that a put changes by assumption, except some in keys.

    These are all fields that are in no key and no condition; if there are none, one of the others.
    See `keys_only_fields` for those in keys.
    """
    editable, indexes = editable_fields(model), model.indexes.values()
    tested = _fields_of(model, {path[0] for key in indexes for path in key.condition_paths})
    fixed = {name for key in indexes for name in key.fields} | tested
    side = {name for one in model.uniques.values() for name in one.fields}
    side |= {name for one in model.counts.values() for name in one.fields}
    loose = [name for name in editable if name not in fixed]
    return [name for name in loose if name not in side] or loose[:1] or editable[:1]


def markers_of(model: Model, count: ItemCount) -> float:
    """Return how many markers of unique values the items of an entity have."""
    return math.fsum(count.items * count.shares.get(one, 1.0) for one in model.uniques)


def includes_defaults(model: Model, access: ResolvedKey) -> bool:
    """Return whether the default values meet the condition of a sparse index.

    Orders are open at first, so that all new ones are in the index of open orders, and few others.
    """
    if access.condition is None:
        return False
    item: Item = {}
    for name in _fields_of(model, {path[0] for path in access.condition_paths}):
        field = model.fields[name]
        value = field.default() if field.constant and field.default is not None else None
        if value is not None:
            item[field.attribute] = field.codec().encode(value)
    return bool(item) and access.includes(item)


def _projected_fields(model: Model, index: Index | None) -> set[str]:
    projected = projected_attributes(model, index)
    return set(model.fields) if projected is None else _fields_of(model, projected)


def _fields_of(model: Model, attributes: AbstractSet[str | int]) -> set[str]:
    return {name for name, field in model.fields.items() if field.attribute in attributes}


def partitions_read(pattern: Pattern, request: PlannedRequest) -> int:
    """Return how many partition keys a query reads: one, or one for each shard.

    A value by which shards are chosen selects one of them.
    """
    if request.action != "Query":
        return 1
    if isinstance(pattern, ReadPattern):
        return len(cast("Selection[Any]", pattern.sample).key_queries())
    shards = request.access.shards
    return 1 if shards is None else shards.count


def _is_marker(request: PlannedRequest) -> bool:
    return request.subject != request.entity.__name__


def read_units(size: int) -> int:
    """Return the units of a strongly consistent read of this many bytes."""
    return max(-(-size // READ_BLOCK), 1)


def write_units(size: int) -> int:
    """Return the units of a write of an item or an index entry of this many bytes."""
    return max(-(-size // WRITE_BLOCK), 1)


def sharded_blocks(items: int, size: float, shards: int) -> float:
    """Return the blocks of all shards: the items spread over them by chance, not evenly."""
    if items > _MOST_EXACT:
        return shards * max(items * size / shards / READ_BLOCK + 0.5, 1.0)
    share = 1 / shards
    chances = (
        math.comb(items, one) * share**one * (1 - share) ** (items - one)
        for one in range(items + 1)
    )
    each = math.fsum(chance * read_units(round(one * size)) for one, chance in enumerate(chances))
    return round(shards * each, 6)


def _times(count: float, noun: str) -> str:
    plural = "entries" if noun == "entry" else f"{noun}s"
    number = f"{count:,.0f}" if count == round(count) else f"{count:,.1f}"
    return "" if count == 1 else f"{number} {plural} × "


def _rounded(size: int, blocks: int, text: str) -> str:
    unit = "unit" if blocks == 1 else "units"
    return f"{size:,} bytes rounded up to {text} = {blocks:,} {unit}"
