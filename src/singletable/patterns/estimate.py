"""What one call of a pattern consumes, worked out from what is expected of it.

The rules are DynamoDB's: reads by 4 KB, halved where they may be stale; writes by 1 KB, once more
for each index entry, doubled in a transaction for the item but not for its entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from singletable.patterns.pattern import Pattern, ReadPattern
from singletable.patterns.requests import Request, requests_of
from singletable.schema import Access, Index, model_of

USUAL_SIZE = 1024
MARKER_SIZE = 200
ENTRY_SIZE = 200
READ_BLOCK = 4096
WRITE_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Estimate:
    """Units of one call; `assumed` if no size of items was declared, and a usual one was taken."""

    read: float
    write: float
    assumed: bool


def estimate(pattern: Pattern, sizes: Mapping[type, int] | None = None) -> Estimate:
    """The units that a call consumes at most, for items of the sizes that are expected."""
    expected, known = pattern.expected, sizes or {}
    assumed = expected.size is None and any(touch.entity not in known for touch in pattern.touches)
    read = write = 0.0
    for request in requests_of(pattern):
        size = MARKER_SIZE
        if not _is_marker(request):
            size = expected.size or max(
                known.get(one, USUAL_SIZE) for one in _found(pattern, request)
            )
        if request.reads:
            consistent = expected.consistent or request.consistent
            read += _read_units(request, size, expected.items) * (1.0 if consistent else 0.5)
        else:
            write += _write_units(request, size) * expected.items
    return Estimate(read, write, assumed)


def _found(pattern: Pattern, request: Request) -> list[type]:
    """The entities whose items a request is about: a collection has several."""
    if isinstance(pattern, ReadPattern) and pattern.collects is not None:
        return pattern.collects.entities()
    return [request.entity]


def _read_units(request: Request, size: int, items: int) -> float:
    match request.action:
        case "GetRecords":
            return 0.0  # Streams are priced by the request, not in units.
        case "GetItem":
            return items * _blocks(size, READ_BLOCK)
        case _:
            shards = request.access.shards
            partitions = 1 if shards is None else shards.count
            return max(_blocks(items * _entry(request.index, size), READ_BLOCK), partitions)


def _write_units(request: Request, size: int) -> float:
    units = _blocks(size, WRITE_BLOCK) * (2 if request.together else 1)
    if request.action == "ConditionCheckItem" or _is_marker(request):
        return units
    return units + _entry_units(request, size)


def _entry_units(request: Request, size: int) -> int:
    """The units for the entries of the item in indexes: a key that changes costs two writes."""
    units = 0
    for access in model_of(request.entity).indexes.values():
        moves = request.edited & {*access.fields, *_tested(request, access)}
        units += _blocks(_entry(access.index, size), WRITE_BLOCK) * (2 if moves else 1)
    return units


def _tested(request: Request, access: Access) -> set[str]:
    """The fields that decide whether the item is in the index."""
    tested = {path[0] for path in access.tested}
    fields = model_of(request.entity).fields
    return {name for name, field in fields.items() if field.attribute in tested}


def _is_marker(request: Request) -> bool:
    return request.of != request.entity.__name__


def _entry(index: Index | None, size: int) -> int:
    return size if index is None or index.projection == "ALL" else min(size, ENTRY_SIZE)


def _blocks(size: int, block: int) -> int:
    return max(-(-size // block), 1)
