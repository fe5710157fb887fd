"""Estimate the capacity units that one call of a pattern consumes at its expected load.

The rules are DynamoDB's: a read costs one unit per 4 KB, or half if it is eventually consistent. A
write costs one unit per 1 KB, plus the writes of its index entries. A transaction doubles the cost
of the item, but not of its index entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from singletable.patterns.pattern import Pattern, ReadPattern
from singletable.patterns.requests import PlannedRequest, planned_requests
from singletable.schema import Index, Model, ResolvedKey, model_of
from singletable.store.decoder import projected_attributes

DEFAULT_ITEM_SIZE = 1024
MARKER_SIZE = 200
ENTRY_SIZE = 200
READ_BLOCK = 4096
WRITE_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Estimate:
    """Capacity units of one call; `assumed` says that the default item size was used."""

    read: float
    write: float
    assumed: bool


def estimate(pattern: Pattern, sizes: Mapping[type, int] | None = None) -> Estimate:
    """Return the most units that a call consumes, for items of the expected size."""
    expected, known = pattern.expected, sizes or {}
    assumed = expected.size is None and any(
        access.entity not in known for access in pattern.accesses
    )
    read = write = 0.0
    least: dict[ResolvedKey, float] = {}
    for request in planned_requests(pattern):
        size = MARKER_SIZE
        if not _is_marker(request):
            size = expected.size or max(
                known.get(entity, DEFAULT_ITEM_SIZE) for entity in _entities(pattern, request)
            )
        if request.is_read:
            consistent = expected.consistent or request.consistent
            read += _read_units(request, size, expected.items) * (1.0 if consistent else 0.5)
        else:
            units = _write_units(request, size)
            if request.alternative:  # count what it costs more than the write that it replaces
                units = max(0, units - least[request.access])
            else:
                least[request.access] = min(units, least.get(request.access, units))
            write += units * expected.items
    return Estimate(read, write, assumed)


def _entities(pattern: Pattern, request: PlannedRequest) -> list[type]:
    """Return the entities that a request reads or writes; a collection has several."""
    if isinstance(pattern, ReadPattern) and pattern.collection is not None:
        return pattern.collection.entities()
    return [request.entity]


def _read_units(request: PlannedRequest, size: int, items: int) -> float:
    match request.action:
        case "GetRecords":
            return 0.0  # streams are charged per request, not in units
        case "GetItem" | "BatchGetItem":
            return items * _blocks(size, READ_BLOCK)
        case _:
            shards = request.access.shards
            partitions = 1 if shards is None else shards.count
            return max(_blocks(items * _entry_size(request.index, size), READ_BLOCK), partitions)


def _write_units(request: PlannedRequest, size: int) -> float:
    units = _blocks(size, WRITE_BLOCK) * (2 if request.in_transaction else 1)
    if request.action == "ConditionCheckItem" or _is_marker(request):
        return units
    return units + _entry_units(request, size)


def _entry_units(request: PlannedRequest, size: int) -> int:
    """Return the units for the index entries: an entry that moves is written twice."""
    model = model_of(request.entity)
    units = 0
    for access in model.indexes.values():
        entry = _blocks(_entry_size(access.index, size), WRITE_BLOCK)
        tested = {path[0] for path in access.condition_paths}
        # A new item and a deleted one have no edited fields; neither does the primary key change.
        edited = request.edited_fields - set(model.key.fields)
        if edited & {*access.fields, *_fields_of(model, tested)}:
            units += 2 * entry
        elif not request.edited_fields or edited & _projected_fields(model, access.index):
            units += entry
    return units


def _projected_fields(model: Model, index: Index | None) -> set[str]:
    projected = projected_attributes(model, index)
    return set(model.fields) if projected is None else _fields_of(model, projected)


def _fields_of(model: Model, attributes: AbstractSet[str | int]) -> set[str]:
    return {name for name, field in model.fields.items() if field.attribute in attributes}


def _is_marker(request: PlannedRequest) -> bool:
    return request.subject != request.entity.__name__


def _entry_size(index: Index | None, size: int) -> int:
    return size if index is None or index.projection == "ALL" else min(size, ENTRY_SIZE)


def _blocks(size: int, block: int) -> int:
    return max(-(-size // block), 1)
